//! Arguments of `cargo xtask`: a command, switches, and options with a value.

use crate::shell::Result;

/// Unparsed command-line arguments. Each command removes the arguments that it recognizes and then calls [`Self::done`], which rejects the
/// remaining arguments.
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

    /// Removes and returns the first argument.
    pub(crate) fn command(&mut self) -> Option<String> {
        (!self.words.is_empty()).then(|| self.words.remove(0))
    }

    /// Removes the switch `--name` and returns whether it was present.
    pub(crate) fn switch(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != name);
        self.words.len() != before
    }

    /// Removes the option `--name VALUE` or `--name=VALUE` and returns its value.
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

    /// Returns an error if an unparsed argument remains.
    pub(crate) fn done(&self) -> Result<()> {
        match self.words.first() {
            Some(word) => Err(format!(
                "unknown argument `{word}`: `cargo xtask help` lists all arguments"
            )),
            None => Ok(()),
        }
    }

    /// Returns the remaining arguments, which are passed to another program.
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
    fn options_are_parsed_in_any_order_and_form() {
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
    fn missing_value_and_unknown_option_are_errors() {
        assert!(arguments("--port").option("--port").is_err());
        assert!(
            arguments("--prot 1")
                .done()
                .is_err_and(|m| m.contains("--prot"))
        );
    }
}
