//! The zoom level of a grid, from the full value to one pixel per cell.

/// A zoom level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Zoom {
    /// Cells are as wide as the longest value.
    Full,
    /// Cells are as wide as the card allows.
    #[default]
    Fit,
    /// Cells have this width and height in pixels, and contain no text.
    Pixels(u8),
}

/// The direction of a zoom step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZoomStep {
    In,
    Out,
}

/// All zoom levels, starting with the largest.
const SIZES: [Zoom; 7] = [
    Zoom::Full,
    Zoom::Fit,
    Zoom::Pixels(12),
    Zoom::Pixels(8),
    Zoom::Pixels(4),
    Zoom::Pixels(2),
    Zoom::Pixels(1),
];

impl Zoom {
    /// Returns the zoom level after a zoom step, or the same zoom level if there is no further one.
    pub fn after(self, step: ZoomStep) -> Zoom {
        let at = SIZES.iter().position(|size| *size == self).unwrap_or(1);
        let next = match step {
            ZoomStep::In => at.saturating_sub(1),
            ZoomStep::Out => at + 1,
        };
        SIZES.get(next).copied().unwrap_or(self)
    }

    /// Returns the cell size in pixels of a zoom level without text.
    pub fn pixels(self) -> Option<u8> {
        match self {
            Zoom::Full | Zoom::Fit => None,
            Zoom::Pixels(size) => Some(size),
        }
    }

    /// Returns the zoom level with the given cell size in pixels, if there is one.
    pub fn of_pixels(size: u32) -> Option<Zoom> {
        let mut sizes = SIZES.into_iter();
        sizes.find(|zoom| zoom.pixels().map(u32::from) == Some(size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zoom_steps_traverse_all_sizes() {
        let go = |from: Zoom, step| {
            let mut sizes = vec![from];
            while let next = sizes[sizes.len() - 1].after(step)
                && next != sizes[sizes.len() - 1]
            {
                sizes.push(next);
            }
            sizes
        };
        assert_eq!(go(Zoom::Full, ZoomStep::Out), SIZES);
        assert_eq!(go(Zoom::Pixels(1), ZoomStep::In).last(), Some(&Zoom::Full));
        assert_eq!(Zoom::of_pixels(4), Some(Zoom::Pixels(4)));
        assert_eq!(Zoom::of_pixels(3), None);
    }
}
