//! Capabilities of the client and of the server.

use crate::features::links::LensCommands;
use crate::features::semantic_tokens;
use crate::text::Encoding;
use gen_lsp_types::{ClientCapabilities, SemanticTokensLegend};
use serde_json::{Value, json};

/// Features of the client on which the server depends.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClientFeatures {
    pub(super) encoding: Encoding,
    /// The client requests diagnostics, so that the server does not publish them.
    pub(super) pulls_diagnostics: bool,
    pub(super) refreshes_diagnostics: bool,
    pub(super) refreshes_inlay_hints: bool,
    /// The client answers requests for its settings.
    pub(super) has_configuration: bool,
    pub(super) watches_files: bool,
    /// The client implements the commands of the code lenses.
    pub(super) has_own_commands: bool,
}

impl ClientFeatures {
    /// Reads the features from the capabilities. The capabilities are read as JSON, because most of them are nested optional fields.
    pub(super) fn of(capabilities: &ClientCapabilities) -> ClientFeatures {
        let all = serde_json::to_value(capabilities).unwrap_or_default();
        let flag = |path: &str| all.pointer(path).and_then(Value::as_bool) == Some(true);
        let encodings = all.pointer("/general/positionEncodings");
        let encodings = encodings.and_then(Value::as_array);
        // Byte offsets need no conversion.
        let has_utf8 = encodings.is_some_and(|all| all.contains(&json!("utf-8")));
        ClientFeatures {
            encoding: match has_utf8 {
                true => Encoding::Utf8,
                false => Encoding::Utf16,
            },
            pulls_diagnostics: all.pointer("/textDocument/diagnostic").is_some(),
            refreshes_diagnostics: flag("/workspace/diagnostics/refreshSupport"),
            refreshes_inlay_hints: flag("/workspace/inlayHint/refreshSupport"),
            has_configuration: flag("/workspace/configuration"),
            watches_files: flag("/workspace/didChangeWatchedFiles/dynamicRegistration"),
            has_own_commands: flag("/experimental/warpgrid/commands"),
        }
    }
}

/// Returns the result of the request `initialize`.
pub(super) fn result(client: &ClientFeatures, encoding: Encoding) -> Value {
    let SemanticTokensLegend {
        token_types,
        token_modifiers,
    } = semantic_tokens::legend();
    let commands = [
        LensCommands::SERVER.run,
        LensCommands::SERVER.check_on_target,
    ];
    let mut capabilities = json!({
        "positionEncoding": match encoding {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16 => "utf-16",
        },
        "textDocumentSync": { "openClose": true, "change": 2 },
        "hoverProvider": true,
        "completionProvider": { "triggerCharacters": [".", "%", "@", "["], "resolveProvider": true },
        "signatureHelpProvider": { "triggerCharacters": [" ", ","], "retriggerCharacters": [","] },
        "definitionProvider": true,
        "declarationProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": true,
        "renameProvider": { "prepareProvider": true },
        "foldingRangeProvider": true,
        "selectionRangeProvider": true,
        "callHierarchyProvider": true,
        "semanticTokensProvider": {
            "legend": { "tokenTypes": token_types, "tokenModifiers": token_modifiers },
            "full": { "delta": true },
            "range": true,
        },
        "inlayHintProvider": true,
        "documentFormattingProvider": true,
        "documentRangeFormattingProvider": true,
        "documentOnTypeFormattingProvider": { "firstTriggerCharacter": ";", "moreTriggerCharacter": ["}"] },
        "documentLinkProvider": {},
        "codeLensProvider": {},
        "codeActionProvider": { "codeActionKinds": ["quickfix", "source.fixAll"] },
        "executeCommandProvider": { "commands": commands },
        "workspace": { "workspaceFolders": { "supported": true } },
    });
    if client.pulls_diagnostics {
        capabilities["diagnosticProvider"] = json!({
            "identifier": "warpgrid",
            "interFileDependencies": false,
            "workspaceDiagnostics": false,
        });
    }
    json!({
        "capabilities": capabilities,
        "serverInfo": { "name": "warpgrid", "version": env!("CARGO_PKG_VERSION") },
    })
}
