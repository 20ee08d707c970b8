//! Decompression of blocks in the LZ4 format.

/// Decompresses a block to exactly `size` bytes. Returns `None` if the block is invalid or decompresses to more than `size` bytes.
pub(super) fn unpack(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut bytes = packed.iter().copied();
    // Limit the allocation to 256 times the compressed size, because the compression ratio of an LZ4 block is at most about 255.
    let room = size.min(packed.len().saturating_mul(256));
    let mut unpacked = Vec::with_capacity(room);
    while let Some(token) = bytes.next() {
        let n_literals = length(token >> 4, &mut bytes)?;
        for _ in 0..n_literals {
            if unpacked.len() >= size {
                return None;
            }
            unpacked.push(bytes.next()?);
        }
        // End after the literals of the last sequence, which has no match.
        let Some(low) = bytes.next() else {
            break;
        };
        let distance = usize::from(low) | usize::from(bytes.next()?) << 8;
        let n_copied = length(token & 15, &mut bytes)?.checked_add(4)?;
        let start = unpacked
            .len()
            .checked_sub(distance)
            .filter(|_| distance > 0)?;
        if n_copied > size.checked_sub(unpacked.len())? {
            return None;
        }
        for index in start..start + n_copied {
            let byte = *unpacked.get(index)?;
            unpacked.push(byte);
        }
    }
    (unpacked.len() == size).then_some(unpacked)
}

/// Decodes a length that consists of four bits, and of additional bytes if all four bits are set.
fn length(first: u8, bytes: &mut impl Iterator<Item = u8>) -> Option<usize> {
    let mut length = usize::from(first);
    if first < 15 {
        return Some(length);
    }
    loop {
        let next = bytes.next()?;
        length = length.checked_add(next.into())?;
        if next < 255 {
            return Some(length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::unpack;

    #[test]
    fn overlapping_matches_decode_and_invalid_blocks_are_rejected() {
        // The block consists of one literal, a match that repeats this literal 4 + 15 times, and a last literal.
        let packed = [0x1f, b'a', 1, 0, 0, 0x10, b'b'];
        assert_eq!(
            unpack(&packed, 21).as_deref(),
            Some(&b"aaaaaaaaaaaaaaaaaaaab"[..])
        );
        assert_eq!(unpack(&packed, 20), None);
        assert_eq!(unpack(&packed, 22), None);
        assert_eq!(unpack(&[0x0f, 9, 0, 0], 100), None);
        assert_eq!(unpack(&[0xf0, 255, 255], 100), None);
    }
}
