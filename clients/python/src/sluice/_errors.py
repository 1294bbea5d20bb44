"""Errors of the client."""

from __future__ import annotations


class SluiceError(Exception):
    """Failure of a call, a subscription, a consumer or the client.

    `code` is stable; the text is for people. Codes of the node are those of the protocol, such as
    "forbidden". Codes of the client: "closed", "refused", "connection-lost", "publish-queue-full",
    "publish-timeout", "timeout", "bad-answer", "no-token", "handler-failed", "messages-missing",
    "invalid-argument", "logged-out", and "identity-changed": the credential has another subject
    than before. The last two end the client.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class LoggedOut(SluiceError):
    """Raised by a supplier of tokens if there is no user: ends the client."""

    def __init__(self, message: str = "the user has logged out") -> None:
        super().__init__("logged-out", message)


def ends_client(error: SluiceError) -> bool:
    """Returns whether there is no next attempt after an error of the credential."""
    return error.code in ("logged-out", "identity-changed")


def invalid_argument(message: str) -> SluiceError:
    """Returns the error for an invalid argument."""
    return SluiceError("invalid-argument", message)


def lost() -> SluiceError:
    """Returns the error of a call whose answer has not arrived on its connection."""
    return SluiceError("connection-lost", "the connection ended before the answer")
