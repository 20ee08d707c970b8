//! Tests the imports between the files of each crate. No import cycle may have more than ten files, and a layer of the emulator may import
//! only lower layers.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use support::rust_files;
use syn::visit::{self, Visit};
use syn::{Attribute, ItemMod, ItemUse, UseTree};

/// Maximum number of files in an import cycle.
const MAX_FILES: usize = 10;

/// Modules of the emulator in the order of the layers, starting with the lowest layer. A module may import itself and the preceding
/// modules.
const EMULATOR_LAYERS: &[&str] = &[
    "semantics",
    "contract",
    "code",
    "state",
    "decode",
    "exec",
    "run",
    "translation_view",
    "history",
];

/// Path of a module within its crate. The path of the crate root is empty.
type Module = Vec<String>;

#[test]
fn import_cycles_do_not_exceed_size_limit() {
    let mut errors = Vec::new();
    for source in source_folders() {
        let imports = Imports::of(&read_modules(&source));
        for cycle in imports.cycles() {
            if cycle.len() > MAX_FILES {
                let names: Vec<String> = cycle.iter().map(|module| module.join("/")).collect();
                let n = names.len();
                errors.push(format!("{}: {n} files: {names:?}", source.display()));
            }
        }
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn emulator_layers_import_only_lower_layers() {
    let source = workspace().join("crates/emulator/src");
    let imports = Imports::of(&read_modules(&source));
    let layer = |module: &Module| {
        let name = module.first()?;
        EMULATOR_LAYERS.iter().position(|layer| layer == name)
    };
    let mut errors = Vec::new();
    for (from, targets) in &imports.0 {
        for to in targets {
            if let (Some(lower), Some(upper)) = (layer(from), layer(to))
                && lower < upper
            {
                errors.push(format!("{} imports {}", from.join("/"), to.join("/")));
            }
        }
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn cycle_detection_follows_reexports_and_ignores_tests() {
    let files = [
        ("", "pub mod a; pub mod b; pub mod c;"),
        ("a", "pub use crate::b::B; pub struct A(B);"),
        ("b", "pub struct B; pub fn f() { super::c::g() }"),
        (
            "c",
            "use crate::a::B; pub fn g() {} #[cfg(test)] mod tests { use crate::a::A; }",
        ),
    ];
    let modules = files.map(|(module, text)| {
        let file = syn::parse_file(text).expect("a valid source text");
        let module: Module = module.split('/').map(str::to_owned).collect();
        (module.into_iter().filter(|s| !s.is_empty()).collect(), file)
    });
    let cycles = Imports::of(&modules.into_iter().collect()).cycles();
    let expected: BTreeSet<Module> = [vec!["b".to_owned()], vec!["c".to_owned()]].into();
    assert_eq!(cycles, [expected]);
}

/// Modules that each module imports from the same crate.
struct Imports(BTreeMap<Module, BTreeSet<Module>>);

impl Imports {
    /// Resolves the import paths of all files of a crate. A re-export counts as an import by the file that uses the re-export, and not as
    /// an import by the file that contains the re-export.
    fn of(modules: &BTreeMap<Module, syn::File>) -> Imports {
        let paths: BTreeMap<&Module, Paths> = modules
            .iter()
            .map(|(module, file)| {
                let mut paths = Paths {
                    module,
                    modules,
                    imported: Vec::new(),
                    reexported: BTreeMap::new(),
                };
                paths.visit_file(file);
                (module, paths)
            })
            .collect();
        let imports = paths.iter().map(|(module, of_file)| {
            let targets = of_file.imported.iter();
            let targets = targets.map(|path| defining_module(path, modules, &paths));
            let others = targets.filter(|target| target != *module);
            ((*module).clone(), others.collect())
        });
        Imports(imports.collect())
    }

    /// Returns the strongly connected components that contain at least two modules.
    fn cycles(&self) -> Vec<BTreeSet<Module>> {
        let reachable: BTreeMap<&Module, BTreeSet<&Module>> = self
            .0
            .keys()
            .map(|from| (from, self.reachable(from)))
            .collect();
        let mut cycles: Vec<BTreeSet<Module>> = Vec::new();
        for (module, targets) in &reachable {
            let is_mutual = |to: &&&Module| reachable.get(**to).is_some_and(|t| t.contains(module));
            let cycle: BTreeSet<Module> = targets
                .iter()
                .filter(is_mutual)
                .map(|to| (*to).clone())
                .collect();
            if cycle.len() > 1 && !cycles.contains(&cycle) {
                cycles.push(cycle);
            }
        }
        cycles
    }

    /// Returns the modules that a module imports directly or indirectly.
    fn reachable<'i>(&'i self, from: &'i Module) -> BTreeSet<&'i Module> {
        let mut found = BTreeSet::new();
        let mut open = vec![from];
        while let Some(module) = open.pop() {
            for target in self.0.get(module).into_iter().flatten() {
                if found.insert(target) {
                    open.push(target);
                }
            }
        }
        found
    }
}

/// Returns the module of the file that defines the item at a path, after the resolution of all re-exports.
fn defining_module(
    path: &[String],
    modules: &BTreeMap<Module, syn::File>,
    paths: &BTreeMap<&Module, Paths<'_>>,
) -> Module {
    let mut path = path.to_vec();
    // Re-exports of re-exports are rare. The bound prevents an infinite loop for two files that re-export each other.
    for _ in 0..8 {
        let n = longest_module(&path, modules);
        let of_file = paths.get(&path[..n].to_vec());
        let target = path.get(n).and_then(|name| of_file?.reexported.get(name));
        match target {
            Some(target) => path = target.iter().chain(&path[n + 1..]).cloned().collect(),
            None => break,
        }
    }
    let n = longest_module(&path, modules);
    path.truncate(n);
    path
}

/// Returns the number of leading path segments that name a file.
fn longest_module(path: &[String], modules: &BTreeMap<Module, syn::File>) -> usize {
    let is_module = |n: &usize| modules.contains_key(&path[..*n]);
    (0..=path.len()).rev().find(is_module).unwrap_or(0)
}

/// Paths in one file that start with `crate`, `self`, `super` or a child module.
struct Paths<'m> {
    module: &'m Module,
    modules: &'m BTreeMap<Module, syn::File>,
    imported: Vec<Vec<String>>,
    /// Full paths of re-exported items, by name.
    reexported: BTreeMap<String, Vec<String>>,
}

impl Paths<'_> {
    /// Returns the absolute path for path segments that refer to the crate. Returns `None` for other segments.
    fn absolute(&self, segments: &[String]) -> Option<Vec<String>> {
        let first = segments.first()?;
        let mut base = self.module.clone();
        let rest = match first.as_str() {
            "crate" => {
                base.clear();
                &segments[1..]
            }
            "self" => &segments[1..],
            "super" => {
                let n = segments.iter().take_while(|s| *s == "super").count();
                base.truncate(base.len().saturating_sub(n));
                &segments[n..]
            }
            _ => {
                let child: Module = base.iter().chain([first]).cloned().collect();
                self.modules.get(&child)?;
                segments
            }
        };
        base.extend(rest.iter().cloned());
        Some(base)
    }

    fn add_use(&mut self, tree: &UseTree, prefix: &mut Vec<String>, is_public: bool) {
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.add_use(&path.tree, prefix, is_public);
                prefix.pop();
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_use(tree, prefix, is_public);
                }
            }
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                let is_self = name == "self";
                let last = if is_self { None } else { Some(name.clone()) };
                let path: Vec<String> = prefix.iter().cloned().chain(last).collect();
                self.add_path(&path, &name, is_public);
            }
            UseTree::Rename(rename) => {
                let path: Vec<String> = prefix
                    .iter()
                    .cloned()
                    .chain([rename.ident.to_string()])
                    .collect();
                self.add_path(&path, &rename.rename.to_string(), is_public);
            }
            UseTree::Glob(_) => self.add_path(&prefix.clone(), "*", is_public),
        }
    }

    fn add_path(&mut self, path: &[String], name: &str, is_public: bool) {
        let Some(path) = self.absolute(path) else {
            return;
        };
        match is_public {
            true => {
                self.reexported.insert(name.to_owned(), path);
            }
            false => self.imported.push(path),
        }
    }
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let is_public = !matches!(item.vis, syn::Visibility::Inherited);
        self.add_use(&item.tree, &mut Vec::new(), is_public);
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        // `super` within an inline module refers to the file that contains the inline module.
        if item.content.is_none() && !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        // A module contains its child modules, so that a path to a child is an import only in a `use` declaration.
        let is_explicit = matches!(
            segments.first().map(String::as_str),
            Some("crate" | "super")
        );
        if is_explicit && let Some(path) = self.absolute(&segments) {
            self.imported.push(path);
        }
        visit::visit_path(self, path);
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .any(|attribute| attribute.path().is_ident("cfg"))
}

/// Parses the files of a source directory, except for test files.
fn read_modules(source: &Path) -> BTreeMap<Module, syn::File> {
    let mut modules = BTreeMap::new();
    for path in rust_files(source) {
        let inside = path.strip_prefix(source).expect("a file of the folder");
        let parts = inside.with_extension("");
        let mut module: Module = parts
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        if matches!(module.as_slice(), [only] if only == "lib" || only == "main") {
            module.clear();
        }
        if module.last().is_some_and(|name| name.ends_with("tests")) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source file that was listed");
        let file = syn::parse_file(&text).expect("a source file that compiles");
        modules.insert(module, file);
    }
    modules
}

fn source_folders() -> Vec<PathBuf> {
    let root = workspace();
    let crates = std::fs::read_dir(root.join("crates")).expect("the folder of the crates");
    let mut folders: Vec<PathBuf> = crates
        .filter_map(|entry| Some(entry.ok()?.path().join("src")))
        .chain([root.join("web/src"), root.join("web/worker/src")])
        .filter(|folder| folder.is_dir())
        .collect();
    folders.sort();
    assert!(folders.len() > 15, "{folders:?}");
    folders
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
