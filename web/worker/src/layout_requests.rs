//! Layout diagrams in a worker: computes the requested diagrams and their exports. Only the worker module that is loaded later contains
//! this code, so that the other modules are small.

use crate::protocol::{EditorRequest, EditorResponse, RequestBody, ResponseBody};
use warpgrid_view::layouts::fragment::every_operation;
use warpgrid_view::layouts::inspector::picture;
use warpgrid_view::layouts::tensor;

/// Returns the response to a request, or `None` if the request does not concern a layout diagram.
pub(crate) fn answer(body: &RequestBody) -> Option<ResponseBody> {
    match body {
        RequestBody::Fragments { request, .. } => {
            let found = picture::picture(request, every_operation().collect())?;
            Some(ResponseBody::Layout(Box::new(found)))
        }
        RequestBody::Editor(EditorRequest::FragmentSvg(request)) => {
            let svg = picture::layout(request).ok().as_ref().map(tensor::svg);
            Some(ResponseBody::Answer(EditorResponse::FragmentSvg(svg)))
        }
        RequestBody::Editor(EditorRequest::FragmentTable(request)) => {
            let table = picture::layout(request).ok().as_ref().map(tensor::table);
            Some(ResponseBody::Answer(EditorResponse::FragmentTable(table)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::WorkerKind;
    use warpgrid_view::layouts::fragment::FragmentRequest;

    fn request(op: &str) -> FragmentRequest {
        FragmentRequest {
            op: op.into(),
            ..FragmentRequest::default()
        }
    }

    #[test]
    fn layout_inspector_requests_use_extended_worker() {
        let ask = |op: &str| RequestBody::Fragments {
            request: request(op),
            base_bytes: 0,
            beside: None,
        };
        assert_eq!(ask("wgmma.tile.a").core(), Some(WorkerKind::Extended));
        assert_eq!(ask("wgmma.a").core(), None);
        assert!(
            matches!(answer(&ask("layout")), Some(ResponseBody::Layout(found)) if found.view.is_some())
        );
        assert_eq!(answer(&ask("wgmma.a")), None);
        let table = RequestBody::Editor(EditorRequest::FragmentTable(request("chain")));
        assert_eq!(table.core(), Some(WorkerKind::Extended));
        assert!(matches!(
            answer(&table),
            Some(ResponseBody::Answer(EditorResponse::FragmentTable(Some(_))))
        ));
    }
}
