"""Loads the hook of the npm package from the build directory."""

import sys
from pathlib import Path

tools = Path(__file__).resolve().parents[3] / "pkg" / "tools"
sys.path.insert(0, str(tools))
import warpgrid_mkdocs  # noqa: E402

warpgrid_mkdocs.recorder.command = ["node", str(tools / "embed.js")]
on_page_markdown = warpgrid_mkdocs.on_page_markdown
on_page_content = warpgrid_mkdocs.on_page_content
on_post_build = warpgrid_mkdocs.on_post_build
