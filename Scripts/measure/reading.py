"""The lists of *Where to read* in CONTRIBUTING.md: which files a reader opens, in which order."""

import re
from collections import Counter
from dataclasses import dataclass

PAGE = "CONTRIBUTING.md"
ITEM = re.compile(r"\d+\. `([^`]+)`")
SUPERCLASS = re.compile(r"^(?:\w+ )*class \w+(?:<[^>]*>)?\s*:\s*(\w+)", re.M)
# A name that more files declare is too common to show that one file leads to another.
COMMON = 3


@dataclass
class Path:
    """A list: its title, and the files of its parts. A later part continues the earlier ones."""

    title: str
    parts: list

    def files(self, parts):
        """The files of the first parts."""
        return [name for part in self.parts[:parts] for name in part]


def paths():
    """The lists of the page. A title is bold; a line of text between two items begins another part."""
    with open(PAGE, encoding="utf-8") as file:
        section = file.read().split("\n## Where to read\n")[1].split("\n## ")[0]
    found = []
    for line in section.split("\n"):
        title = re.match(r"\*\*(.+?)\*\*", line)
        item = ITEM.match(line)
        if title:
            found.append(Path(title[1], [[]]))
        elif item and found:
            found[-1].parts[-1].append(item[1])
        elif found and found[-1].parts[-1] and re.match(r"\S", line):
            found[-1].parts.append([])
    for path in found:
        path.parts = [part for part in path.parts if part]
    return found


def problems(files):
    """What is wrong with the lists: files that do not exist, that nothing leads to, or that are missing."""
    by_name = {}
    for file in files:
        by_name.setdefault(file.name, []).append(file)
    telling = telling_names(files)
    found = []
    for path in paths():
        listed = []
        for name in path.files(len(path.parts)):
            if len(by_name.get(name, [])) != 1:
                found.append(f"{path.title}: {len(by_name.get(name, []))} files in Sources/ are called {name}")
                continue
            file = by_name[name][0]
            if listed and not any(leads(earlier, file, telling) for earlier in listed):
                found.append(f"{path.title}: no file before {name} uses a name of it, nor it a name of theirs")
            listed.append(file)
        found += [f"{path.title}: {name}, a superclass, is missing" for name in missing_superclasses(listed, files)]
    return found


def telling_names(files):
    """For each file, the names that it and few others declare, members included."""
    names = {
        file.path: {each.name for each in file.declarations if each.name and not each.is_hidden}
        for file in files
    }
    frequency = Counter(name for each in names.values() for name in each)
    return {path: {name for name in each if frequency[name] <= COMMON} for path, each in names.items()}


def leads(one, other, telling):
    return bool(telling[one.path] & other.words or telling[other.path] & one.words)


def missing_superclasses(listed, files):
    """The files of the superclasses of the classes in a list, as far as the list lacks them."""
    homes = {
        each.name: file
        for file in files
        for each in file.declarations
        if each.is_top_level and each.kind == "class"
    }
    wanted = {homes[name].name for file in listed for name in SUPERCLASS.findall(file.text) if name in homes}
    return sorted(wanted - {file.name for file in listed})
