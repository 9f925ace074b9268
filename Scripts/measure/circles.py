"""The circles of files: files that use one another's names, directly or through others.

A file uses a name if its code has it as a type or calls it as a function, not as a member of something, and if the
file declares nothing of that name itself. The names are those of types, aliases and functions at top level, as far
as the file can see them. An extension declares no name, but uses the type it extends.
"""

from collections import defaultdict


def uses(files):
    """For each file, the files whose top-level names it uses, with those names.

    A name may have several files, one for each platform. If two modules declare it, the own module's is meant.
    """
    inside, exported = defaultdict(list), defaultdict(list)
    for file in files:
        for name in file.top_level_names:
            inside[file.module, name].append(file.path)
        for name in file.exported_names:
            exported[name].append(file.path)
    found = {file.path: defaultdict(set) for file in files}
    for file in files:
        for name in file.foreign_names:
            for home in inside.get((file.module, name)) or exported.get(name, ()):
                found[file.path][home].add(name)
    return found


def circles(files):
    """The circles, largest first: the strongly connected components of the uses, by Tarjan's algorithm."""
    arrows = uses(files)
    number, lowest, open_files, found = {}, {}, [], []

    def visit(path):
        number[path] = lowest[path] = len(number)
        open_files.append(path)
        for other in arrows[path]:
            if other not in number:
                visit(other)
            if other in open_files:
                lowest[path] = min(lowest[path], lowest[other])
        if lowest[path] == number[path]:
            start = open_files.index(path)
            found.append(sorted(open_files[start:]))
            del open_files[start:]

    for path in arrows:
        if path not in number:
            visit(path)
    return sorted((each for each in found if len(each) > 1), key=len, reverse=True)


def rooms(circle):
    """The rooms that a circle touches: the innermost folders of Scripts/layers.txt that hold its files."""
    with open("Scripts/layers.txt", encoding="utf-8") as file:
        folders = [line.split(":")[0] for line in file if "/" in line and not line.startswith("#")]
    return {max((f for f in folders if path.startswith(f"Sources/{f}/")), key=len, default="") for path in circle}


def misplaced(files):
    """The names that three or more other files use and that no file is called after.

    Returns (number of using files, name, paths of the declaring files), most used first. The file of a function
    may begin with a capital letter.
    """
    users, homes = defaultdict(set), defaultdict(set)
    for path, used in uses(files).items():
        for home, names in used.items():
            for name in names:
                users[name].add(path)
                homes[name].add(home)
    stems = {file.path: file.stem.lower() for file in files}
    found = [
        (len(users[name]), name, sorted(homes[name]))
        for name in users
        if len(users[name]) >= 3 and name.lower() not in {stems[home] for home in homes[name]}
    ]
    return sorted(found, key=lambda row: (-row[0], row[1]))
