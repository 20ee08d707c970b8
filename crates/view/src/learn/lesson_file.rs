//! Parser of puzzle and tour files. The module takes Markdown, and returns the fields, the prose, and the kernel in the fenced code block.
//!
//! ```text
//! ---
//! title: Rows of 33 words
//! hint: Which bank has the word 32?
//! ---
//! Prose, in paragraphs.
//!
//! ~~~ptx
//! //@ launch grid=1 block=32
//! ~~~
//! ```

/// Parsed parts of a puzzle or tour file: its fields, its prose and its kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LessonFile {
    /// Names and values of the fields, in order of occurrence. A name can occur more than once.
    pub(crate) fields: Vec<(String, String)>,
    /// Prose without the fenced code block.
    pub(crate) prose: String,
    /// Contents of the first fenced code block, which is the kernel.
    pub(crate) code: Option<String>,
}

impl LessonFile {
    /// Parses a puzzle or tour file. The error message names the missing part.
    pub(crate) fn read(text: &str) -> Result<LessonFile, String> {
        let text = text.replace("\r\n", "\n");
        let rest = text.strip_prefix("---\n").ok_or(
            "the first line is not `---`, expected the header fields between two lines with `---`",
        )?;
        let (fields, body) = rest
            .split_once("\n---\n")
            .ok_or("the header has no end, expected a line with `---` after the header fields")?;
        let mut sheet = LessonFile::default();
        for line in fields.lines().filter(|line| !line.trim().is_empty()) {
            let (name, value) = line
                .split_once(':')
                .ok_or_else(|| format!("found `{line}`, expected `name: value`"))?;
            let field = (name.trim().to_owned(), value.trim().to_owned());
            sheet.fields.push(field);
        }
        sheet.read_body(body)?;
        Ok(sheet)
    }

    fn read_body(&mut self, body: &str) -> Result<(), String> {
        let mut lines = body.split_inclusive('\n');
        while let Some(line) = lines.next() {
            let is_fence = line.starts_with("```") || line.starts_with("~~~");
            if !is_fence || self.code.is_some() {
                self.prose.push_str(line);
                continue;
            }
            let fence: String = line.chars().take(3).collect();
            let mut code = String::new();
            loop {
                match lines.next() {
                    None => {
                        return Err(format!(
                            "the kernel has no end, expected a line with `{fence}` after the kernel"
                        ));
                    }
                    Some(line) if line.trim_end() == fence => break,
                    Some(line) => code.push_str(line),
                }
            }
            self.code = Some(code);
        }
        Ok(())
    }

    /// Returns the value of the first field with this name.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the value of the first field with this name. A missing field is an error.
    pub(crate) fn need(&self, name: &str) -> Result<&str, String> {
        self.field(name)
            .ok_or_else(|| format!("the header has no field `{name}`"))
    }

    /// Returns the values of all fields with this name.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let own = self.fields.iter().filter(move |(own, _)| own == name);
        own.map(|(_, value)| value.as_str())
    }

    /// Returns an error if a field has a name that is not in `known`.
    pub(crate) fn check_names(&self, known: &[&str]) -> Result<(), String> {
        let odd = self
            .fields
            .iter()
            .find(|(name, _)| !known.contains(&name.as_str()));
        match odd {
            None => Ok(()),
            Some((name, _)) => Err(format!(
                "found the unknown header field `{name}`, expected one of {}",
                known.join(", ")
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_parses_into_fields_prose_and_code() {
        let text =
            "---\ntitle: A: b\nhint: one\nhint: two\n---\nSay.\n\n```ptx\nret;\n```\n\nMore.\n";
        let sheet = LessonFile::read(text).expect("a sheet");
        assert_eq!(sheet.field("title"), Some("A: b"));
        assert_eq!(sheet.all("hint").collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!(sheet.prose, "Say.\n\n\nMore.\n");
        assert_eq!(sheet.code.as_deref(), Some("ret;\n"));
        assert!(sheet.check_names(&["title"]).is_err());
    }

    #[test]
    fn malformed_file_is_rejected() {
        for text in ["", "---\n", "---\na\n---\n", "---\na: b\n---\n```\nret;"] {
            assert!(LessonFile::read(text).is_err(), "{text:?}");
        }
    }
}
