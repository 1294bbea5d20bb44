"""Messages, and payloads and options to publish."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass, field, fields
from typing import Any, Union

from ._errors import invalid_argument
from ._frames import Frame, Members

#: Content to publish: text, bytes, a dict (JMS MapMessage) or a list (StreamMessage).
Payload = Union[str, bytes, dict[str, Any], list[Any]]
#: Topic, or {"topic": "…"} or {"queue": "…"}.
Destination = Union[str, dict[str, str]]


def target(destination: Destination) -> Members:
    """Returns the members of a destination."""
    return {"topic": destination} if isinstance(destination, str) else dict(destination)


def decode(frame: Frame) -> Any:
    """Returns the payload of a frame."""
    payload = frame.members.get("payload")
    if isinstance(payload, bytes):
        return payload
    encoding = frame.optional_text("encoding")
    if encoding is None:
        return frame.text("payload")
    if encoding == "base64":
        try:
            return base64.b64decode(frame.text("payload"), validate=True)
        except binascii.Error as error:
            raise frame.wrong("payload", "base64") from error
    if encoding != "json" or not frame.has("payload"):
        raise frame.wrong("encoding", '"base64" or "json" with a payload')
    return frame.members["payload"]


def encode(payload: Payload) -> Members:
    """Returns the members of a payload to publish."""
    if isinstance(payload, str):
        return {"payload": payload}
    if isinstance(payload, bytes):
        return {"encoding": "base64", "payload": _base64(payload)}
    if isinstance(payload, dict):
        body = {name: _element(value) for name, value in payload.items()}
        return {"encoding": "json", "payload": body}
    if isinstance(payload, list):
        return {"encoding": "json", "payload": [_element(value) for value in payload]}
    raise invalid_argument(f"payload must be str, bytes, dict or list, not {type(payload)}")


def put(payload: Payload) -> Members:
    """Returns the members of a publish, whose bytes are encoded by its connection."""
    return {"payload": payload} if isinstance(payload, bytes) else encode(payload)


def _element(value: Any) -> Any:
    return {"base64": _base64(value)} if isinstance(value, bytes) else value


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


class Content:
    """Payload of a received message."""

    #: The published value: str, bytes, dict or list.
    payload: Any

    @property
    def text(self) -> str:
        """Payload as text: that of bytes as UTF-8, that of a dict or list as JSON."""
        if isinstance(self.payload, bytes):
            return self.payload.decode()
        return self.payload if isinstance(self.payload, str) else json.dumps(self.payload)

    def json(self) -> Any:
        """Returns a dict or list; text and bytes are parsed.

        Raises ValueError if the payload is not JSON.
        """
        is_text = isinstance(self.payload, (str, bytes))
        return json.loads(self.payload) if is_text else self.payload


@dataclass(frozen=True)
class Message(Content):
    """Message of a subscription."""

    #: Concrete topic.
    topic: str
    #: Pattern through which the message arrived; None for a topic.
    pattern: str | None
    #: Number in the subscription on this node.
    offset: int
    #: Identity, 16 hexadecimal digits; the same on every node.
    id: str
    #: Acceptance by the broker, in milliseconds since 1970.
    time: int
    #: JMS properties.
    properties: dict[str, Any]
    #: Whether the message removes its topic or key; the payload is then empty.
    removed: bool
    payload: Any

    @classmethod
    def of(cls, frame: Frame) -> Message:
        return cls(
            topic=frame.text("topic"),
            pattern=frame.optional_text("pattern"),
            offset=frame.number("offset"),
            id=frame.id(),
            time=frame.number("time"),
            properties=frame.properties(),
            removed=frame.flag("removed"),
            payload=decode(frame),
        )


@dataclass(frozen=True)
class Reply(Content):
    """Reply to a request."""

    id: str
    time: int
    properties: dict[str, Any]
    #: JMSType; None if there is none.
    message_type: str | None
    payload: Any

    @classmethod
    def of(cls, frame: Frame) -> Reply:
        return cls(
            id=frame.id(),
            time=frame.number("time"),
            properties=frame.properties(),
            message_type=frame.optional_text("messageType"),
            payload=decode(frame),
        )


@dataclass(frozen=True)
class Gap:
    """Point of a subscription's stream at which messages may be missing."""

    #: Subscribed topic or pattern.
    topic: str
    #: Reason of the node, or "not-recovered", "snapshot-cut" or "unreadable" of the client.
    reason: str

    @property
    def starts_over(self) -> bool:
        """Whether the application starts over, because the current state follows."""
        return self.reason in ("not-recovered", "snapshot-cut")


_NAMES = {"message_type": "messageType", "correlation_id": "correlationId", "reply_to": "replyTo"}
_LENGTHS = {"id": (1, 128), "message_type": (0, 255), "correlation_id": (0, 255), "group": (1, 255)}


@dataclass(frozen=True)
class PublishOptions:
    """Options of a message to publish; all of them are optional."""

    #: Identifier, 1 to 128 characters: the broker stores messages with equal `id`, destination and
    #: user once. The client sends an unanswered publish with it again after a reconnect.
    id: str | None = None
    properties: dict[str, str | int | float | bool] | None = field(default=None)
    #: 0 to 9.
    priority: int | None = None
    #: Time to live in milliseconds.
    ttl: int | None = None
    #: Delivery delay in milliseconds.
    delay: int | None = None
    persistent: bool | None = None
    message_type: str | None = None
    correlation_id: str | None = None
    group: str | None = None
    #: {"topic": "…"} or {"queue": "…"}.
    reply_to: dict[str, str] | None = None

    def __post_init__(self) -> None:
        for name, (low, high) in _LENGTHS.items():
            value = getattr(self, name)
            if value is not None and not low <= len(value) <= high:
                raise invalid_argument(
                    f"{name} must have {low} to {high} characters, not {len(value)}"
                )
        if self.priority is not None and not 0 <= self.priority <= 9:
            raise invalid_argument(f"priority must be 0 to 9, not {self.priority}")
        for name in ("ttl", "delay"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise invalid_argument(f"{name} must be at least 1 ms, not {value}")

    def members(self, *unavailable: str) -> Members:
        """Returns the members of a frame that does not have the unavailable ones."""
        given = {one.name: getattr(self, one.name) for one in fields(self)}
        members = {name: value for name, value in given.items() if value is not None}
        for name in unavailable:
            if name in members:
                raise invalid_argument(f"option {name} is not available here")
        return {_NAMES.get(name, name): value for name, value in members.items()}


NO_OPTIONS = PublishOptions()
