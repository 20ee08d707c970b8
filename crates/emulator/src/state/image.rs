//! Images of a launch, which are the textures and surfaces that handles denote, with the memory locations of their
//! texels (CUDA driver API, "cuTexObjectCreate").

use crate::contract::image::ImageInit;
use crate::contract::launch::LaunchError;
use crate::state::memory::{AllocationOwner, GlobalMemory};

/// Texture or surface of a launch with the location of its texels, which texture and surface instructions access.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    pub(crate) facts: ImageInit,
    /// Offset of the first texel in the arena.
    pub(crate) start: usize,
    /// Address of the first texel.
    pub(crate) address: u64,
}

/// Resolves the locations of all images of a launch, in the order of the launch.
pub(crate) fn place_images(
    images: &[ImageInit],
    global: &GlobalMemory,
) -> Result<Vec<Image>, LaunchError> {
    let place = |(index, facts): (usize, &ImageInit)| {
        let mut allocations = global.allocations().iter();
        let found = allocations.find(
            |a| matches!(&a.owner, AllocationOwner::Buffer(buffer, _) if *buffer == facts.buffer),
        );
        let end = facts.byte_offset.checked_add(facts.size_bytes());
        match (found, end) {
            (Some(allocation), Some(end)) if end <= allocation.size => Ok(Image {
                facts: facts.clone(),
                start: allocation.start + facts.byte_offset as usize,
                address: allocation.address + facts.byte_offset,
            }),
            _ => Err(LaunchError::BadImage { index }),
        }
    };
    images.iter().enumerate().map(place).collect()
}

#[cfg(test)]
mod tests {
    use crate::contract::image::ImageInit;

    #[test]
    fn image_handles_round_trip_and_adjacent_values_are_invalid() {
        for index in [0, 1, 7] {
            let handle = ImageInit::handle(index);
            assert_eq!(ImageInit::index_of(handle), Some(index));
            assert_eq!(ImageInit::index_of(handle + 1), None);
        }
        assert_eq!(ImageInit::index_of(0), None);
    }
}
