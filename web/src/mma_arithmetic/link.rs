//! URL fragment of the Tensor Core arithmetic view: `#product?op=mma&shape=m16n8k16&types=f16,f16,f32,f32&target=sm_80&a=1.5,2&b=4&c=8`.

use warpgrid_view::analysis::mma_explanation::MmaRequest;

const START: &str = "#product";
/// Maximum length of a link parameter in bytes, which suffices for 64 elements with exponents.
const MAX_VALUE_BYTES: usize = 2_000;

/// Parses a URL fragment, including `#`. Returns `None` if it is not a link to the Tensor Core arithmetic view.
pub fn read_link(hash: &str) -> Option<MmaRequest> {
    let rest = hash.strip_prefix(START)?;
    let mut request = super::first_product(None);
    let Some(parts) = rest.strip_prefix('?') else {
        return rest.is_empty().then_some(request);
    };
    (request.a, request.b, request.c) = (Vec::new(), Vec::new(), None);
    for part in parts.split('&') {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._,+-".contains(c);
        if value.len() > MAX_VALUE_BYTES || !value.chars().all(is_plain) {
            continue;
        }
        let list = || {
            let words = value.split(',').filter(|word| !word.is_empty());
            words.map(str::to_owned).collect()
        };
        match name {
            "op" => request.op = value.to_owned(),
            "shape" => request.shape = value.to_owned(),
            "types" => request.types = list(),
            "target" => request.target = value.to_owned(),
            "a" => request.a = list(),
            "b" => request.b = list(),
            "c" => request.c = Some(value.to_owned()).filter(|value| !value.is_empty()),
            _ => {}
        }
    }
    Some(request)
}

/// Returns the link to a request of the Tensor Core arithmetic view.
pub fn write_link(request: &MmaRequest) -> String {
    let MmaRequest {
        op,
        shape,
        types,
        target,
        a,
        b,
        c,
    } = request;
    // Text that the user is typing may contain any character.
    let plain = |text: &str| -> String {
        text.chars()
            .filter(|c| c.is_ascii_alphanumeric() || "._,+-".contains(*c))
            .collect()
    };
    let list = |words: &[String]| plain(&words.join(","));
    let (types, a, b) = (list(types), list(a), list(b));
    let mut link =
        format!("{START}?op={op}&shape={shape}&types={types}&target={target}&a={a}&b={b}");
    if let Some(c) = c {
        link += &format!("&c={}", plain(c));
    }
    link
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mma_arithmetic::first_product;

    #[test]
    fn link_round_trips() {
        let request = first_product(Some("sm_90a"));
        assert_eq!(request.target, "sm_90");
        assert_eq!(read_link(&write_link(&request)), Some(request));
    }

    #[test]
    fn unrelated_hashes_are_not_mma_links() {
        assert_eq!(read_link("#matrix"), None);
        assert_eq!(read_link("#products"), None);
        let bare = read_link("#product").expect("the view itself");
        assert!(!bare.a.is_empty());
        let odd = read_link("#product?a=<b>,1&c=2").expect("a product");
        assert_eq!((odd.a, odd.c), (Vec::new(), Some("2".to_owned())));
    }
}
