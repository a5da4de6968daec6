"""A Sphinx extension: terms and numbers in the prose of every page become links, see ``terms``."""

from docutils import nodes
from markupsafe import Markup
from sphinx.transforms.post_transforms import SphinxPostTransform
from terms import Linker

WITHOUT_TERMS = ("glossary", "gallery", "CHANGELOG", "api/")
NOT_PROSE = (
    nodes.reference,
    nodes.literal,
    nodes.raw,
    nodes.title,
    nodes.math,
    nodes.FixedTextElement,
    nodes.comment,
    nodes.target,
)


class LinkTerms(SphinxPostTransform):
    """Puts the links into a page, after Sphinx has resolved its own."""

    default_priority = 900
    formats = ("html",)

    def run(self, **kwargs):
        page = self.env.docname
        if page.startswith(WITHOUT_TERMS):
            return
        builder = self.app.builder
        addresses = (builder.get_relative_uri(page, name) for name in ("glossary", "gallery"))
        linker = Linker(*addresses)
        for text in list(self.document.findall(nodes.Text)):
            if _is_prose(text):
                parts = linker.parts(text.astext())
                if len(parts) > 1 or isinstance(parts[0], Markup):
                    text.parent.replace(text, [_node(part) for part in parts])


def _is_prose(text):
    node, in_paragraph = text.parent, False
    while node is not None:
        if isinstance(node, NOT_PROSE):
            return False
        in_paragraph |= isinstance(node, nodes.paragraph)
        node = node.parent
    return in_paragraph and bool(text.astext().strip())


def _node(part):
    return nodes.raw("", part, format="html") if isinstance(part, Markup) else nodes.Text(part)


def setup(app):
    """Register the links with Sphinx."""
    app.add_post_transform(LinkTerms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
