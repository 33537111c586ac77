"""What can go wrong between a program and a device. Everything raised here is a `MynahError`."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Type


class MynahError(Exception):
    """Whatever this package complains about."""


class RemoteError(MynahError):
    """The device has refused a call, and said why."""

    def __init__(self, message: str, code: str = "internal", number: int = -32000, method: Optional[str] = None):
        super().__init__(message, code, number, method)
        self.message = message
        """The device's own sentence. Texts may change; decide by `code`."""
        self.code = code
        """Stable: `locked`, `busy`, `not-found`, …"""
        self.number = number
        """The number that JSON-RPC 2.0 has for it."""
        self.method = method
        """The method that was called."""

    def __str__(self) -> str:
        called = f"{self.method}: " if self.method else ""
        return f"{called}{self.message} ({self.code})"


class Locked(RemoteError):
    """The device is locked, and this does not work while it is."""


class Busy(RemoteError):
    """Something has to finish first, or the state does not allow it."""


class NotFound(RemoteError):
    """No such take, setting or device."""


class StorageFull(RemoteError):
    """There is no room on the card."""


class Denied(RemoteError):
    """It is not allowed."""


class BadArgument(RemoteError):
    """A parameter is missing, unknown, of the wrong kind or out of range."""


class Unsupported(RemoteError):
    """This firmware, or this hardware, cannot do it."""


class DeviceLost(RemoteError):
    """The hardware that it needs has gone."""


class Cancelled(RemoteError):
    """Somebody has ended it before it was done."""


class InternalError(RemoteError):
    """A fault of the firmware itself, or an I/O error of the device."""


BY_CODE: Dict[str, Type[RemoteError]] = {
    "locked": Locked,
    "busy": Busy,
    "not-found": NotFound,
    "storage-full": StorageFull,
    "denied": Denied,
    "bad-argument": BadArgument,
    "unsupported": Unsupported,
    "device-lost": DeviceLost,
    "cancelled": Cancelled,
    "internal": InternalError,
}


def remote_error(error: Any, method: Optional[str] = None) -> RemoteError:
    """The exception for an `error` member of an answer. Codes that are not known yet are plain `RemoteError`s."""
    members: Mapping[str, Any] = error if isinstance(error, dict) else {}
    data = members.get("data")
    code = data.get("code") if isinstance(data, dict) else None
    code = code if isinstance(code, str) else "internal"
    number = members.get("code")
    return BY_CODE.get(code, RemoteError)(
        str(members.get("message", error)), code, number if isinstance(number, int) else -32000, method
    )


class NoAnswer(MynahError, TimeoutError):
    """The device has not answered in time. Whether it did what was asked is not known."""


class NoEvent(MynahError, TimeoutError):
    """What was waited for has not happened in time."""


class ConnectionLost(MynahError, ConnectionError):
    """The line to the device is closed, or was never there."""


class TransferError(MynahError):
    """A file did not arrive as it lies on the device."""


class PressIgnored(MynahError):
    """A press meant nothing just then; the message is the device's reason."""


class UnsupportedFormat(MynahError):
    """This package cannot read the file, and found nothing that can."""


class SimulatorError(MynahError):
    """The simulated device did not start, or has ended."""


class ExpectationFailed(MynahError, AssertionError):
    """The device is not as it was expected to be. Test runners show it as a failure, not as an error."""
