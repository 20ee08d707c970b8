//! The codes of launch facts and of the hosts' doors: reference pages beside those of the front ends.

use crate::reference::CodePage;

/// Code, title, explanation, wrong, right.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("W0700", "unknown launch fact", "A line that starts with `//@` states a fact about the launch, and its first word says which.", "//@ lunch grid=2", "//@ launch grid=2"),
    ("W0701", "unreadable launch fact", "The launch line holds pairs such as `grid=4` or `block=16x16`: one to three numbers for `grid`, `block` and `cluster`, one number for `shared` (bytes) and `seed`, a kernel's name for `entry`.", "//@ launch grid=two", "//@ launch grid=2 block=32x4"),
    ("W0702", "unreadable buffer", "A buffer has a name, an element type with its extents, and perhaps initial values: one number for all, `iota`, or a list.", "//@ buffer out: f33[4]", "//@ buffer out: f32[4] = 0"),
    ("W0703", "unreadable scalar", "A scalar has a name, a type and a value that the type can hold.", "//@ scalar n: u8 = 300", "//@ scalar n: u32 = 300"),
    ("W0704", "unreadable expectation", "An expectation names a buffer that stands above it and lists its values after the launch, from the first element on.", "//@ expect nothing = 1", "//@ expect out = 1, 2, 3"),
    ("W0705", "parameter given twice", "Each parameter of the kernel is stated once.", "//@ scalar n: u32 = 1\n//@ scalar n: u32 = 2", "//@ scalar n: u32 = 1"),
    ("W0710", "no such kernel", "The launch names a kernel that the module does not define.", "//@ launch entry=nobody", "//@ launch entry=scale"),
    ("W0711", "no kernel", "A launch needs a kernel: a function declared with `.entry` that has a body. Modules of device functions can be checked, but not run.", ".func f() { ret; }", ".entry f() { ret; }"),
    ("W0712", "impossible structure", "A structure passed by value is a number of bytes with fields at offsets inside; fields are buffers, aliases or scalars.", "a field at offset 8 of a structure of 8 bytes", "a field at offset 0 of a structure of 8 bytes"),
    ("W0713", "buffer too large", "All memory of a launch must fit into one gibibyte.", "//@ buffer out: f32[274877906944]", "//@ buffer out: f32[1024]"),
    ("W0714", "initial values that do not fit", "An initial value must be one that the element type can hold, and there are at most as many as elements.", "//@ buffer out: u8[2] = 300", "//@ buffer out: u8[2] = 255"),
    ("W0715", "pointer to nothing", "An alias points to a buffer of the same launch, by name.", "an alias of `outt`", "an alias of `out`"),
    ("W0720", "impossible launch", "The launch breaks a bound of the machine or of the kernel: extents of at least one, blocks of at most 1024 threads, the sizes that `.reqntid` and `.maxntid` demand, as many arguments as the kernel has parameters, and memory within bounds.", "//@ launch block=2048", "//@ launch grid=2 block=1024"),
    ("W0900", "not a request", "Each line of a batch is a JSON object with `id` and `source`.", "{\"id\": 1}", "{\"id\": \"1\", \"source\": \"ret;\"}"),
    ("W0901", "unreadable argument", "An argument of the JavaScript API does not have the shape that its type says.", "new Session({ grid: 4 })", "new Session({ source, grid: [4, 1, 1] })"),
    ("W0902", "no such memory", "Memories are named as in `frame().memories`: a buffer by its name, `shared:0` for the shared memory of block 0, `var:table` for a module variable.", "session.memory(\"outt\")", "session.memory(\"out\")"),
    ("W0903", "unknown override", "The target and the PTX version that a host asks for must be ones that the tables know.", "warpgrid check --target sm_9", "warpgrid check --target sm_90"),
    ("W0930", "SASS is not read yet", "This version reads PTX; SASS stores follow.", "front: \"sass\"", "front: \"ptx\""),
];

/// The reference pages, in order of their codes.
pub(crate) fn pages() -> impl Iterator<Item = CodePage> {
    ROWS.iter()
        .map(|(code, title, explanation, wrong, right)| CodePage {
            code: (*code).to_owned(),
            title: (*title).to_owned(),
            explanation: (*explanation).to_owned(),
            wrong: (*wrong).to_owned(),
            right: (*right).to_owned(),
        })
}
