"""Sample manual with a widget. `node docs/hosts/build.mjs sphinx OUTPUT` builds it."""

import sys
from pathlib import Path

tools = Path(__file__).resolve().parents[3] / "pkg" / "tools"
# With an installed npm package, use `npx --no-install warpgrid-embed`, and add the extension to the path.
sys.path.insert(0, str(tools))
warpgrid_embed = ["node", str(tools / "embed.js")]

project = "Stores"
extensions = ["warpgrid_sphinx"]
html_static_path = ["_static"]
exclude_patterns = ["_build"]
