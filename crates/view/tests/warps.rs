//! Divergence, reconvergence, waits, calls and exits of lanes, with one kernel per file of `warps/`. Each file specifies the final contents
//! of its buffer, and the fault after `// stops:` if there is one.

use crate::common::{buffers_are_as_promised, entries};
use std::fs;
use std::path::Path;
use warpgrid_view::{Scenario, Session};

#[test]
fn warp_scheduling_kernels_match_expected_fault_and_buffers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/warps");
    let mut wrong = Vec::new();
    let kernels = entries(&folder);
    assert!(!kernels.is_empty(), "no kernel in {}", folder.display());
    for file in kernels {
        let source = fs::read_to_string(&file).expect("a kernel");
        let stops = source
            .lines()
            .find_map(|line| line.strip_prefix("// stops: "));
        let stops = stops.map(str::to_owned);
        let scenario = Scenario {
            source,
            ..Scenario::default()
        };
        let mut session = Session::new(scenario).expect("a kernel that starts");
        assert!(session.run(1_000_000), "{}: not over", file.display());
        let found = session.fault();
        let found = found.map(|f| format!("{}: {}", f.kind.name(), f.message));
        if found != stops {
            wrong.push(format!("{}: {found:?}", file.display()));
        }
        if let Err(reason) = buffers_are_as_promised(&session) {
            wrong.push(format!("{}: {reason}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
