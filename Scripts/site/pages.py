"""The pages of a site that DocC has built, as their data describes them, and the links between them."""

import json
import os

from forge import EXTERNAL

ROOT = "/documentation"
# The anchors that the renderer adds to a page.
RENDERED_ANCHORS = {"mentions", "topics", "relationships", "see-also"}


def normal(address):
    """The path of a page: pages are found whatever the case, with and without a slash at the end."""
    return address.rstrip("/").lower()


def walk(value):
    """Each object in a value of JSON."""
    if isinstance(value, dict):
        yield value
        for each in value.values():
            yield from walk(each)
    elif isinstance(value, list):
        for each in value:
            yield from walk(each)


class Page:
    """One page: its links, and its anchors."""

    def __init__(self, data):
        self.title = data.get("metadata", {}).get("title", "")
        self.role = data.get("metadata", {}).get("role")
        self.symbol_kind = data.get("metadata", {}).get("symbolKind")
        self.references = data.get("references", {})
        self.anchors = set(RENDERED_ANCHORS)
        self.missing = []
        for each in walk({key: value for key, value in data.items() if key != "references"}):
            if anchor := each.get("anchor"):
                self.anchors.add(anchor)
            if each.get("type") in ("reference", "image", "video") and each.get("identifier") not in self.references:
                self.missing.append(each.get("identifier"))
            for section in ("topicSections", "seeAlsoSections", "relationshipsSections"):
                for group in each.get(section, []):
                    self.missing += [name for name in group["identifiers"] if name not in self.references]


class Site:
    """All pages that can be reached from the landing page: `problems` lists the links that lead nowhere."""

    def __init__(self, folder):
        self.folder = folder
        self.pages = {}
        self.problems = []
        self.links = self.anchored = self.external = self.files = 0
        self.read()
        for address, page in sorted(self.pages.items()):
            self.follow(address, page)

    def read(self):
        waiting = [ROOT]
        while waiting:
            address = waiting.pop()
            path = f"{self.folder}/data{address}.json"
            if address in self.pages or not os.path.exists(path):
                continue
            with open(path, encoding="utf-8") as file:
                self.pages[address] = page = Page(json.load(file))
            for reference in page.references.values():
                target = reference.get("url", "").partition("#")[0]
                if target.startswith(ROOT):
                    waiting.append(normal(target))

    def unreached(self):
        """The pages that no other page leads to."""
        for folder, _, names in os.walk(f"{self.folder}/data"):
            for name in names:
                address = os.path.join(folder, name).removeprefix(f"{self.folder}/data").removesuffix(".json")
                if address not in self.pages:
                    yield address

    def follow(self, address, page):
        for name in page.missing:
            self.problems.append(f"{address}: refers to {name}, which is not described")
        for reference in page.references.values():
            kind = reference.get("type")
            if kind in ("image", "video", "file", "download"):
                for each in walk(reference):
                    if isinstance(each.get("url"), str):
                        self.file(address, each["url"])
            elif "url" in reference:
                self.link(address, page, reference["url"])

    def file(self, address, url):
        self.files += 1
        if not os.path.isfile(self.folder + url):
            self.problems.append(f"{address}: there is no file {url}")

    def link(self, address, page, url):
        path, _, anchor = url.partition("#")
        if ":" in path.partition("/")[0]:
            self.external += 1
            if not EXTERNAL.fullmatch(url):
                self.problems.append(f"{address}: {url} is no valid address")
            return
        self.links += 1
        if path:
            if not path.startswith("/"):
                self.problems.append(f"{address}: the link to {url} leads to a file that is not on the site")
                return
            if normal(path) not in self.pages or not os.path.isfile(f"{self.folder}{normal(path)}/index.html"):
                self.problems.append(f"{address}: the link to {url} leads to no page")
                return
            page = self.pages[normal(path)]
        if anchor:
            self.anchored += 1
            if anchor not in page.anchors:
                self.problems.append(f"{address}: the link to {url} leads to no heading")
