//! Tests of the registers that lowered instructions read and write.

use warpgrid_isa::Target;
use warpgrid_program::{FrontEnd, Overrides};
use warpgrid_sass::Sass;

#[test]
fn constant_bank_load_reads_index_register() {
    let overrides = Overrides {
        target: Target::from_name("sm_90"),
        ..Overrides::default()
    };
    let checked = Sass.check("LDC R2, c[0x0][R4+0x210] ;\nEXIT ;\n", &overrides);
    let program = checked.program.expect("a program");
    let (_, function) = program.entries().next().expect("a kernel");
    let names = |ids: Vec<_>| -> Vec<&str> {
        let names = ids.into_iter().map(|id| function.registers.name(id));
        names.collect()
    };
    let mut instructions = function.instructions.iter();
    let load = instructions.find(|i| names(function.destinations(i)) == ["R2"]);
    assert_eq!(names(function.sources(load.expect("a load"))), ["R4"]);
}
