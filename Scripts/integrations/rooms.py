"""Checks that each folder of a package's sources uses only folders above it, in the table *Folders* of its page.

    rooms.py PACKAGE

Goes by the names of types and functions that a file declares at top level, as far as other files see them.
"""

import collections
import os
import pathlib
import re
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
package = sys.argv[1]
sources = pathlib.Path(f"Integrations/{package}/Sources/EventBus{package}")
page = pathlib.Path(f"Integrations/{package}/README.md").read_text("utf-8")
table = page.partition("\n## Folders\n")[2].partition("\n## ")[0]
order = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)

COMMENT = re.compile(r"//[^\n]*|\"(?:\\.|[^\"\\\n])*\"")
DECLARED = re.compile(
    r"^(?!.*\b(?:private|fileprivate)\b)(?:@\S+ +|[a-z]+ +)*?"
    r"(?:class|struct|enum|protocol|actor|typealias|func) +(\w+)", re.MULTILINE)
OWN = re.compile(r"\b(?:class|struct|enum|protocol|actor|typealias|func|let|var|case) +(\w+)")
USED = re.compile(r"(?<![\w.])(?:[A-Z]\w*|[a-z]\w*(?=\s*[({]))")

code = {path: COMMENT.sub("", path.read_text("utf-8")) for path in sorted(sources.rglob("*.swift"))}
rooms = {path: path.relative_to(sources).parts[0] for path in code}
homes = collections.defaultdict(set)
for path, text in code.items():
    for name in DECLARED.findall(text):
        homes[name].add(rooms[path])

problems = [f"{name} is in the table or among the folders only" for name in sorted(set(rooms.values()) ^ set(order))]
if not problems:
    for path, text in code.items():
        for name in sorted(set(USED.findall(text)) - set(OWN.findall(text))):
            # A name of several folders is the nearest one.
            below = [room for room in homes[name] if order.index(room) > order.index(rooms[path])]
            if below and len(below) == len(homes[name]):
                problems.append(f"{path} uses {name} of {below[0]}, which is not above {rooms[path]}")
for problem in problems:
    print(f"error: {problem}")
print(f"rooms: {len(code)} files in {len(order)} folders, {len(problems)} wrong")
sys.exit(1 if problems or not code else 0)
