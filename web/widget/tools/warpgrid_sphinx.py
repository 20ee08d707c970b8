"""The directive ``ptx-playground`` for Sphinx: PTX goes in; a widget with its recorded run comes out.

In ``conf.py``::

    extensions = ["warpgrid_sphinx"]
    warpgrid_url = "warpgrid/"                      # where the widget's files are: in `_static`, or an address
    warpgrid_embed = ["npx", "warpgrid-embed"]      # the recorder

Builders other than HTML show the text as a plain block.
"""

import json
import subprocess

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

WORDS = ["view", "step", "target", "version", "front", "height", "theme", "controls", "memory", "columns", "rows", "type", "playground", "label"]
FLAGS = ["readonly", "autoplay"]


class playground(nodes.General, nodes.Element):
    """A widget: its text, and the attributes of the element."""


class PtxPlayground(SphinxDirective):
    has_content = True
    option_spec = {
        **{name: directives.unchanged for name in WORDS},
        **{name: directives.flag for name in FLAGS},
        "ignore": directives.flag,
    }

    def run(self):
        self.assert_has_content()
        attributes = {name: value for name, value in self.options.items() if name in WORDS}
        attributes.update({name: True for name in FLAGS if name in self.options})
        node = playground(text="\n".join(self.content), attributes=attributes)
        self.set_source_info(node)
        return [node]


def recorded(app, text, attributes):
    """The element as HTML, as the recorder gives it."""
    line = json.dumps({"text": text, "attributes": attributes})
    try:
        done = subprocess.run(app.config.warpgrid_embed, input=line, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise ExtensionError(f"warpgrid: {getattr(error, 'stderr', None) or error}") from error
    return json.loads(done.stdout)["html"]


def replace(app, doctree, _name):
    for node in list(doctree.findall(playground)):
        if app.builder.format == "html":
            html = recorded(app, node["text"], node["attributes"])
            node.replace_self(nodes.raw("", html, format="html"))
        else:
            node.replace_self(nodes.literal_block(node["text"], node["text"]))


def add_files(app, pagename, templatename, context, doctree):
    if "warpgrid-playground" in context.get("body", ""):
        base = app.config.warpgrid_url
        app.add_js_file(f"{base}warpgrid-widget.js", type="module")
        app.add_css_file(f"{base}warpgrid-snapshot.css")


def setup(app):
    app.add_config_value("warpgrid_url", "warpgrid/", "html")
    app.add_config_value("warpgrid_embed", ["npx", "warpgrid-embed"], "env")
    app.add_node(playground)
    app.add_directive("ptx-playground", PtxPlayground)
    app.connect("doctree-resolved", replace)
    app.connect("html-page-context", add_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
