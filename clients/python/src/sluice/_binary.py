"""Binary frames of `sluice.v1.bin`: PROTOCOL.md, section 5, and `publish` in section 3."""

from __future__ import annotations

import base64
import json
import struct
from typing import Any

from ._frames import BadFrame, Frame, Members

SUBPROTOCOLS = {"binary": "sluice.v1.bin", "json": "sluice.v1.json"}

_MESSAGE, _DELIVERY = 1, 2
_HAS_MEMBERS, _HAS_REF, _REDELIVERED = 0x40, 0x80, 0x80
_BYTES, _JSON, _REMOVAL = 1, 2, 3
_LOW = 0xFFFFFFFF
_MESSAGE_HEADER = struct.Struct("!II8sI")
_DELIVERY_START = struct.Struct("!BII")
_ID_AND_TIME = struct.Struct("!8sI")
_REF = struct.Struct("!I")
_LENGTH = struct.Struct("!H")

_PUBLISH_TEXT, _PUBLISH_BYTES, _PUBLISH_MEMBERS = 0x02, 0x12, 0x20
_PUBLISH_HEADER = struct.Struct("!BIH")
_IN_HEADER = ("type", "ref", "topic", "payload")
_MAX_LENGTH = 0xFFFF


def above(previous: int, low: int) -> int:
    """Returns the smallest number above another one with these low 32 bits."""
    return previous + 1 + ((low - previous - 1) & _LOW)


class Offsets:
    """Full offsets of one subscription's messages from their low 32 bits."""

    def __init__(self, answer: int, replay: int = 0) -> None:
        self._answer = self._previous = answer
        self._replay_left = replay

    def widen(self, low: int) -> int:
        if self._replay_left > 0:
            self._replay_left -= 1
            # The largest number up to that of the answer.
            return self._answer - ((self._answer - low) & _LOW)
        self._previous = above(self._previous, low)
        return self._previous


class BinaryDecoder:
    """Decoder of the binary frames of one connection.

    It returns the same frames as the JSON encoding, except that a payload of bytes is `bytes`. It
    has to observe the text frames in their order.
    """

    def __init__(self) -> None:
        #: Topic of a channel, and the pattern through which its messages arrive.
        self._channels: dict[int, tuple[str, str | None]] = {}
        #: Offsets of the plain subscriptions by topic or pattern, and of the tagged ones by ref.
        self._offsets: dict[str | int | None, Offsets] = {}
        #: Latest tags of the consumers by their ref.
        self._tags: dict[int | None, int] = {}

    def observe(self, frame: Frame) -> None:
        """Records what a text frame defines for later binary frames."""
        try:
            self._record(frame)
        except BadFrame as error:
            error.members = frame.members
            raise

    def _record(self, frame: Frame) -> None:
        kind = frame.kind
        if kind == "subscribed":
            topic = frame.text("topic")
            key = frame.ref if frame.flag("tagged") else topic
            replay = frame.optional_number("replay") or 0
            self._offsets[key] = Offsets(frame.number("offset"), replay)
            if frame.has("channel"):
                self._channels[frame.number("channel")] = (topic, None)
        elif kind == "channel":
            route = (frame.text("topic"), frame.text("pattern"))
            self._channels[frame.number("channel")] = route
        elif kind == "gap":
            key = frame.ref if frame.has("ref") else frame.text("topic")
            if key in self._offsets:
                self._offsets[key] = Offsets(frame.number("offset"))
        elif kind == "consuming":
            self._tags[frame.ref] = 0
        elif kind == "delivery" and frame.ref in self._tags:
            self._tags[frame.ref] = frame.number("tag")

    def decode(self, data: bytes, node_time: float) -> Frame | None:
        """Decodes a frame; returns None for an unknown type, which must be ignored.

        `node_time` is the time of the node's clock, which completes the times.
        """
        members: Members = {}
        try:
            kind = data[0] & 0x0F
            if kind == _MESSAGE:
                self._message(data, int(node_time), members)
                return Frame(members, "message")
            if kind == _DELIVERY:
                self._delivery(data, int(node_time), members)
                return Frame(members, "delivery")
            return None
        except (struct.error, IndexError) as error:
            raise _bad(f"binary frame is too short: {len(data)} bytes", members) from error
        except (ValueError, RecursionError) as error:  # not UTF-8, or not JSON
            raise _bad(f"binary frame has an invalid payload: {error}", members) from error
        except BadFrame as error:
            error.members = members
            raise

    def _message(self, data: bytes, node_time: int, members: Members) -> None:
        """Adds the members of a message; those that precede an unreadable part remain."""
        word = int.from_bytes(data[:4], "big") if len(data) >= 4 else -1
        first, at = word >> 24, _MESSAGE_HEADER.size
        route = self._channels.get(word & 0xFFFFFF)
        if route is None:
            raise BadFrame(f"binary message on the unknown channel {word & 0xFFFFFF}")
        topic, pattern = route
        key: str | int = topic
        ref = _REF.unpack_from(data, at) if first & _HAS_REF else ()
        members.update({"type": "message", "topic": topic})
        if pattern is not None:
            members["pattern"] = key = pattern
        if ref:
            (members["ref"],) = (key,) = ref
            at += _REF.size
        _, offset_low, identity, time_low = _MESSAGE_HEADER.unpack_from(data)
        offsets = self._offsets.get(key)
        # Without them, the message belongs to a subscription that was never answered.
        members["offset"] = offsets.widen(offset_low) if offsets else offset_low
        members["id"] = identity.hex()
        members["time"] = _time(node_time, time_low)
        if first & _HAS_MEMBERS:
            members["properties"], at = _json_part(data, at)
        _put_payload(first, data, at, members)

    def _delivery(self, data: bytes, node_time: int, members: Members) -> None:
        """Adds the members of a delivery; those that precede an unreadable part remain."""
        members["type"] = "delivery"
        first, ref, tag_low = _DELIVERY_START.unpack_from(data)
        members["ref"] = ref
        if ref in self._tags:
            self._tags[ref] = members["tag"] = above(self._tags[ref], tag_low)
        elif tag_low:
            members["tag"] = tag_low
        identity, time_low = _ID_AND_TIME.unpack_from(data, _DELIVERY_START.size)
        at = _DELIVERY_START.size + _ID_AND_TIME.size
        members["id"] = identity.hex()
        members["time"] = _time(node_time, time_low)
        if first & _REDELIVERED:
            members["redelivered"] = True
        if first & _HAS_MEMBERS:
            further, at = _json_part(data, at)
            members.update(further)
        _put_payload(first, data, at, members)


def _bad(text: str, members: Members) -> BadFrame:
    error = BadFrame(text)
    error.members = members
    return error


def _time(node_time: int, low: int) -> int:
    """Returns the time with these low bits that is nearest to the node's clock."""
    difference = (low - node_time) & _LOW
    return node_time + (difference - _LOW - 1 if difference > _LOW >> 1 else difference)


def _json_part(data: bytes, at: int) -> tuple[Members, int]:
    (length,) = _LENGTH.unpack_from(data, at)
    start = at + _LENGTH.size
    end = start + length
    if end > len(data):
        raise IndexError
    members = json.loads(data[start:end].decode())
    if not isinstance(members, dict):
        raise BadFrame(f"members of a binary frame must be a JSON object, not {members!r}")
    return members, end


def _put_payload(first: int, data: bytes, at: int, members: Members) -> None:
    kind = first >> 4 & 3
    if kind == _BYTES:
        members["payload"] = data[at:]
    elif kind == _JSON:
        members["encoding"] = "json"
        members["payload"] = json.loads(data[at:].decode())
    elif kind == _REMOVAL:
        members["removed"] = True
        members["payload"] = ""
    else:
        members["payload"] = data[at:].decode()


def to_text(frame: Members) -> str:
    """Returns a frame, whose payload may be bytes, as JSON."""
    payload = frame.get("payload")
    if isinstance(payload, bytes):
        frame = {**frame, "payload": base64.b64encode(payload).decode(), "encoding": "base64"}
    return json.dumps(frame)


def to_binary(frame: Members) -> bytes | None:
    """Returns a publish of text or bytes as a binary frame; None for frames without that form."""
    payload: Any = frame.get("payload")
    is_text = isinstance(payload, str) and "encoding" not in frame
    if frame["type"] != "publish" or not (is_text or isinstance(payload, bytes)):
        return None
    topic = frame.get("topic", "").encode()
    further = {name: value for name, value in frame.items() if name not in _IN_HEADER}
    members = json.dumps(further, separators=(",", ":")).encode() if further else b""
    if frame["ref"] > _LOW or max(len(topic), len(members)) > _MAX_LENGTH:
        return None
    first = (_PUBLISH_TEXT if is_text else _PUBLISH_BYTES) | (_PUBLISH_MEMBERS if members else 0)
    header = _PUBLISH_HEADER.pack(first, frame["ref"], len(topic))
    length = _LENGTH.pack(len(members)) if members else b""
    return b"".join((header, topic, length, members, payload.encode() if is_text else payload))
