"""Frames of the node. Accessors name the frame and the member if it is of the wrong kind."""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

Value = TypeVar("Value")
Members = dict[str, Any]

_ID = re.compile("[0-9a-f]{16}")
_MAX_SHOWN = 80


#: Kind of the frame that stands for an unreadable one; no node can send it.
UNREADABLE = " unreadable"


class BadFrame(Exception):
    """Violation of the protocol by a frame; the text names the member.

    `members` are those that were readable.
    """

    members: Members = {}


class Frame:
    """Frame, or an object within it."""

    def __init__(self, members: Members, name: str | None = None) -> None:
        self.members = members
        self._name = "frame"
        self._name = self.text("type") if name is None else name

    @property
    def kind(self) -> str:
        """Type of the frame."""
        return self._name

    @property
    def ref(self) -> int | None:
        return self.optional_number("ref")

    def has(self, member: str) -> bool:
        return member in self.members

    def text(self, member: str) -> str:
        return self._require(member, str, "a string")

    def optional_text(self, member: str) -> str | None:
        return self.text(member) if self.has(member) else None

    def number(self, member: str) -> int:
        # A bool is an int in Python, but not in JSON.
        if isinstance(self.members.get(member), bool):
            raise self.wrong(member, "an integer")
        return self._require(member, int, "an integer")

    def optional_number(self, member: str) -> int | None:
        return self.number(member) if self.has(member) else None

    def flag(self, member: str) -> bool:
        return self.has(member) and self._require(member, bool, "a boolean")

    def object(self, member: str) -> Frame:
        return Frame(self._require(member, dict, "an object"), f"{self._name}: {member}")

    def optional_members(self, member: str) -> Members:
        return self.object(member).members if self.has(member) else {}

    def properties(self) -> Members:
        members = self.optional_members("properties")
        if any(value is None or isinstance(value, (dict, list)) for value in members.values()):
            raise self.wrong("properties", "strings, numbers or booleans")
        return members

    def list(self, member: str) -> list[Any]:
        return self._require(member, list, "a list") if self.has(member) else []

    def id(self) -> str:
        if not is_id(self.text("id")):
            raise self.wrong("id", "16 hexadecimal digits")
        return self.text("id")

    def ids(self) -> list[str]:
        """Returns the identities of `ids`; none if it is absent."""
        ids = self.list("ids")
        if not all(isinstance(identity, str) and is_id(identity) for identity in ids):
            raise self.wrong("ids", "a list of 16 hexadecimal digits each")
        return ids

    def wrong(self, member: str, expected: str) -> BadFrame:
        """Returns the error for a member that is not as expected."""
        actual = json.dumps(self.members[member])[:_MAX_SHOWN] if self.has(member) else "absent"
        return BadFrame(f"{self._name}: {member} must be {expected}, not {actual}")

    def _require(self, member: str, expected_type: type[Value], expected: str) -> Value:
        value = self.members.get(member)
        if not isinstance(value, expected_type):
            raise self.wrong(member, expected)
        return value


def is_id(text: str) -> bool:
    """Returns whether this is the identity of a message."""
    return _ID.fullmatch(text) is not None


def parse(text: str) -> Frame:
    """Parses a text frame."""
    try:
        members = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadFrame(f"frame is not JSON: {error}") from error
    if not isinstance(members, dict):
        raise BadFrame(f"frame must be a JSON object, not {text[:_MAX_SHOWN]}")
    return Frame(members)
