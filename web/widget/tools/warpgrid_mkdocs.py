"""A hook of MkDocs: fenced blocks ```` ```ptx,playground ```` become widgets with their recorded runs, and ```` ```warpgrid-layout ```` pictures of layouts.

After ``npm install warpgrid``, in ``mkdocs.yml``::

    hooks: [node_modules/warpgrid/tools/warpgrid_mkdocs.py]
    extra:
      warpgrid: warpgrid/      # where the files of the widget are: in the site, or an address

Errors of a block, and attributes that mean nothing, are warnings of the build with their lines.
"""

import logging
import os
import re
import sys

sys.path.insert(0, os.path.dirname(__file__))
from warpgrid_recorder import Recorder  # noqa: E402

log = logging.getLogger("mkdocs.hooks.warpgrid")
recorder = Recorder()
widgets = {}
"""The HTML of the widgets of each page, by the path of its source. Markdown sees a placeholder of one line, since it indents, escapes or cuts
blocks of HTML in lists, admonitions and tabs."""
PLACEHOLDER = re.compile(r'<div class="warpgrid" data-warpgrid="(\d+)"></div>')
FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<marks>`{3,}|~{3,})[ ]*(?P<info>[^\n`]*)\n(?P<text>.*?)^[ \t]*(?P=marks)[`~]*[ \t]*$", re.M | re.S)
WORD = re.compile(r"""[^\s,{}"'=]+(?:=(?:"[^"]*"|'[^']*'|[^\s,{}]*))?""")
LANGUAGE = re.compile(r"\.?(?:(ptx|sass)(-playground)?|(warpgrid-layout))")
OF_HOSTS = {"playground", "ignore", "style", "title", "name", "caption", "id", "class", "linenums", "hl_lines", "file", "filename"}


def read_fence(info):
    """The attributes that an info string states; ``None`` where it asks for no widget."""
    language, *words = WORD.findall(info) or [""]
    found = LANGUAGE.fullmatch(language)
    if not found or not (found[2] or found[3] or "playground" in words):
        return None
    attributes = {"lens": True} if found[3] else {"front": "sass"} if found[1] == "sass" else {}
    for word in words:
        name, separator, value = word.partition("=")
        if re.fullmatch("[a-z][a-z-]*", name) and not name.startswith("on") and name not in OF_HOSTS:
            attributes[name] = value.strip("\"'") if separator else True
    return attributes


def on_page_markdown(markdown, page, **_):
    """Puts a placeholder in place of each fence."""
    placed = widgets[page.file.src_path] = []

    def replaced(match):
        attributes = read_fence(match["info"])
        if attributes is None:
            return match[0]
        html, problems = recorder.embed(match["text"], attributes)
        line = markdown[: match.start()].count("\n") + 1
        for problem in problems:
            log.warning("%s:%d: %s (%s)", page.file.src_path, line + problem["line"], problem["message"], problem["code"])
        placed.append(html)
        return f'\n{match["indent"]}<div class="warpgrid" data-warpgrid="{len(placed) - 1}"></div>\n'

    return FENCE.sub(replaced, markdown)


def on_page_content(html, page, config, **_):
    """Replaces the placeholders by the widgets, and adds the files of the widget to a page that has one."""
    placed = widgets.pop(page.file.src_path, [])

    def widget(match):
        nth = int(match[1])
        return f'<div class="warpgrid">{placed[nth]}</div>' if nth < len(placed) else match[0]

    html = PLACEHOLDER.sub(widget, html)
    if "<warpgrid-playground" not in html and "<warpgrid-layout" not in html:
        return html
    base = (config.get("extra") or {}).get("warpgrid", "warpgrid/")
    if not re.match(r"(https?:)?/", base):
        base = "../" * page.url.count("/") + base
    files = f'<link rel="stylesheet" href="{base}warpgrid-snapshot.css"><script defer src="{base}warpgrid-widget-classic.js"></script>'
    return f"{html}\n{files}\n"


def on_post_build(**_):
    """Ends the recorder."""
    recorder.close()
