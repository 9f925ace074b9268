"""Checks that each folder of a package's sources uses only folders above it, in the table *Folders* of its page.

    rooms.py PACKAGE

Goes by the names of types and functions at top level, as Scripts/measure/circles.py finds them.
"""

import os
import re
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, "Scripts/measure")

import circles  # noqa: E402
import swift  # noqa: E402

package = sys.argv[1]
sources = f"Integrations/{package}/Sources/EventBus{package}/"
with open(f"Integrations/{package}/README.md", encoding="utf-8") as page:
    table = page.read().partition("\n## Folders\n")[2].partition("\n## ")[0]
order = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


def room(path):
    """The position of a file's folder in the table."""
    return order.index(path.removeprefix(sources).split("/")[0])


files = swift.read(sources)
folders = {file.path.removeprefix(sources).split("/")[0] for file in files}
problems = [f"{name} is in the table or among the folders only" for name in sorted(folders ^ set(order))]
if not problems:
    problems = [
        f"{path} uses {', '.join(sorted(names))} of {order[room(home)]}, which is not above {order[room(path)]}"
        for path, used in circles.uses(files).items()
        for home, names in used.items()
        if room(home) > room(path)
    ]
for problem in problems:
    print(f"error: {problem}")
print(f"rooms: {len(files)} files in {len(order)} folders, {len(problems)} wrong")
sys.exit(1 if problems or not files else 0)
