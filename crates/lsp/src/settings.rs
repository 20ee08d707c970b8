//! Settings of the client, in the section `warpgrid`.

use serde::Deserialize;
use serde_json::Value;
use warpgrid_view::source::check::CheckOptions;

/// Settings that a user specifies for a workspace. Absent and invalid settings have their default values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Settings {
    /// Target that overrides the target of all documents.
    #[serde(deserialize_with = "lenient")]
    pub(crate) target: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub(crate) ptx_version: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub(crate) inlay_hints: InlayHintSettings,
    /// Whether kernels run in the background.
    #[serde(deserialize_with = "lenient")]
    pub(crate) run_values: RunValuesSetting,
    #[serde(deserialize_with = "lenient")]
    pub(crate) document_links: DocumentLinkSetting,
}

/// Categories of inlay hints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct InlayHintSettings {
    /// Types of the registers that an instruction writes.
    pub(crate) types: bool,
    /// Names of the operands of an instruction.
    pub(crate) operands: bool,
    /// Values of constants and of the last run.
    pub(crate) values: bool,
}

impl Default for InlayHintSettings {
    fn default() -> InlayHintSettings {
        InlayHintSettings {
            types: false,
            operands: false,
            values: true,
        }
    }
}

/// Whether kernels run in the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(crate) struct RunValuesSetting(pub(crate) bool);

impl Default for RunValuesSetting {
    fn default() -> RunValuesSetting {
        RunValuesSetting(true)
    }
}

/// Selection of the document links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DocumentLinkSetting {
    Off,
    /// Links to the source files of `.file` directives and to the pages of diagnostic codes in comments.
    #[default]
    Files,
    /// Also links from each opcode to the manual.
    All,
}

impl Settings {
    /// Reads the settings of the section `warpgrid`.
    pub(crate) fn read(section: Value) -> Settings {
        serde_json::from_value(section).unwrap_or_default()
    }

    pub(crate) fn check_options(&self) -> CheckOptions {
        CheckOptions {
            target: self.target.clone(),
            ptx_version: self.ptx_version.clone(),
            ..CheckOptions::default()
        }
    }
}

/// Deserializes a setting, or returns its default value if the value is invalid.
fn lenient<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: serde::de::DeserializeOwned + Default,
{
    let value = Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn invalid_settings_have_default_values() {
        let settings = Settings::read(json!({
            "target": 90,
            "ptxVersion": "8.7",
            "inlayHints": { "operands": true },
            "runValues": "sometimes",
            "documentLinks": "all",
        }));
        assert_eq!(settings.target, None);
        assert_eq!(settings.ptx_version.as_deref(), Some("8.7"));
        assert!(settings.inlay_hints.operands && settings.inlay_hints.values);
        assert!(settings.run_values.0);
        assert_eq!(settings.document_links, DocumentLinkSetting::All);
        assert_eq!(Settings::read(Value::Null), Settings::default());
    }
}
