"""Talks to Mynah, the firmware of a field recorder and camera, over its console: a socket, a serial line, a rig's TCP.

    from mynah_client import Device

    with Device.simulate() as device:
        device.press("REC")
        device.expect(mode="dictaphone.recording")
        device.press("STOP")
        print(device.takes()[0].seconds)

`Device` is for tests and rigs; `Client` and `AsyncClient` have the console's methods as they are, typed.
"""

from .aio import AsyncClient
from .aiostreams import AsyncEventStream
from .client import Client
from .conversation import Event, LogLine
from .device import Device
from .errors import (
    BadArgument,
    Busy,
    Cancelled,
    ConnectionLost,
    Denied,
    DeviceLost,
    ExpectationFailed,
    InternalError,
    Locked,
    MynahError,
    NoAnswer,
    NoEvent,
    NotFound,
    PressIgnored,
    RemoteError,
    SimulatorError,
    StorageFull,
    TransferError,
    Unsupported,
    UnsupportedFormat,
)
from .lines import open_line
from .picture import Screen
from .recordings import Clip, Take
from .simulator import ScriptRun, Simulator, run_script
from .sound import Samples, read_samples
from .streams import EventStream

__version__ = "0.1.0"

__all__ = [
    "AsyncClient",
    "AsyncEventStream",
    "BadArgument",
    "Busy",
    "Cancelled",
    "Client",
    "Clip",
    "ConnectionLost",
    "Denied",
    "Device",
    "DeviceLost",
    "Event",
    "EventStream",
    "ExpectationFailed",
    "InternalError",
    "Locked",
    "LogLine",
    "MynahError",
    "NoAnswer",
    "NoEvent",
    "NotFound",
    "PressIgnored",
    "RemoteError",
    "Samples",
    "Screen",
    "ScriptRun",
    "Simulator",
    "SimulatorError",
    "StorageFull",
    "Take",
    "TransferError",
    "Unsupported",
    "UnsupportedFormat",
    "open_line",
    "read_samples",
    "run_script",
]
