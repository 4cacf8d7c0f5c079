"""Nested lists of words and numbers, as lenient as toulbar2 reads JSON: quotes, commas and colons are optional."""

from __future__ import annotations

import re

from hedgehop import _core
from hedgehop.io.streams import FilePath, blocks

_COMMENT = re.compile(rb"^#.*$", re.MULTILINE)
_TOKEN = re.compile(rb'\[[-+0-9.,\s]*\]|[\[\]{}]|"[^"]*"|[^\s,:\[\]{}"]+|"')
_SPACES = bytes.maketrans(b",[]", b"   ")


class Node(list["float | str | Node"]):
    """What stands between two brackets, and where."""

    def __init__(self, place: int) -> None:
        super().__init__()
        self.place = place

    def nodes(self) -> list[Node]:
        """Items that are lists themselves."""
        return [item for item in self if isinstance(item, Node)]


class Document:
    """The one list a file holds. Errors name the file and the line."""

    def __init__(self, path: FilePath, max_bytes: int) -> None:
        self.path = path
        self._text = _COMMENT.sub(lambda found: b" " * len(found[0]), b"".join(blocks(path, max_bytes)))
        self.root = self._parsed()

    def error(self, problem: str, place: int) -> ValueError:
        """Return an error that names the line of a place in the text."""
        line = 1 + self._text.count(b"\n", 0, place)
        return ValueError(f"{self.path}, line {line}: {problem}.")

    def _parsed(self) -> Node:
        open_nodes = [Node(0)]
        for found in _TOKEN.finditer(self._text):
            word, place = found[0], found.start()
            if word in (b"[", b"{"):
                open_nodes.append(Node(place))
                continue
            if word in (b"]", b"}"):
                if len(open_nodes) == 1:
                    raise self.error("a bracket is closed that was not opened", place)
                node: float | str | Node = open_nodes.pop()
            else:
                node = self._item(word, place)
            open_nodes[-1].append(node)
        if len(open_nodes) > 1:
            raise self.error("a bracket is never closed", open_nodes[-1].place)
        return open_nodes[0]

    def _item(self, word: bytes, place: int) -> float | str | Node:
        if word == b'"':
            raise self.error("a quote is never closed", place)
        if word.startswith(b"["):
            return self._numbers(word, place)
        bare = word.strip(b'"')
        numbers, stop = _core.parse_numbers(bare)
        if numbers.size == 1 and stop == len(bare) and bare[:1] in b"+-.0123456789":
            return float(numbers[0])
        return bare.decode("utf-8", "replace")

    def _numbers(self, word: bytes, place: int) -> Node:
        """Return a list of nothing but numbers, parsed at once."""
        text = word.translate(_SPACES)
        numbers, stop = _core.parse_numbers(text)
        if stop < len(text):
            raise self.error("a number in the range of doubles is expected", place + stop)
        node = Node(place)
        node.extend(numbers.tolist())
        return node
