"""Follows the links of the site that Scripts/site.sh has built, and opens some of its pages in a browser.

    python3 Scripts/site.py FOLDER BASE     the site in FOLDER, for a server that shows it at /BASE
"""

import functools
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import threading

folder, base = sys.argv[1:]
data = pathlib.Path(folder, "data")
pages = {"/" + str(path.relative_to(data).with_suffix("")): json.loads(path.read_text("utf-8"))
         for path in data.rglob("*.json")}
problems = []


def values(node, key):
    """All values of a key, in any depth."""
    if isinstance(node, dict):
        yield from [node[key]] if key in node else []
        node = list(node.values())
    for each in node if isinstance(node, list) else []:
        yield from values(each, key)


def problem(reference):
    """What is wrong with a reference of a page, if anything."""
    if "variants" in reference:
        lost = [each["url"] for each in reference["variants"] if not os.path.exists(folder + each["url"])]
        return f"the file {lost[0]} is missing" if lost else None
    url, _, anchor = reference.get("url", "").partition("#")
    if re.match(r"https?://|mailto:", url):
        return None
    if url.startswith("/"):
        if url.lower() not in pages:
            return f"the link to {url} leads to no page"
        if anchor and anchor not in set(values(pages[url.lower()], "anchor")):
            return f"the link to {url}#{anchor} leads to no heading"
    elif url:
        return f"the link to {url} leads to a file that is not on the site"
    return None


links = 0
for address, page in pages.items():
    for reference in page.get("references", {}).values():
        links += 1
        if found := problem(reference):
            problems.append(f"{address}: {found}")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the folder at the path of the site, and nothing else."""

    def translate_path(self, path):
        is_inside = path.startswith(f"/{base}/")
        return super().translate_path(path.removeprefix(f"/{base}") if is_inside else "/not-found")

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
threading.Thread(target=server.serve_forever, daemon=True).start()
# The landing page, each module with its first article, and one symbol.
opened = {"/documentation": pages["/documentation"]}
for kind, depth in (("collection", 2), ("article", 3), ("symbol", 3)):
    for address, page in sorted(pages.items()):
        module = (kind, address.split("/")[2:3] if kind != "symbol" else None)
        if page.get("metadata", {}).get("role") == kind and address.count("/") == depth \
                and not any(module == other.get("chosen") for other in opened.values()):
            opened[address] = {**page, "chosen": module}
for address, page in opened.items():
    shown = subprocess.run(
        [os.environ.get("CHROMIUM", "chromium"), "--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom",
         "--disable-dev-shm-usage", "--enable-logging=stderr", "--virtual-time-budget=20000",
         f"http://127.0.0.1:{server.server_port}/{base}{address}/"],
        capture_output=True, text=True, timeout=120)
    content = re.sub(r"<noscript>.*?</noscript>", "", shown.stdout, flags=re.DOTALL)
    heading = re.search(r"<h1[^>]*>(.*?)</h1>", content, re.DOTALL)
    heading = re.sub(r"<[^>]*>|\s|\u200b", "", heading[1]) if heading else "nothing"
    title = re.sub(r"\s", "", page["metadata"]["title"])
    if heading != title:
        problems.append(f"{address}: the browser shows {heading} in place of {title}")
    problems += [f"{address}: the browser reports: {line}" for line in shown.stderr.splitlines()
                 if "CONSOLE" in line and re.search("error|Uncaught|Failed", line)]

print(*problems[:40], sep="\n", end="\n" if problems else "", file=sys.stderr)
print(f"{links} links on {len(pages)} pages; a browser has opened {len(opened)}.")
sys.exit(1 if problems or links == 0 else 0)
