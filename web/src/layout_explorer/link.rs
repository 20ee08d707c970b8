//! URL fragment of the Layout Explorer: `#layouts?op=store.d&shape=m16n16k16&type=f32&target=sm_80&layout=row&stride=20&base=0&beside=sm_70`.

use super::LayoutQuery;
use warpgrid_view::layouts::inspector::picture::has_picture;
use warpgrid_view::layouts::inspector::picture_url::{decoded, parts};
use warpgrid_view::layouts::tensor::has_layout;
use warpgrid_view::url_encoding::{FORMER_LAYOUTS, LAYOUTS};

/// Operation that is assumed if a link contains a descriptor but no operation.
const DESCRIPTOR_OP: &str = "wgmma.tile.a";
/// Maximum length of a link parameter in bytes.
const MAX_VALUE_BYTES: usize = 64;

/// Parses a URL fragment, including `#`. Returns `None` if it is not a link to the Layout Explorer. Parameters that cannot be parsed are
/// recorded, and the worker uses default values for them.
pub fn read_link(hash: &str) -> Option<LayoutQuery> {
    let mut starts = std::iter::once(LAYOUTS).chain(FORMER_LAYOUTS);
    let rest = starts.find_map(|start| hash.strip_prefix(start))?;
    let parts = match rest.strip_prefix('?') {
        Some(parts) => parts,
        None if rest.is_empty() => "",
        None => return None,
    };
    let mut choice = LayoutQuery::default();
    for part in parts.split('&') {
        read_part(part, &mut choice);
    }
    let is_of_descriptor =
        hash.starts_with("#lens") || choice.request.with.contains_key("descriptor");
    if is_of_descriptor && choice.request.op.is_empty() {
        choice.request.op = DESCRIPTOR_OP.to_owned();
    }
    assign_words(&mut choice);
    choice.request.stride = choice
        .request
        .stride
        .map(|stride| stride.min(LayoutQuery::MAX_STRIDE));
    Some(choice)
}

/// Parses one link parameter of the form `name=value`.
fn read_part(part: &str, choice: &mut LayoutQuery) {
    let (name, value) = part.split_once('=').unwrap_or((part, ""));
    let is_name = |c: char| c.is_ascii_alphanumeric() || "._:".contains(c);
    if value.len() > MAX_VALUE_BYTES || !value.chars().all(is_name) {
        let is_word = !NAMES.contains(&name) && !name.is_empty() && part.contains('=');
        match decoded(value).filter(|_| is_word) {
            Some(word) => drop(choice.request.with.insert(name.to_owned(), word)),
            None => choice.unknown_parameters.push(shortened(part)),
        }
        return;
    }
    let text = || value.to_owned();
    let request = &mut choice.request;
    let is_number = match name {
        "stride" => value
            .parse()
            .is_ok_and(|n: u32| n <= LayoutQuery::MAX_STRIDE),
        "base" => value.parse().is_ok_and(|n: u64| n <= LayoutQuery::MAX_BASE),
        _ => true,
    };
    if !is_number {
        choice.unknown_parameters.push(shortened(part));
    }
    match name {
        "op" => request.op = text(),
        "shape" => request.shape = text(),
        "type" => request.ty = text(),
        "target" => request.target = text(),
        "layout" => request.layout = Some(text()),
        "stride" => request.stride = value.parse().ok(),
        "base" => choice.base_bytes = value.parse().unwrap_or(0).min(LayoutQuery::MAX_BASE),
        "beside" => choice.beside = Some(text()),
        "embed" => choice.embedded = true,
        "" => {}
        _ if part.contains('=') => {
            request.with.insert(name.to_owned(), text());
        }
        _ => choice.unknown_parameters.push(shortened(part)),
    }
}

/// Moves the remaining parameters of a link to the request of a layout operation, which has its own stride and base. Other operations have
/// no further parameters.
fn assign_words(choice: &mut LayoutQuery) {
    let op = &choice.request.op;
    if has_layout(op) || has_picture(op) {
        let with = &mut choice.request.with;
        let stride = choice.request.stride.take();
        let base = std::mem::take(&mut choice.base_bytes);
        with.extend(stride.map(|stride| ("stride".to_owned(), stride.to_string())));
        if base > 0 {
            with.insert("base".to_owned(), base.to_string());
        }
    } else {
        let words = std::mem::take(&mut choice.request.with);
        let parts = words
            .iter()
            .map(|(name, value)| shortened(&format!("{name}={value}")));
        choice.unknown_parameters.extend(parts);
    }
}

/// Names of the parameters that every operation has.
const NAMES: [&str; 9] = [
    "op", "shape", "type", "target", "layout", "stride", "base", "beside", "embed",
];

/// Shortens a link parameter for display.
fn shortened(part: &str) -> String {
    match part.char_indices().nth(MAX_VALUE_BYTES) {
        Some((end, _)) => format!("{}…", &part[..end]),
        None => part.to_owned(),
    }
}

impl LayoutQuery {
    /// Returns the settings that decode a matrix descriptor in hexadecimal notation.
    pub fn of_descriptor(descriptor: &str) -> LayoutQuery {
        let mut choice = LayoutQuery::default();
        choice.request.op = DESCRIPTOR_OP.to_owned();
        let with = &mut choice.request.with;
        with.insert("descriptor".to_owned(), descriptor.to_owned());
        choice
    }
}

/// Returns the link to the diagram of a layout expression.
pub fn layout_link(layout: &str) -> String {
    let mut choice = LayoutQuery::default();
    choice.request.op = "layout".to_owned();
    let with = &mut choice.request.with;
    with.insert("expression".to_owned(), layout.to_owned());
    write_link(&choice)
}

/// Returns the link to a query of the Layout Explorer.
pub fn write_link(choice: &LayoutQuery) -> String {
    let mut parts = parts(&choice.request);
    parts.extend((choice.base_bytes > 0).then(|| format!("base={}", choice.base_bytes)));
    let beside = choice.beside.iter().filter(|target| !target.is_empty());
    parts.extend(beside.map(|target| format!("beside={target}")));
    parts.extend(choice.embedded.then(|| "embed".to_owned()));
    match parts.is_empty() {
        true => LAYOUTS.to_owned(),
        false => format!("{LAYOUTS}?{}", parts.join("&")),
    }
}

impl LayoutQuery {
    /// Maximum offset of the matrix in bytes from a 256-byte boundary.
    pub const MAX_BASE: u64 = 255;
    /// Maximum stride of the matrix in elements.
    pub const MAX_STRIDE: u32 = 65_536;
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpgrid_view::layouts::fragment::FragmentRequest;

    #[test]
    fn link_round_trips() {
        let choice = LayoutQuery {
            request: FragmentRequest {
                op: "load.a".into(),
                shape: "m16n16k16".into(),
                ty: "f16".into(),
                target: "sm_70".into(),
                layout: Some("col".into()),
                stride: Some(24),
                ..FragmentRequest::default()
            },
            base_bytes: 16,
            beside: Some("sm_80".into()),
            embedded: true,
            ..LayoutQuery::default()
        };
        assert_eq!(read_link(&write_link(&choice)), Some(choice));
        let empty = LayoutQuery::default();
        assert_eq!(write_link(&empty), "#layouts");
        assert_eq!(read_link("#layouts"), Some(empty.clone()));
        assert_eq!(read_link("#matrix"), Some(empty));
    }

    #[test]
    fn legacy_links_open_same_layout() {
        for parts in [
            "?op=store.d&shape=m16n16k16&type=f32",
            "?op=copy.tile&base=128",
        ] {
            let choice = read_link(&format!("#layouts{parts}"));
            assert!(choice.is_some(), "{parts}");
            assert_eq!(read_link(&format!("#matrix{parts}")), choice, "{parts}");
            assert_eq!(read_link(&format!("#lens{parts}")), choice, "{parts}");
        }
        // `#lens` and links with a descriptor select a default operation.
        let op = |link: &str| read_link(link).expect("a link").request.op;
        assert_eq!(op("#lens"), DESCRIPTOR_OP);
        assert_eq!(op("#layouts"), "");
    }

    #[test]
    fn settings_of_descriptor_have_a_link() {
        let choice = LayoutQuery::of_descriptor("0x4000004000010040");
        assert_eq!(
            write_link(&choice),
            "#layouts?op=wgmma.tile.a&descriptor=0x4000004000010040"
        );
    }

    #[test]
    fn layout_parameters_round_trip() {
        let link = "#layouts?op=tcgen05.cp&shape=64x128b.warpx2::02_13";
        let choice = read_link(link).expect("a link");
        assert_eq!(
            (
                write_link(&choice).as_str(),
                choice.unknown_parameters.len()
            ),
            (link, 0)
        );
        let link = "#layouts?op=wgmma.shared.a&type=f16&major=mn&swizzle=64B";
        let choice = read_link(link).expect("a link");
        assert_eq!(choice.request.with.len(), 2);
        assert_eq!(write_link(&choice), link);
        let earlier = read_link(&link.replace("#layouts", "#matrix"));
        assert_eq!(earlier, Some(choice));
        let choice = read_link("#layouts?op=store.d&swizzle=64B").expect("a link");
        assert_eq!(choice.unknown_parameters, ["swizzle=64B"]);
    }

    #[test]
    fn layout_expression_round_trips() {
        let written = "Swizzle<3,4,3> o ((8,2),64):((64,512),1)";
        let mut choice = LayoutQuery::default();
        choice.request.op = "layout".into();
        choice
            .request
            .with
            .insert("expression".into(), written.into());
        let link = write_link(&choice);
        assert!(
            link.starts_with("#layouts?op=layout&expression=Swizzle%3C3%2C4"),
            "{link}"
        );
        assert_eq!(read_link(&link), Some(choice));
        for start in ["#layouts", "#matrix", "#lens"] {
            let link = format!("{start}?descriptor=0x4000004000010040");
            let tile = read_link(&link).expect("a link");
            assert_eq!(
                (tile.request.op.as_str(), tile.unknown_parameters.len()),
                ("wgmma.tile.a", 0),
                "{start}"
            );
        }
        for odd in ["%4", "%zz", "%00", "%ff"] {
            let choice =
                read_link(&format!("#layouts?op=layout&expression={odd}")).expect("a link");
            assert_eq!(choice.unknown_parameters.len(), 1, "{odd}");
        }
    }

    #[test]
    fn tensor_layout_stride_and_base_stay_layout_parameters() {
        let link = "#lens?op=wgmma.tile.a&swizzle=none&stride=256&base=3";
        let choice = read_link(link).expect("a link");
        let word = |name: &str| choice.request.with.get(name).map(String::as_str);
        assert_eq!((word("stride"), word("base")), (Some("256"), Some("3")));
        assert_eq!((choice.request.stride, choice.base_bytes), (None, 0));
        assert_eq!(read_link(&write_link(&choice)), Some(choice));
    }

    #[test]
    fn unrelated_hashes_are_not_layout_links() {
        for hash in ["", "#", "#matrixes", "#layouted", "#other?op=store.d"] {
            assert_eq!(read_link(hash), None, "{hash}");
        }
    }

    #[test]
    fn invalid_parameter_values_are_ignored() {
        let choice =
            read_link("#matrix?op=<script>&stride=-1&base=99999999999&nothing&shape=m8n8k4")
                .expect("a link");
        assert_eq!(choice.request.op, "");
        assert_eq!(choice.request.stride, None);
        assert_eq!(choice.base_bytes, LayoutQuery::MAX_BASE);
        assert_eq!(choice.request.shape, "m8n8k4");
    }
}
