"""Tuple types with three and more fields, which should be structures."""

import re

ALIAS = re.compile(r"\btypealias (\w+)(?:<[^>]*>)? =\s*\(")
# A result, or the type of a property, a parameter or an element. An expression has no type before its fields.
NAMELESS = re.compile(r"(?:->|:|\[)\s*\((?=\s*(?:\w+: |[A-Z]))")
FUNCTION = re.compile(r"\s*(async\b|throws\b|->)")
CLOSERS = {"(": ")", "[": "]", "<": ">"}


def aliases(file):
    """(line, name) of each alias of such a tuple."""
    return tuples(file, ALIAS)


def nameless(file):
    """(line, beginning) of each such tuple that is written where it is used."""
    return tuples(file, NAMELESS)


def tuples(file, opening):
    """The tuples that begin as given. The parameters of a function type are none."""
    found = []
    for match in opening.finditer(file.text):
        fields, end = fields_of(file.text, match.end())
        if fields >= 3 and not FUNCTION.match(file.text, end):
            line = file.code[file.text.count("\n", 0, match.start())][0]
            text = " ".join(file.text[match.end() : end - 1].split())
            found.append((line, match[1] if opening is ALIAS else f"({text})"))
    return found


def fields_of(text, start):
    """The number of fields of the tuple whose fields begin at `start`, and the index after the tuple."""
    closers = [")"]
    fields = 1
    index = start
    while closers and index < len(text):
        sign = text[index]
        if sign in CLOSERS:
            closers.append(CLOSERS[sign])
        elif sign == closers[-1] and text[index - 1 : index + 1] != "->":
            closers.pop()
        elif sign == "," and len(closers) == 1:
            fields += 1
        index += 1
    return fields, index
