"""The directives ``ptx-playground`` and ``warpgrid-layout`` for Sphinx: PTX goes in, a widget with its recorded run comes out; the address of a picture of
the lens, or its words, go in, the picture comes out.

In ``conf.py``::

    extensions = ["warpgrid_sphinx"]
    warpgrid_url = "warpgrid/"                      # where the widget's files are: in `_static`, or an address
    warpgrid_embed = ["npx", "--no-install", "warpgrid-embed"]      # the recorder: `npm install warpgrid` beside the document

Errors of a block, and attributes that mean nothing, are warnings of the build with their lines. Builders other than HTML show the text as a plain block.
"""

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from warpgrid_recorder import COMMAND, Recorder, RecorderError

logger = logging.getLogger(__name__)

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
        node["first_line"] = self.content_offset + 1
        return [node]


class WarpgridLayout(SphinxDirective):
    has_content = True
    option_spec = {name: directives.unchanged for name in ["label", "playground", "theme"]}

    def run(self):
        self.assert_has_content()
        node = playground(text="\n".join(self.content), attributes={"lens": True, **self.options})
        self.set_source_info(node)
        node["first_line"] = self.content_offset + 1
        return [node]


def recorded(app, node):
    """The element as HTML, as the recorder gives it; what is wrong with it is a warning of the build."""
    recorder = app.warpgrid_recorder
    recorder.command = app.config.warpgrid_embed
    try:
        html, problems = recorder.embed(node["text"], node["attributes"])
    except RecorderError as error:
        raise ExtensionError(f"warpgrid: {error}") from error
    for problem in problems:
        place = (node.source, node["first_line"] + problem["line"] - 1)
        logger.warning("%s (%s)", problem["message"], problem["code"], location=f"{place[0]}:{place[1]}", type="warpgrid")
    return html


def replace(app, doctree, _name):
    for node in list(doctree.findall(playground)):
        if app.builder.format == "html":
            html = recorded(app, node)
            node.replace_self(nodes.raw("", html, format="html"))
        else:
            node.replace_self(nodes.literal_block(node["text"], node["text"]))


def add_files(app, pagename, templatename, context, doctree):
    body = context.get("body", "")
    if "warpgrid-playground" in body or "warpgrid-layout" in body:
        base = app.config.warpgrid_url
        app.add_js_file(f"{base}warpgrid-widget.js", type="module")
        app.add_css_file(f"{base}warpgrid-snapshot.css")


def setup(app):
    app.add_config_value("warpgrid_url", "warpgrid/", "html")
    app.add_config_value("warpgrid_embed", COMMAND, "env")
    app.warpgrid_recorder = Recorder()
    app.connect("build-finished", lambda app, _error: app.warpgrid_recorder.close())
    app.add_node(playground)
    app.add_directive("ptx-playground", PtxPlayground)
    app.add_directive("warpgrid-layout", WarpgridLayout)
    app.connect("doctree-resolved", replace)
    app.connect("html-page-context", add_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
