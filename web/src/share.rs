//! Conversion between the view state of the page and the named fields of a link (`crates/share`), from which `web/editor/share.js` creates
//! the link.

use crate::model::{Focus, GridViewOptions, Model, Overlay, Zoom};
use std::rc::Rc;
use warpgrid_view::value::ElementType;
use warpgrid_view::{MemoryKey, SourceLanguage};

/// View state that a link contains. Fields with unknown values are ignored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SharedView {
    pub step: Option<u64>,
    pub target: Option<String>,
    pub ptx_version: Option<String>,
    pub entry: Option<String>,
    pub seed: Option<u64>,
    /// `//@` lines of the launch configuration that was inferred when the link was created.
    pub inferred_annotations: Option<String>,
    pub pin: Option<Focus>,
    pub warp: Option<(u64, u32)>,
    pub hex_registers: bool,
    pub grids: Vec<(MemoryKey, GridViewOptions)>,
    /// Second source of a comparison, and the number of stores that determines the shown position.
    pub beside: Option<(Rc<str>, u64)>,
}

impl SharedView {
    /// Reads the view state from a link. `fact` returns the value of a link field by its name.
    pub fn read(fact: &dyn Fn(&str) -> Option<String>) -> SharedView {
        let number = |name: &str| read_number(&fact(name)?);
        let pin = fact("view.pin").and_then(|words| read_focus(&words));
        let grids = fact("view.grids").unwrap_or_default();
        let grids = grids.lines().filter_map(|line| line.split_once('\t'));
        let mut grids: Vec<_> = grids
            .map(|(memory, words)| (MemoryKey::from(memory), read_grid(words)))
            .collect();
        if let Some(Focus::Cell { memory, index }) = &pin {
            if !grids.iter().any(|(of, _)| of == memory) {
                grids.push((memory.clone(), GridViewOptions::default()));
            }
            for (_, choice) in grids.iter_mut().filter(|(of, _)| of == memory) {
                choice.scroll_to_element = Some(*index);
            }
        }
        SharedView {
            step: number("view.step"),
            target: fact("target"),
            ptx_version: fact("ptx_version"),
            entry: fact("entry"),
            seed: number("seed"),
            inferred_annotations: fact("guessed"),
            pin,
            warp: fact("view.warp").and_then(|words| {
                let (warp, block) = words.split_once(" of block ")?;
                Some((read_number(block)?, read_small(warp)?))
            }),
            hex_registers: fact("view.registers").is_some_and(|words| words == "hex"),
            grids,
            beside: fact("beside.source").map(|other| {
                let stores = number("view.stores").unwrap_or(u64::MAX);
                (Rc::from(other), stores)
            }),
        }
    }
}

/// Name and value of a link field.
pub type LinkField = (String, String);

/// Returns the view state of the page as link fields, which are also included in problem reports.
pub fn link_fields(model: &Model) -> Vec<LinkField> {
    let mut facts = Vec::new();
    let mut add = |name: &str, value: Option<String>| {
        facts.extend(value.map(|value| (name.to_owned(), value)));
    };
    let number = |n: u64| n.to_string();
    add(
        "front",
        (model.front != SourceLanguage::Ptx).then(|| model.front.name().to_owned()),
    );
    add("target", model.target.clone());
    add("ptx_version", model.ptx_version.clone());
    add("entry", model.entry.clone());
    add("seed", model.seed.map(number));
    add("view.pin", model.pinned.as_ref().map(write_focus));
    let warp = |(block, warp): (u64, u32)| format!("{warp} of block {block}");
    add("view.warp", model.warp.map(warp));
    add(
        "view.registers",
        model.hex_registers.then(|| "hex".to_owned()),
    );
    for (memory, choice) in &model.views {
        let words = write_grid(choice);
        add(
            &format!("view.grids.{memory}"),
            Some(words).filter(|words| !words.is_empty()),
        );
    }
    if let Some(page) = model
        .screen
        .beside()
        .filter(|page| !page.is_editing_second_source)
    {
        add("beside.source", Some(page.other.to_string()));
        add("view.stores", Some(number(page.look.position)));
    }
    add("example", model.example_id().map(str::to_owned));
    add("default_step", model.default_step.map(number));
    if let Some(frame) = &model.run.frame {
        add("view.step", Some(number(frame.position)));
        let sentence = frame.sentence.iter().map(|phrase| &*phrase.text);
        let fault = frame.fault.as_ref();
        let said = fault.map(|fault| fault.message.clone());
        add("said", said.or_else(|| Some(sentence.collect())));
        if let Some(fault) = fault {
            add("fault.kind", Some(fault.kind.name().to_owned()));
            add("fault.buffer", fault.buffer.clone());
            add(
                "fault.byte_offset",
                fault.byte_offset.map(|n| n.to_string()),
            );
        }
    }
    add("warpgrid", Some(env!("CARGO_PKG_VERSION").to_owned()));
    if let Some(launch) = &model.run.facts {
        add("kernel", launch.entry.clone());
        let guessed = launch.guesses.join("\n");
        add("guessed", Some(guessed).filter(|lines| !lines.is_empty()));
    }
    facts
}

fn write_focus(focus: &Focus) -> String {
    match focus {
        Focus::Cell { memory, index } => format!("cell {index} of {memory}"),
        Focus::Lane(lane) => format!("lane {lane}"),
        Focus::Line(line) => format!("line {line}"),
        Focus::Register(name) => format!("register {name}"),
        Focus::Element { operand, cell } => format!("element {cell} of {operand}"),
    }
}

/// Parses a focus in the notation of links, as in `cell 3 of out`.
pub fn read_focus(words: &str) -> Option<Focus> {
    let (kind, rest) = words.split_once(' ')?;
    let of = || rest.split_once(" of ");
    match kind {
        "cell" => of().and_then(|(index, memory)| {
            Some(Focus::Cell {
                memory: MemoryKey::from(memory),
                index: read_number(index)?,
            })
        }),
        "lane" => read_small(rest)
            .filter(|lane| *lane < 32)
            .map(|lane| Focus::Lane(lane as u8)),
        "line" => read_small(rest).map(Focus::Line),
        "register" => Some(Focus::Register(rest.to_owned())),
        "element" => of().and_then(|(cell, operand)| {
            Some(Focus::Element {
                operand: read_small(operand)? as usize,
                cell: read_small(cell)? as usize,
            })
        }),
        _ => None,
    }
}

/// Parses an integer as `u64`. All integers are parsed with this type, because each integer type would add a copy of the parser.
fn read_number(digits: &str) -> Option<u64> {
    digits.parse().ok()
}

fn read_small(digits: &str) -> Option<u32> {
    read_number(digits).and_then(|n| u32::try_from(n).ok())
}

const COLUMNS: &str = "columns=";
const CELL: &str = "cell=";
/// Maximum number of columns that a link can select. No grid has more columns.
const MAX_COLUMNS: u32 = 4_096;

fn write_grid(choice: &GridViewOptions) -> String {
    let mut words = Vec::new();
    words.extend(choice.ty.map(|ty| ty.name().to_owned()));
    words.extend(choice.columns.map(|columns| format!("{COLUMNS}{columns}")));
    words.extend(match choice.overlay {
        Overlay::Value => None,
        Overlay::Lane => Some("lane".to_owned()),
        Overlay::LastStep => Some("age".to_owned()),
    });
    words.extend(match choice.zoom {
        Zoom::Fit => None,
        Zoom::Full => Some("full".to_owned()),
        Zoom::Pixels(size) => Some(format!("{CELL}{size}")),
    });
    words.extend(choice.table.then(|| "table".to_owned()));
    words.extend(choice.folded.then(|| "folded".to_owned()));
    words.join(" ")
}

fn read_grid(words: &str) -> GridViewOptions {
    let mut choice = GridViewOptions::default();
    for word in words.split(' ') {
        match word {
            "lane" => choice.overlay = Overlay::Lane,
            "age" => choice.overlay = Overlay::LastStep,
            "full" => choice.zoom = Zoom::Full,
            "table" => choice.table = true,
            "folded" => choice.folded = true,
            _ => match (word.strip_prefix(COLUMNS), word.strip_prefix(CELL)) {
                (Some(n), _) => {
                    let columns = read_small(n);
                    choice.columns = columns.filter(|n| (1..=MAX_COLUMNS).contains(n));
                }
                (None, Some(n)) => {
                    choice.zoom = read_small(n).and_then(Zoom::of_pixels).unwrap_or_default();
                }
                (None, None) => choice.ty = ElementType::from_name(word).or(choice.ty),
            },
        }
    }
    choice
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Action, reduce};

    /// Returns the view state of a link that contains the given fields.
    fn linked(facts: &[LinkField]) -> SharedView {
        let grids: Vec<_> = facts
            .iter()
            .filter_map(|(name, words)| {
                Some(format!("{}\t{words}", name.strip_prefix("view.grids.")?))
            })
            .collect();
        SharedView::read(&|name| match name {
            "view.grids" => Some(grids.join("\n")),
            _ => facts
                .iter()
                .find(|(of, _)| of == name)
                .map(|(_, words)| words.clone()),
        })
    }

    #[test]
    fn page_state_round_trips_through_link() {
        let out = MemoryKey::from("out");
        let pins = [
            Focus::Cell {
                memory: MemoryKey::Shared(3),
                index: 17,
            },
            Focus::Lane(5),
            Focus::Line(7),
            Focus::Register("%rd1".into()),
            Focus::Element {
                operand: 2,
                cell: 9,
            },
        ];
        for pin in pins {
            let mut model = Model::new("ret;", None);
            model.target = Some("sm_90".into());
            (model.entry, model.seed) = (Some("k".into()), Some(4));
            (model.warp, model.hex_registers) = (Some((2, 1)), true);
            model.pinned = Some(pin.clone());
            let choice = GridViewOptions {
                ty: Some(ElementType::F16),
                columns: Some(8),
                overlay: Overlay::LastStep,
                zoom: Zoom::Pixels(4),
                table: true,
                folded: true,
                ..GridViewOptions::default()
            };
            model.views.insert(out.clone(), choice);
            let facts = link_fields(&model);
            let opened = reduce(
                Model::new("", None),
                Action::OpenShared("ret;".into(), Box::new(linked(&facts))),
            );
            assert_eq!(super::link_fields(&opened), facts);
            assert_eq!(opened.pinned, Some(pin));
        }
    }

    #[test]
    fn invalid_view_values_are_ignored() {
        let facts = [
            ("view.pin", "lane 32"),
            ("view.warp", "first of block two"),
            ("view.step", "soon"),
            ("view.grids.out", "f33 columns=0 cell=3 hue"),
        ];
        let facts = facts.map(|(name, words)| (name.to_owned(), words.to_owned()));
        let found = linked(&facts);
        assert_eq!((found.pin, found.warp, found.step), (None, None, None));
        let out = (MemoryKey::from("out"), GridViewOptions::default());
        assert_eq!(found.grids, [out]);
    }

    #[test]
    fn pinned_cell_is_scrolled_into_view() {
        let facts = [("view.pin".to_owned(), "cell 900 of out".to_owned())];
        let grids = linked(&facts).grids;
        assert_eq!(grids[0].0, MemoryKey::from("out"));
        assert_eq!(grids[0].1.scroll_to_element, Some(900));
    }

    #[test]
    fn inferred_annotations_of_link_apply_until_source_is_edited() {
        let lines = "//@ launch grid=1 block=64";
        let facts = [("guessed".to_owned(), lines.to_owned())];
        let shared = Action::OpenShared("ret;".into(), Box::new(linked(&facts)));
        let model = reduce(Model::new("", None), shared);
        assert_eq!(model.annotated_source(), format!("ret;\n{lines}"));
        let edited = Action::Edited {
            text: "ret; ret;".into(),
            replaces_source: false,
        };
        assert_eq!(reduce(model, edited).annotated_source(), "ret; ret;");
    }

    #[test]
    fn second_source_of_link_opens_comparison() {
        let facts = [("beside.source", "EXIT;"), ("view.stores", "3")];
        let facts = facts.map(|(name, words)| (name.to_owned(), words.to_owned()));
        let shared = Action::OpenShared("ret;".into(), Box::new(linked(&facts)));
        let model = reduce(Model::new("", None), shared);
        let page = model.screen.beside().cloned().expect("the view is open");
        assert_eq!((&*page.source, &*page.other), ("ret;", "EXIT;"));
        assert_eq!(
            (page.is_editing_second_source, page.look.position),
            (false, 3)
        );
    }
}
