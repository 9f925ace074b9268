"""Follows every link of the site that Scripts/site.sh has built.

    python3 Scripts/site FOLDER BASE     the site in FOLDER, for a server that shows it at /BASE

All pages are read as data. A browser opens the landing page, the modules, all articles, and one symbol of each kind.
"""

import functools
import http.server
import sys
import threading
import urllib.parse

import chromium
import forge
import pages


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the files of the folder under the path of the site only."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *arguments, base, **options):
        self.base = base
        super().__init__(*arguments, **options)

    def translate_path(self, path):
        if not path.startswith(f"/{self.base}/"):
            return self.directory + "/not-found"
        return super().translate_path(path.removeprefix(f"/{self.base}"))

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """Says nothing about connections that the browser closes before it has read all of a file."""

    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Opened:
    """The pages that a browser has opened: `problems` lists what is wrong with them."""

    def __init__(self, site, folder, base):
        self.site = site
        self.links = 0
        self.problems = []
        handler = functools.partial(Handler, base=base, directory=folder)
        server = Server(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.root = f"http://127.0.0.1:{server.server_port}/{base}"
        self.addresses = ["", *self.chosen()]
        with chromium.Browser() as browser:
            for address in self.addresses:
                self.open(browser, address)
        server.shutdown()

    def chosen(self):
        """The addresses of the pages to open."""
        kinds = set()
        for address, page in sorted(self.site.pages.items()):
            if page.role == "symbol":
                if page.symbol_kind in kinds:
                    continue
                kinds.add(page.symbol_kind)
            if page.role in ("symbol", "article", "collection"):
                yield address

    def open(self, browser, address):
        content, complaints = browser.open(f"{self.root}{address}/")
        place = address or "the root of the site"
        self.problems += [f"{place}: the browser reports: {each}" for each in complaints]
        if not content or content["isMissing"]:
            self.problems.append(f"{place}: the browser shows {content['heading'] if content else 'nothing'}")
            return
        page = self.site.pages[address or pages.ROOT]
        # The renderer marks where a long name may be broken.
        heading = content["heading"].replace("\u200b", "")
        if not page.title or heading != page.title or not content["title"].startswith(page.title):
            self.problems.append(
                f"{place}: the title is {heading!r}, in the tab {content['title']!r}, and should be {page.title!r}")
        self.problems += [f"{place}: the image {each} is not shown" for each in content["brokenImages"]]
        for link in set(content["links"]):
            self.links += 1
            if problem := self.problem(link, address or pages.ROOT, content["anchors"]):
                self.problems.append(f"{place}: the link to {link} {problem}")

    def problem(self, link, own, anchors):
        """What is wrong with a link that the browser shows, if anything."""
        url, _, anchor = link.partition("#")
        if not url.startswith(self.root + "/"):
            return None if forge.EXTERNAL.fullmatch(link) and "127.0.0.1" not in url else "leads out of the site"
        target = pages.normal(urllib.parse.unquote(url.removeprefix(self.root)))
        if target not in self.site.pages:
            return "leads to no page"
        if target != own:
            anchors = self.site.pages[target].anchors
        if anchor and urllib.parse.unquote(anchor) not in anchors:
            return "leads to no heading"
        return None


def main():
    folder, base = sys.argv[1:]
    site = pages.Site(folder)
    opened = Opened(site, folder, base)
    unreached = [f"{address}: no page leads here" for address in site.unreached()]
    problems = site.problems + unreached + opened.problems
    for problem in problems[:40]:
        print(problem, file=sys.stderr)
    if len(problems) > 40:
        print(f"and {len(problems) - 40} more", file=sys.stderr)
    print(f"{site.links} links and {site.external} external ones on {len(site.pages)} pages; {opened.links} on the "
          f"{len(opened.addresses)} that a browser has opened.")
    sys.exit(1 if problems else 0)


main()
