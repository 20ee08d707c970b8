//! Scopes that several asm statements of one function share: one statement opens a scope with `{` or declares registers, and later
//! statements use the registers and close the scope. The assembler receives the statements in one function, whereas the check examines
//! each statement separately. The module therefore completes the template of each statement.

use crate::parsed_block::ParsedAsmBlock;
use warpgrid_program::{MappedSource, Span};

/// Completes the templates of asm blocks whose scopes start in earlier asm blocks of the same function, or continue in later ones. Each
/// template receives the open braces and the register declarations of its scope at its start, and the missing closing braces at its end.
pub(crate) fn complete_split_scopes(blocks: &mut [ParsedAsmBlock]) {
    for function in blocks.chunk_by_mut(|one, other| one.function == other.function) {
        let mut scopes = OpenScopes::default();
        let mut completions = Vec::with_capacity(function.len());
        for block in function.iter() {
            let prologue = scopes.prologue(&block.template.text);
            if scopes.advance(&block.template.text).is_none() {
                break;
            }
            completions.push((prologue, scopes.epilogue()));
        }
        // Report an unmatched brace if no other statement of the function contains its counterpart.
        if completions.len() < function.len() || !scopes.inner.is_empty() {
            continue;
        }
        for (block, (prologue, epilogue)) in function.iter_mut().zip(completions) {
            if !prologue.is_empty() || !epilogue.is_empty() {
                complete(block, &prologue, &epilogue);
            }
        }
    }
}

/// Scopes at a position of a function, with their register declarations.
#[derive(Default)]
struct OpenScopes {
    /// Declarations outside of all braces.
    outer: Vec<String>,
    /// Declarations of each unclosed brace.
    inner: Vec<String>,
}

impl OpenScopes {
    /// Updates the scopes for the text of a template. Returns `None` for a closing brace without an opening brace.
    fn advance(&mut self, template: &str) -> Option<()> {
        for statement in template.split_inclusive(['{', '}', ';']) {
            if statement.ends_with('{') {
                self.inner.push(String::new());
            } else if statement.ends_with('}') {
                self.inner.pop()?;
            } else if statement.trim_start().starts_with(".reg") && statement.ends_with(';') {
                match self.inner.last_mut() {
                    Some(scope) => scope.push_str(statement.trim()),
                    None => self.outer.push(statement.trim().to_owned()),
                }
            }
        }
        Some(())
    }

    /// Returns the text that opens the scopes before `template`.
    fn prologue(&self, template: &str) -> String {
        // Overloads of a function have the same name, and can contain the same declaration.
        let outer = self.outer.iter().map(String::as_str);
        let outer = outer.filter(|declaration| !template.contains(declaration));
        let inner = self.inner.iter().flat_map(|scope| ["{", scope.as_str()]);
        outer.chain(inner).collect()
    }

    /// Returns the text that closes the scopes.
    fn epilogue(&self) -> String {
        "}".repeat(self.inner.len())
    }
}

/// Adds text before and after the template of a block.
fn complete(block: &mut ParsedAsmBlock, prologue: &str, epilogue: &str) {
    let own = std::mem::take(&mut block.template);
    let mut completed = MappedSource::default();
    completed.stand_in(prologue, Span::at(block.word.start));
    completed.append(&own, Span::new(0, own.text.len() as u32));
    completed.stand_in(epilogue, Span::at(block.span.end));
    block.template = completed;
}
