"""The links of the Markdown files in the repository, as a forge shows them: as a program, it prints what is wrong."""

import os
import re
import subprocess
import sys
import urllib.parse

# A fenced block, or code in a line: no links are read there.
FENCED = re.compile(r"^ *(`{3,}|~{3,})[^\n]*\n.*?^ *\1[ \t]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"\]\(\s*<?([^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*)>?(?:\s+\"[^\"]*\")?\s*\)")
DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
ATTRIBUTE = re.compile(r"<(?:a|img)\b[^>]*?\b(?:href|src)=\"([^\"]*)\"")
HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*$", re.MULTILINE)
NAMED = re.compile(r"<[a-z0-9]+\b[^>]*?\b(?:id|name)=\"([^\"]*)\"")
EXTERNAL = re.compile(r"(?:https?://[\w.-]+(?::\d+)?(?:[/?#]\S*)?|mailto:\S+@\S+)")


def blank(match):
    """As many lines as the matched text, without it."""
    return "\n" * match[0].count("\n")


def files():
    """The paths that a clone has, with the folders that contain them."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True, text=True).stdout
    paths = {path for path in listed.split("\0") if path and os.path.lexists(path)}
    folders = {"."}
    for path in paths:
        while path := os.path.dirname(path):
            folders.add(path)
    return paths, folders


def anchors(text):
    """The anchors of a page: one for each heading, by the rule of GitHub, and those in HTML."""
    found = set(NAMED.findall(text))
    counts = {}
    for heading in HEADING.findall(FENCED.sub(blank, text)):
        heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = counts.get(slug, 0)
        counts[slug] = count + 1
        found.add(f"{slug}-{count}" if count else slug)
    return found


class Forge:
    """The links of all Markdown files: `problems` lists those that lead nowhere."""

    def __init__(self):
        self.paths, self.folders = files()
        self.pages = {}
        self.links = 0
        self.problems = []
        self.names = sorted(path for path in self.paths if path.endswith(".md") and not os.path.islink(path))
        for name in self.names:
            self.follow(name)

    def read(self, name):
        if name not in self.pages:
            with open(name, encoding="utf-8") as file:
                self.pages[name] = file.read()
        return self.pages[name]

    def follow(self, name):
        text = CODE.sub(blank, FENCED.sub(blank, self.read(name)))
        for pattern in (LINK, DEFINITION, ATTRIBUTE):
            for match in pattern.finditer(text):
                self.links += 1
                if problem := self.problem(name, match[1]):
                    line = text.count("\n", 0, match.start(1)) + 1
                    self.problems.append(f"{name}:{line}: the link to {match[1]} {problem}")

    def problem(self, name, link):
        """What is wrong with a link, if anything."""
        # DocC follows the links to its pages.
        if link.startswith("doc:") and ".docc/" in name:
            return None
        if re.match(r"[a-zA-Z][\w+.-]*:", link):
            return None if EXTERNAL.fullmatch(link) else "is no valid address"
        path, _, anchor = link.partition("#")
        if path.startswith("/"):
            return "begins at the root of the server"
        target = name
        if path:
            target = os.path.normpath(os.path.join(os.path.dirname(name), urllib.parse.unquote(path)))
        if target not in self.paths and target not in self.folders:
            return "leads to no file of the repository"
        if anchor and (not target.endswith(".md") or anchor not in anchors(self.read(target))):
            return f"leads to no heading of {target}"
        return None


if __name__ == "__main__":
    forge = Forge()
    print(*forge.problems, sep="\n", end="\n" if forge.problems else "", file=sys.stderr)
    print(f"{forge.links} links in {len(forge.names)} Markdown files.")
    sys.exit(1 if forge.problems else 0)
