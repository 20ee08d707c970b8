//! The words after `cargo xtask`: a command, switches, and options with a value.

use crate::shell::Result;

/// What is left of the command line. Each command takes what it knows and then calls [`Self::done`].
#[derive(Debug)]
pub(crate) struct Arguments {
    words: Vec<String>,
}

impl Arguments {
    pub(crate) fn from_environment() -> Arguments {
        Arguments::new(std::env::args().skip(1).collect())
    }

    fn new(words: Vec<String>) -> Arguments {
        Arguments { words }
    }

    /// The first word.
    pub(crate) fn command(&mut self) -> Option<String> {
        (!self.words.is_empty()).then(|| self.words.remove(0))
    }

    /// Takes `--name` away; true when it was there.
    pub(crate) fn switch(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != name);
        self.words.len() != before
    }

    /// Takes `--name VALUE` or `--name=VALUE` away.
    pub(crate) fn option(&mut self, name: &str) -> Result<Option<String>> {
        let joined = format!("{name}=");
        if let Some(at) = self.words.iter().position(|word| word.starts_with(&joined)) {
            return Ok(Some(self.words.remove(at)[joined.len()..].to_string()));
        }
        let Some(at) = self.words.iter().position(|word| word == name) else {
            return Ok(None);
        };
        self.words.remove(at);
        if at < self.words.len() {
            Ok(Some(self.words.remove(at)))
        } else {
            Err(format!("`{name}` requires a value"))
        }
    }

    /// Nothing may be left over.
    pub(crate) fn done(&self) -> Result<()> {
        match self.words.first() {
            Some(word) => Err(format!(
                "unknown argument `{word}`: `cargo xtask help` lists all arguments"
            )),
            None => Ok(()),
        }
    }

    /// All that is left, for another program.
    pub(crate) fn rest(self) -> Vec<String> {
        self.words
    }
}

#[cfg(test)]
mod tests {
    use super::Arguments;

    fn arguments(text: &str) -> Arguments {
        Arguments::new(text.split(' ').map(str::to_string).collect())
    }

    #[test]
    fn options_stand_in_any_order_and_form() {
        let mut words = arguments("serve --release --port 9000");
        assert_eq!(words.command().as_deref(), Some("serve"));
        assert_eq!(words.option("--port"), Ok(Some("9000".to_string())));
        assert!(words.switch("--release"));
        assert_eq!(words.done(), Ok(()));
        assert_eq!(
            arguments("--port=1").option("--port"),
            Ok(Some("1".to_string()))
        );
    }

    #[test]
    fn what_is_not_known_is_named() {
        assert!(arguments("--port").option("--port").is_err());
        assert!(
            arguments("--prot 1")
                .done()
                .is_err_and(|m| m.contains("--prot"))
        );
    }
}
