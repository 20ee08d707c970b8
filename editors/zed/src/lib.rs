//! Zed extension that starts the language server `warpgrid lsp`.

use zed_extension_api::settings::LspSettings;
use zed_extension_api::{self as zed, serde_json, Command, LanguageServerId, Result, Worktree};

struct WarpgridExtension;

impl zed::Extension for WarpgridExtension {
    fn new() -> WarpgridExtension {
        WarpgridExtension
    }

    /// Returns the command in the setting `lsp.warpgrid.binary.path`, or the command on the search path.
    fn language_server_command(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command> {
        let settings = LspSettings::for_worktree(server.as_ref(), worktree)?;
        let configured = settings.binary.and_then(|binary| binary.path);
        let command = configured
            .or_else(|| worktree.which("warpgrid"))
            .ok_or("`warpgrid` was not found: install the command with `cargo install warpgrid`")?;
        Ok(Command {
            command,
            args: vec!["lsp".to_owned()],
            env: worktree.shell_env(),
        })
    }

    fn language_server_workspace_configuration(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<serde_json::Value>> {
        let settings = LspSettings::for_worktree(server.as_ref(), worktree)?.settings;
        Ok(settings.map(|settings| serde_json::json!({ "warpgrid": settings })))
    }
}

zed::register_extension!(WarpgridExtension);
