"""Copies a catalog for DocC, with DocC's links in place of the relative links that a forge follows.

    python3 Scripts/links.py CATALOG COPY [URL]     the sources are at URL, if anywhere

A link to a page of the catalog becomes a link of DocC, one to a page of another catalog leads to its place on the site
that Scripts/site.sh builds, and one to another file leads to its source. Where the sources have no address, it becomes
its text. Fails for a link to a file, or to a heading, that does not exist.
"""

import pathlib
import re
import shutil
import sys

catalog, copy = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
sources = sys.argv[3] if len(sys.argv) > 3 else ""
root = pathlib.Path(__file__).resolve().parent.parent
# Code is matched first, so that links in it are left alone.
code = r"^[ ]*```.*?^[ ]*```[ ]*$|(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)"
link = r"(?<!!)\[(?P<text>(?:`[^`]*`|[^\[\]`])+)\]\((?P<path>[^()\s:#]*)(?:#(?P<heading>[^()\s:]*))?\)"
problems = []


def headings(page):
    """The headings of a page without its code blocks; the first is its title."""
    prose = re.sub(r"^[ ]*```.*?^[ ]*```[ ]*$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [text.replace("`", "").strip() for text in re.findall(r"^#+ (.*)$", prose, re.MULTILINE)]


def anchor(page, heading):
    """DocC's name of a heading, from the name that a forge gives it."""
    for text in headings(page):
        if re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") == heading:
            return "#" + re.sub(r"[ -]+", "-", re.sub(r"['\"]", "", text))
    raise LookupError(f"{page.name} has no heading #{heading}")


def turned(page, match):
    """The link as DocC needs it."""
    text, path, heading = match["text"], match["path"], match["heading"]
    target = (page.parent / path).resolve() if path else page
    if not target.exists():
        raise LookupError("the file does not exist")
    if target.suffix != ".md" or target.parent.suffix != ".docc":
        return f"[{text}]({sources}/{target.relative_to(root)})" if sources else text
    name = anchor(target, heading) if heading else ""
    if target.parent != catalog:
        module = target.parent.stem
        place = module if target.stem == module else f"{module}/{target.stem}"
        return f"[{text}](/documentation/{place.lower()}{name})"
    is_title = not name and " ".join(text.split()) == headings(target)[0]
    return f"<doc:{target.stem}>" if is_title else f"[{text}](doc:{target.stem}{name})"


def replacement(page, match):
    if match["path"] is None:
        return match[0]
    try:
        return turned(page, match)
    except LookupError as error:
        line = page.read_text("utf-8").count("\n", 0, match.start()) + 1
        problems.append(f"{page.relative_to(root)}:{line}: {match[0]}: {error}")
        return match[0]


shutil.rmtree(copy, ignore_errors=True)
shutil.copytree(catalog, copy)
for page in catalog.glob("*.md"):
    text = re.sub(f"{code}|{link}", lambda match: replacement(page, match), page.read_text("utf-8"),
                  flags=re.MULTILINE | re.DOTALL)
    (copy / page.name).write_text(text, "utf-8")
print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
sys.exit(1 if problems else 0)
