//! Parser of the URL of a diagram, such as `#lens?op=wgmma.tile.a&type=f16&step=2`, or of only the parameters of such a URL, one parameter
//! per line. The module takes the URL or the parameters as text, and returns the request, and the diagram as a drawing or as text.

use crate::layouts::fragment::request::{FragmentRequest, FragmentRequestError};
use crate::layouts::inspector::element_map::ElementMap;
use crate::layouts::inspector::picture;
use crate::layouts::tensor::{has_layout, refusal};
use crate::url_encoding;
use crate::url_encoding::{FORMER_LAYOUTS, LAYOUTS, percent_encode};

/// Maximum length in bytes of a parameter value, for example of a layout expression.
const MAX_WORD_BYTES: usize = 512;
/// Maximum length of a query in bytes.
const MAX_QUERY_BYTES: usize = 8192;
/// Maximum number of cells in a drawing that a document contains.
const MAX_CELLS: u32 = 1 << 13;

/// Output format in which a host requests a diagram: a drawing, a text or a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    Svg,
    Text,
    /// URL fragment that opens the diagram on the page: `#layouts?…`.
    Link,
}

impl PictureFormat {
    /// Returns the format with the given name: `svg`, `text` or `link`.
    pub fn from_name(name: &str) -> Option<PictureFormat> {
        match name {
            "svg" => Some(PictureFormat::Svg),
            "text" => Some(PictureFormat::Text),
            "link" => Some(PictureFormat::Link),
            _ => None,
        }
    }
}

/// Parses a URL, the part of a URL after `?`, or a list of parameters with one parameter per line, and returns the request.
pub fn request(query: &str) -> Result<FragmentRequest, FragmentRequestError> {
    let mut request = FragmentRequest::default();
    let (mut stride, mut layout) = (None, None);
    for (name, value) in parameters(query)? {
        match name {
            "op" => request.op = value,
            "shape" => request.shape = value,
            "type" => request.ty = value,
            "target" => request.target = value,
            "stride" => stride = Some(value),
            "layout" => layout = Some(value),
            // Ignore these parameters, because they control the page and are not part of the request.
            "embed" | "beside" => {}
            _ => drop(request.with.insert(name.to_owned(), value)),
        }
    }
    if request.op.is_empty() {
        request.op = match request.with.contains_key("expression") {
            true => "layout".to_owned(),
            false => "wgmma.tile.a".to_owned(),
        };
    }
    if has_layout(&request.op) || picture::has_picture(&request.op) {
        let parameters = [("stride", stride), ("layout", layout)];
        for (name, value) in parameters {
            let value = value.map(|value| (name.to_owned(), value));
            request.with.extend(value);
        }
        return Ok(request);
    }
    request.layout = layout;
    request.with.remove("base");
    let stride = stride.map(|stride| {
        stride.parse().map_err(|_| {
            refusal(format!(
                "found the stride `{stride}`, expected a number of elements"
            ))
        })
    });
    request.stride = stride.transpose()?;
    Ok(request)
}

/// Returns the names and the decoded values of the parameters in a query.
fn parameters(query: &str) -> Result<Vec<(&str, String)>, FragmentRequestError> {
    if query.len() > MAX_QUERY_BYTES {
        return Err(refusal(format!(
            "the query has {} bytes, expected at most {MAX_QUERY_BYTES}",
            query.len()
        )));
    }
    let mut starts = std::iter::once(LAYOUTS).chain(FORMER_LAYOUTS);
    let after = starts.find_map(|start| query.split_once(start)?.1.strip_prefix('?'));
    // Decode percent-encoding only in a URL, because it is not used in a list with one parameter per line.
    let is_encoded = after.is_some() || query.contains('&');
    let parts = after
        .unwrap_or(query)
        .split(['&', '\n', '\r'])
        .map(str::trim);
    let parts = parts.zip(1..).filter(|(part, _)| !part.is_empty());
    let parameters = parts.map(|(part, number)| {
        let error = |expected: String| {
            let part = shortened(part);
            refusal(format!("part {number} of the query (`{part}`): expected {expected}"))
        };
        let (name, value) = part
            .split_once('=')
            .ok_or_else(|| error("NAME=VALUE such as `op=layout`".to_owned()))?;
        let value = match is_encoded {
            true => decoded(value.trim()),
            false => Some(value.trim().to_owned()),
        };
        let value = value.filter(|value| value.len() <= MAX_WORD_BYTES).ok_or_else(|| {
            error(format!(
                "a value of at most {MAX_WORD_BYTES} bytes, with `%` only before two hexadecimal digits"
            ))
        })?;
        Ok((name.trim(), value))
    });
    parameters.collect()
}

/// Formats the diagram that a query describes in the given format.
pub fn drawn(query: &str, form: PictureFormat) -> Result<String, FragmentRequestError> {
    let request = request(query)?;
    if form == PictureFormat::Link {
        return Ok(link(&request));
    }
    let map = ElementMap::new(&request)?;
    let n_cells = map.n_cells();
    match form {
        PictureFormat::Svg if n_cells > MAX_CELLS => Err(refusal(format!(
            "the diagram has {n_cells} cells, expected at most {MAX_CELLS} in a document: show fewer rows or steps"
        ))),
        PictureFormat::Svg => Ok(map.svg()),
        PictureFormat::Text | PictureFormat::Link => Ok(map.table()),
    }
}

/// Returns the URL fragment of a request.
pub fn link(request: &FragmentRequest) -> String {
    format!("{LAYOUTS}?{}", parts(request).join("&"))
}

/// Returns the parameters in the URL of a request, each in the form `name=value`: `op=store.d`.
pub fn parts(request: &FragmentRequest) -> Vec<String> {
    let FragmentRequest {
        op,
        shape,
        ty,
        target,
        layout,
        stride,
        with,
    } = request;
    let stride = stride.map(|stride| stride.to_string());
    let own = [
        ("op", Some(op)),
        ("shape", Some(shape)),
        ("type", Some(ty)),
        ("target", Some(target)),
        ("layout", layout.as_ref()),
        ("stride", stride.as_ref()),
    ];
    let own = own
        .into_iter()
        .filter_map(|(name, word)| Some((name, word?)));
    let words = own.chain(with.iter().map(|(name, word)| (name.as_str(), word)));
    let words = words.filter(|(_, word)| !word.is_empty());
    words
        .map(|(name, word)| format!("{name}={}", percent_encode(word)))
        .collect()
}

/// Decodes a percent-encoded parameter value. Returns `None` if the decoded value is too long or is not a single line of text.
pub fn decoded(value: &str) -> Option<String> {
    if value.len() > 3 * MAX_WORD_BYTES {
        return None;
    }
    let word = url_encoding::percent_decode(value)?;
    let is_plain = word.len() <= MAX_WORD_BYTES && !word.contains(|c: char| c.is_control());
    is_plain.then_some(word)
}

fn shortened(part: &str) -> String {
    const MAX: usize = 40;
    match part.char_indices().nth(MAX) {
        Some((end, _)) => format!("{}…", part.get(..end).unwrap_or_default()),
        None => part.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_and_key_value_lines_parse_to_same_request() {
        let link = "https://example.org/index.html#lens?op=wgmma.tile.a&type=f16&stride=512&shown=what%20is%20read";
        let words = "op=wgmma.tile.a\n  type = f16\nstride=512\nshown=what is read\n";
        for name in ["layouts", "matrix"] {
            assert_eq!(request(&link.replace("lens", name)), request(link));
        }
        let of_link = request(link).expect("a request");
        assert_eq!(request(words), Ok(of_link.clone()));
        assert_eq!(request(&super::link(&of_link)), Ok(of_link));
        let fragment =
            request("op=store.d&shape=m16n16k16&type=f32&target=sm_80&layout=row&stride=20");
        let fragment = fragment.expect("a request");
        assert_eq!(
            (fragment.layout.as_deref(), fragment.stride),
            (Some("row"), Some(20))
        );
        let written = "expression=Swizzle<2,1,3> o (8,4):(1,8)";
        assert_eq!(
            request(written).map(|found| found.op),
            Ok("layout".to_owned())
        );
        assert!(drawn(written, PictureFormat::Svg).is_ok_and(|svg| svg.starts_with("<svg")));
        assert!(drawn(written, PictureFormat::Text).is_ok_and(|text| text.contains("Coalesced")));
    }

    #[test]
    fn invalid_query_error_names_position() {
        let error_of = |query: &str| match drawn(query, PictureFormat::Svg) {
            Ok(_) => "drawn".to_owned(),
            Err(refusal) => refusal.message,
        };
        assert_eq!(
            error_of("op=layout&nothing"),
            "part 2 of the query (`nothing`): expected NAME=VALUE such as `op=layout`"
        );
        assert!(
            error_of("#lens?op=layout&expression=%zz")
                .starts_with("part 2 of the query (`expression=%zz`): expected a value")
        );
        assert!(error_of("expression=(8,4):(4").starts_with("column 9: found the end"));
        assert!(
            error_of("op=odd").contains("`odd`"),
            "{}",
            error_of("op=odd")
        );
        assert!(error_of("expression=(128,256)").contains("32768 cells, expected at most 8192"));
        assert!(error_of(&"&".repeat(9000)).starts_with("the query has 9000 bytes"));
        assert_eq!(
            error_of("op=store.d&stride=x"),
            "found the stride `x`, expected a number of elements"
        );
    }
}
