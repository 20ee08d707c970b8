//! Parser for the output of `cuobjdump -ptx` and `cuobjdump -all`, which consists of PTX modules, each after the header of its fat binary
//! entry. The document skips the headers, and checks each module separately. By default, hosts execute the first module without errors.

use crate::embedded::{Embedded, place};
use crate::symbols;
use std::borrow::Cow;
use warpgrid_program::container::{ContainerFormat, FATBIN_PTX_HEADER};
use warpgrid_program::{
    CheckResult, CompletionItem, Diagnostic, Document, EmbeddedSnippet, FrontEnd, Hover,
    MappedSource, Overrides, SemanticToken, Severity, SignatureHelp, Span, SymbolIndex,
};

/// Headers of fat binary entries. `elf` entries contain machine code.
const HEADERS: [&str; 2] = [FATBIN_PTX_HEADER, "Fatbin elf code:"];

/// PTX modules in the output of `cuobjdump`, each with its architecture and its source map.
#[derive(Clone, Debug)]
pub(crate) struct FatbinText {
    modules: Vec<Module>,
}

#[derive(Clone, Debug)]
struct Module {
    /// Architecture that the header of the module specifies, such as `sm_89`.
    name: String,
    text: MappedSource,
}

impl FatbinText {
    /// Parses the output of `cuobjdump`. Returns `None` if no line of the text is the header of a fat binary entry with PTX.
    pub(crate) fn read(source: &str) -> Option<FatbinText> {
        if ContainerFormat::of_source(source) != Some(ContainerFormat::Fatbin) {
            return None;
        }
        let mut modules: Vec<Module> = Vec::new();
        let mut is_header = true;
        let mut start = 0;
        for line in source.split_inclusive('\n') {
            let text = line.trim();
            if HEADERS.contains(&text) {
                is_header = true;
                modules.push(Module {
                    name: String::new(),
                    text: MappedSource::default(),
                });
            }
            if let Some(module) = modules.last_mut() {
                if is_header
                    && let Some((key, value)) = text.split_once('=')
                    && key.trim() == "arch"
                {
                    value.trim().clone_into(&mut module.name);
                }
                is_header &= !begins_module(text);
                if !is_header {
                    module.text.copy(line, start);
                }
            }
            start += line.len() as u32;
        }
        modules.retain(|module| !module.text.text.trim().is_empty());
        (!modules.is_empty()).then_some(FatbinText { modules })
    }

    /// Returns the semantic tokens of all modules.
    pub(crate) fn tokens(&self, inner: &dyn FrontEnd) -> Vec<SemanticToken> {
        let of_module = |module: &Module| {
            let tokens = inner.tokens(&module.text.text).into_iter();
            let placed = tokens.flat_map(|token| {
                let places = module.text.map.pieces_of(token.span);
                places.map(move |span| SemanticToken {
                    span,
                    class: token.class,
                })
            });
            placed.collect::<Vec<_>>()
        };
        self.modules.iter().flat_map(of_module).collect()
    }
}

/// Checks whether a line is the first line of a module, which is a comment or a directive. The lines of a fat binary header have the form
/// `key = value` instead.
fn begins_module(line: &str) -> bool {
    line.starts_with(['.', '/', '{'])
}

/// Open document of an editor that consists of the PTX modules of a fat binary.
pub(crate) struct FatbinDocument<'a> {
    source: Cow<'a, str>,
    modules: Vec<(Module, Box<dyn Document>)>,
}

impl<'a> FatbinDocument<'a> {
    pub(crate) fn new(
        source: Cow<'a, str>,
        text: FatbinText,
        inner: &'static dyn FrontEnd,
        overrides: &Overrides,
    ) -> FatbinDocument<'a> {
        let open = |module: Module| {
            let own = Cow::Owned(module.text.text.clone());
            let document = inner.open(own, overrides);
            (module, document)
        };
        FatbinDocument {
            source,
            modules: text.modules.into_iter().map(open).collect(),
        }
    }

    fn at(&self, offset: u32) -> Option<Embedded<'_>> {
        let mut modules = self.modules.iter();
        modules.find_map(|(module, document)| Embedded::at(&module.text, document.as_ref(), offset))
    }
}

impl Document for FatbinDocument<'_> {
    fn source(&self) -> &str {
        &self.source
    }

    fn check(&self) -> CheckResult {
        self.check_snippet(None)
    }

    fn check_snippet(&self, name: Option<&str>) -> CheckResult {
        let mut diagnostics: Vec<Diagnostic> = Vec::new();
        let mut chosen: Option<CheckResult> = None;
        for (module, document) in &self.modules {
            let mut checked = document.check();
            for found in &mut checked.diagnostics {
                place(found, &module.text);
            }
            diagnostics.append(&mut checked.diagnostics);
            let is_named = name.is_none_or(|name| name == module.name);
            if is_named && chosen.is_none() && checked.program.is_some() {
                checked.origin = Some(module.text.clone());
                checked.part = Some(module.name.clone());
                chosen = Some(checked);
            }
        }
        CheckResult {
            diagnostics,
            ..chosen.unwrap_or_default()
        }
    }

    fn snippets(&self) -> Vec<EmbeddedSnippet> {
        let part = |(module, document): &(Module, Box<dyn Document>)| {
            let checked = document.check();
            let is_error = |found: &Diagnostic| found.severity == Severity::Error;
            let end = module.text.text.len() as u32;
            EmbeddedSnippet {
                name: module.name.clone(),
                span: module.text.map.span(Span::new(0, end)),
                text: module.text.text.clone(),
                accept: !checked.diagnostics.iter().any(is_error),
                target: checked.assumed_target,
                version: checked.assumed_version,
                operands: Vec::new(),
                note: None,
            }
        };
        self.modules.iter().map(part).collect()
    }

    fn symbols(&self) -> SymbolIndex {
        let mut index = SymbolIndex::default();
        for (module, document) in &self.modules {
            symbols::append(&mut index, document.symbols(), &module.text.map);
        }
        symbols::sorted(index)
    }

    fn hover(&self, offset: u32) -> Option<Hover> {
        self.at(offset)?.hover()
    }

    fn complete(&self, offset: u32) -> Vec<CompletionItem> {
        self.at(offset)
            .map_or_else(Vec::new, |inner| inner.complete())
    }

    fn signature(&self, offset: u32) -> Option<SignatureHelp> {
        self.at(offset)?.signature()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fatbin_headers_are_skipped_and_modules_extracted() {
        let source = "\nFatbin elf code:\n================\narch = sm_80\n\nFatbin ptx code:\n================\narch = sm_89\ncode version = [9,2]\ncompressed\nptxasOptions = \n\n.version 9.2\n.target sm_89\nFatbin ptx code:\narch = sm_90\n//\n.version 9.2\n";
        let text = FatbinText::read(source).expect("modules");
        let found: Vec<_> = text
            .modules
            .iter()
            .map(|module| (module.name.as_str(), module.text.text.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("sm_89", ".version 9.2\n.target sm_89\n"),
                ("sm_90", "//\n.version 9.2\n"),
            ]
        );
        assert!(FatbinText::read(".version 9.2\n").is_none());
    }
}
