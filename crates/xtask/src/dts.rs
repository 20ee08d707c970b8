//! Checks the golden file `crates/wasm/npm/warpgrid.d.ts`. The check compares the section for the functions and the session with the
//! declarations that wasm-bindgen generates. `UPDATE_EXPECT=1 cargo xtask package` updates the section.

use crate::shell::{self, Result, read, write};

/// Separates the handwritten part of the file from the declarations generated from `crates/wasm/src/lib.rs`.
const MARK: &str = "// ---- From crates/wasm/src/lib.rs; `UPDATE_EXPECT=1 cargo xtask package` writes this section.\n";

/// Compares the declarations of the package with the output of wasm-bindgen.
pub(crate) fn check(bound: &str) -> Result<()> {
    let file = shell::root().join("crates/wasm/npm/warpgrid.d.ts");
    let types = read(&shell::root().join("crates/wasm/src/types.ts"))?;
    let golden = read(&file)?;
    let (by_hand, _) = golden
        .split_once(MARK)
        .ok_or_else(|| format!("{}: expected the line {MARK}", file.display()))?;
    let expected = format!("{by_hand}{MARK}{}", generated(bound, &types, by_hand)?);
    if golden == expected {
        return Ok(());
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        return write(&file, &expected);
    }
    Err(format!(
        "{} differs from the output of wasm-bindgen for crates/wasm/src/lib.rs: run `UPDATE_EXPECT=1 cargo xtask package`, and review the difference",
        file.display()
    ))
}

/// Returns the class and the functions, preceded by an import of the types that the declarations use and that the handwritten part does not
/// import.
fn generated(bound: &str, types: &str, above: &str) -> Result<String> {
    let code = code_of(bound).ok_or("the output of wasm-bindgen declares no class")?;
    let names: Vec<&str> = types.lines().filter_map(declared).collect();
    let code = with_input_types(code, &names);
    let has = |text: &str, name: &str| {
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        words.any(|word| word == name)
    };
    let named = |name: &&str| has(&code, name) && !has(above, name);
    let mut used: Vec<&str> = names.into_iter().filter(named).collect();
    used.sort_unstable();
    Ok(format!(
        "import type {{\n  {},\n}} from \"./types.js\";\n\nexport * from \"./types.js\";\n\n{code}",
        used.join(",\n  ")
    ))
}

/// Replaces the type of each object parameter by the handwritten type `Input`, which also permits field names in camel case, integers of type
/// `bigint` and typed arrays.
fn with_input_types(mut code: String, names: &[&str]) -> String {
    let is_input = |name: &&&str| {
        **name == "Scenario" || name.ends_with("Options") || name.ends_with("Request")
    };
    for name in names.iter().filter(is_input) {
        // The type of a parameter precedes a comma or a parenthesis, and the type of a result precedes a semicolon.
        for end in [",", ")"] {
            code = code.replace(&format!(": {name}{end}"), &format!(": Input<{name}>{end}"));
        }
    }
    code
}

/// Returns the name that a line of `types.ts` declares.
fn declared(line: &str) -> Option<&str> {
    let rest = line
        .strip_prefix("export type ")
        .or_else(|| line.strip_prefix("export interface "))?;
    rest.split(|c: char| !c.is_alphanumeric()).next()
}

/// Returns the declarations that follow the types, with the indentation of the project.
fn code_of(bound: &str) -> Option<String> {
    let lines: Vec<&str> = bound.lines().collect();
    let class = lines
        .iter()
        .position(|line| line.trim_start().starts_with("export class "))?;
    let start = lines[..class]
        .iter()
        .rposition(|line| line.trim_start() == "/**")?;
    let margin = lines[class].len() - lines[class].trim_start().len();
    let mut code = String::new();
    for line in &lines[start..] {
        let words = line.trim();
        let depth = (line.len() - line.trim_start().len()).saturating_sub(margin);
        // wasm-bindgen indents by four columns, and this project indents by two columns. The asterisks of a block comment are indented by
        // one additional column.
        let depth = depth / 4 * 2 + depth % 4;
        if !words.is_empty() {
            code.push_str(&" ".repeat(depth));
            code.push_str(words);
        }
        code.push('\n');
    }
    Some(format!("{}\n", code.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_declarations_import_types_and_are_dedented() {
        let bound = "export type Grid = { cells: number };\n  /**\n   * A session.\n   */\n  export class Session {\n      free(): void;\n      /**\n       * Cells.\n       */\n      grid(options?: GridOptions): Grid;\n  }\n";
        let types = "export type Grid = { cells: number };\nexport type Gri = {};\nexport type GridOptions = {};\n";
        let expected = "import type {\n  Grid,\n  GridOptions,\n} from \"./types.js\";\n\nexport * from \"./types.js\";\n\n/**\n * A session.\n */\nexport class Session {\n  free(): void;\n  /**\n   * Cells.\n   */\n  grid(options?: Input<GridOptions>): Grid;\n}\n";
        assert_eq!(generated(bound, types, "").as_deref(), Ok(expected));
    }
}
