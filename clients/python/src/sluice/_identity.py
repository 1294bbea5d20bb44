"""Subject of a client's credential."""

from __future__ import annotations

import base64
import json

from ._errors import SluiceError
from ._frames import Frame


def subject_of(token: str | None) -> str | None:
    """Returns the subject of a JWT; empty without a credential, None for other credentials."""
    if not token:
        return ""
    try:
        claims = token.split(".")[1]
        padded = claims + "=" * (-len(claims) % 4)
        subject = json.loads(base64.urlsafe_b64decode(padded))["sub"]
    except (IndexError, KeyError, TypeError, ValueError):
        return None
    return subject if isinstance(subject, str) else None


class Identity:
    """Subject of a client, whose sessions never have another one."""

    def __init__(self) -> None:
        #: Subject that the latest token states.
        self._stated: str | None = None
        #: Subject that the node has named; None at older nodes.
        self._named: str | None = None

    def on_token(self, token: str) -> None:
        """Records a token; raises `identity-changed` if it has another subject than before."""
        before, self._stated = self._stated, subject_of(token)
        # The node may use another claim.
        is_comparable = self._named is None or self._named == before
        if before is not None and is_comparable and self._stated != before:
            raise _changed(before, self._stated)

    def on_hello(self, hello: Frame) -> None:
        """Records a hello; raises `identity-changed` if it has another subject than before."""
        subject = hello.optional_text("subject")
        before = self._named
        self._named = before if subject is None else subject
        if before is not None and self._named != before:
            raise _changed(before, self._named)


def _changed(before: str, after: str | None) -> SluiceError:
    return SluiceError("identity-changed", f"the credential has changed from {before!r} to {after!r}")
