"""A device as a test sees it: keys to press, things to expect, takes to look at."""

from __future__ import annotations

import base64
import contextlib
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Union

from .client import Client
from .conversation import Event
from .errors import Busy, ExpectationFailed, NoEvent, NotFound, PressIgnored
from .lines import DEFAULT_BAUD
from .methods import PanelState, RecorderStatus, Scalar
from .picture import Screen
from .recordings import Clip, Take
from .simulator import Simulator
from .streams import EventStream

# Nothing tells of every dot and LED: what no event announces is looked at again so often.
_LOOK_SECONDS = 0.1
# A device without a microphone is as it is after so long.
_SETTLE_SECONDS = 3.0
# Of these there are several a second, or more; who wants them subscribes to them.
_FREQUENT = ("onTelemetryUpdate", "onDubbingStatus", "onBudget")
_TOPICS = (
    "onModeChanged", "onTakeStarted", "onTakeSaved", "onMark", "onGap", "onDeviceLost", "onDeviceReturned",
    "onSourceChanged", "onStorageLow", "onLock", "onSchedule", "onSettingChanged", "onSessionChanged", "onPrompt",
    "onBufferReady", "onCaptureStarted", "onCaptureExtended", "onCaptureCompleted", "onSnapshotSaved",
    "onLibraryProgress", "onGovernorStep", "onError",
)  # fmt: skip


class Device:
    """A device under test, simulated or real.

    `client` has all methods of the console. What happens is kept from the beginning on, until `expect_event` asks for
    it: an event that came before the question is not missed.
    """

    def __init__(self, client: Client, timeout: float = 10.0, simulator: Optional[Simulator] = None):
        self.client = client
        # Who is patient with the device is patient with its answers, too.
        client.timeout = max(client.timeout, timeout)
        self.timeout = timeout
        """How long `expect` and its like wait, in seconds, if they are not told otherwise."""
        self.simulator = simulator
        """The simulated device, if it is one of this program's own."""
        self.events: EventStream = client.subscribe(*_TOPICS)

    @classmethod
    def simulate(cls, program: Union[str, Path, None] = None, timeout: float = 10.0, **options: Any) -> "Device":
        """Starts a simulated device of one's own; `options` are those of `mynah_client.Simulator`.

        It is ready to record when this returns, and its events begin here.
        """
        simulator = Simulator(program, **options)
        try:
            device = cls(simulator.connect(), timeout, simulator)
            device._settle()
            if "script" not in options:
                # What starting up tells is no answer to what a test does.
                device.forget_events()
            return device
        except BaseException:
            simulator.stop()
            raise

    @classmethod
    def attach(cls, address: str, baud: int = DEFAULT_BAUD, timeout: float = 10.0) -> "Device":
        """A device that runs already: its socket, its serial line, a rig's TCP (`mynah_client.open_line`)."""
        return cls(Client.connect(address, baud), timeout)

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives the console back, and ends the device if it was started here."""
        self.client.close()
        if self.simulator is not None:
            self.simulator.stop()

    # Keys and orders.

    def press(self, button: str, seconds: float = 0.1) -> None:
        """Presses a key of the panel: `REC`, `STOP`, `UP`, `DOWN`, `LEFT`, `RIGHT`, `CENTRE`, `LOCK`, `MARK`.

        The same as a finger on it, which is away again when this returns. Raises `PressIgnored` with the device's
        reason if the press meant nothing.
        """
        milliseconds = max(1, round(seconds * 1000))
        answer = self.client.call(
            "panel.press", {"button": button, "ms": milliseconds}, self.client.timeout + seconds
        )
        if "ignored" in answer:
            raise PressIgnored(f"{button}: {answer['ignored']}")

    def hold(self, button: str, seconds: float = 0.7) -> None:
        """A long press: 0.6 s and more; unlocking takes 2."""
        self.press(button, seconds)

    def call(self, method: str, **params: Any) -> Any:
        """Any method of the console by its name."""
        return self.client.call(method, params)

    def fault(self, words: str) -> None:
        """Makes a device fail, in the words of scripts: `microphone unplug`. Simulator and rig only."""
        self.client.fault.inject(words)

    # What it is like.

    def state(self) -> PanelState:
        """Mode, lock, LEDs, the screen's name and texts."""
        return self.client.panel.state()

    @property
    def mode(self) -> str:
        return self.state()["mode"]

    def recorder(self) -> RecorderStatus:
        """What the recorder does."""
        return self.client.recorder.status()

    def screen(self) -> Screen:
        """The picture on the screen, with its texts."""
        picture: Any
        state: Any
        picture, state = self.client.batch([("panel.screen", {}), ("panel.state", {})])
        for answer in (picture, state):
            if isinstance(answer, Exception):
                raise answer
        return Screen(base64.b64decode(picture["png"]), state["screen"], state["texts"])

    # What it ought to be like.

    def expect(
        self,
        mode: Optional[str] = None,
        *,
        timeout: Optional[float] = None,
        locked: Optional[bool] = None,
        screen: Optional[str] = None,
        text: Optional[str] = None,
        notice: Optional[str] = None,
        takes: Optional[int] = None,
        leds: Optional[Mapping[str, str]] = None,
    ) -> PanelState:
        """Waits until the device is like this, all at once, and returns what it is like then.

        `screen` is the screen's name and `text` something that stands on it, `notice` the code of what it reports
        (`""`: nothing), `leds` such as `{"REC": "on"}`. Raises `ExpectationFailed` with what is seen instead. A mode
        that the device only passes through is for `expect_event("onModeChanged", to=…)`.
        """
        wanted: Dict[str, Any] = {"mode": mode, "locked": locked, "screen": screen, "takes": takes}
        wanted = {name: value for name, value in wanted.items() if value is not None}
        patience = self.timeout if timeout is None else timeout
        end = time.monotonic() + patience
        while True:
            seen_events = len(self.events.pending())
            state = self.state()
            differences = [
                f"{name} {value!r}, it is {state[name]!r}"  # type: ignore[literal-required]
                for name, value in wanted.items()
                if state[name] != value  # type: ignore[literal-required]
            ]
            for lamp, pattern in (leds or {}).items():
                if state["leds"].get(lamp, "off") != pattern:
                    differences.append(f"LED {lamp} {pattern!r}, it is {state['leds'].get(lamp, 'off')!r}")
            if text is not None and not any(text in line for line in state["texts"]):
                differences.append(f"text {text!r}, there is {state['texts']!r}")
            code = state["notice"]["code"] if state["notice"] else ""
            if notice is not None and notice != code:
                differences.append(f"notice {notice!r}, it is {code!r}")
            if not differences:
                return state
            left = end - time.monotonic()
            if left <= 0:
                raise ExpectationFailed(f"after {patience:g} s: expected {'; '.join(differences)}{self._recently()}")
            self.events._wait_for_change(seen_events, min(left, _LOOK_SECONDS))

    def expect_event(self, topic: str, timeout: Optional[float] = None, **data: Any) -> Event:
        """Waits for an event of this topic whose data has these members; each event is given once.

        Raises `ExpectationFailed`. `onTelemetryUpdate`, `onDubbingStatus` and `onBudget` come too often to be kept:
        `device.client.subscribe("onDubbingStatus")`.
        """
        if topic in _FREQUENT:
            raise ValueError(f'{topic} is not kept: use device.client.subscribe("{topic}")')
        patience = self.timeout if timeout is None else timeout
        try:
            return self.events.wait(topic, patience, **data)
        except NoEvent as error:
            raise ExpectationFailed(f"{error}; the device is in {self.mode}") from None

    def wait_until(self, condition: Callable[[], Any], timeout: Optional[float] = None, what: str = "") -> None:
        """Waits until the condition holds, which `what` says in words.

        It is looked at with every event, and ten times a second: `device.wait_until(lambda: len(device.takes()) > 2)`.
        Raises `ExpectationFailed`.
        """
        patience = self.timeout if timeout is None else timeout
        end = time.monotonic() + patience
        while True:
            seen_events = len(self.events.pending())
            if condition():
                return
            left = end - time.monotonic()
            if left <= 0:
                wanted = f", that {what}" if what else ""
                raise ExpectationFailed(f"after {patience:g} s: it is not so{wanted}{self._recently()}")
            self.events._wait_for_change(seen_events, min(left, _LOOK_SECONDS))

    def forget_events(self) -> None:
        """What has happened so far is not asked for any more."""
        self.events.clear()

    def _recently(self) -> str:
        events = [f"{event.topic} {event.data}" for event in self.events.pending()[-3:]]
        return f"; happened lately: {'; '.join(events)}" if events else ""

    # Recordings.

    def takes(self, **params: Any) -> List[Take]:
        """The takes on the device, the newest first; parameters as `library.list` has them. All pages of it."""
        takes: List[Take] = []
        while True:
            page = self.client.call("library.list", {"limit": 200, **params, "offset": len(takes)})
            takes += [Take(self.client, row) for row in page["takes"]]
            if not page["takes"] or len(takes) >= page["total"] or "limit" in params:
                return takes

    def take(self, id: str) -> Take:
        """One take, by its file name."""
        for take in self.takes():
            if take.id == id:
                return take
        raise NotFound(f"there is no take {id}", "not-found")

    def clips(self) -> List[Clip]:
        """The clips on the device, the newest first. All pages of them."""
        clips: List[Clip] = []
        while True:
            page = self.client.clips.list(limit=1000, offset=len(clips))
            clips += [Clip(self.client, row) for row in page["clips"]]
            if not page["clips"] or len(clips) >= page["total"]:
                return clips

    def record(self, seconds: float) -> Take:
        """Records a take of at least so many seconds, the pre-record before it not counted, and waits until it is safe.

        By the orders that REC and STOP give, whatever is on the screen.
        """
        with self.client.subscribe("onTakeStarted", "onTakeSaved") as stream:
            self.client.recorder.start()
            started = stream.wait("onTakeStarted", self.timeout).data
            wanted = started["preRecordedFrames"] / started["sampleRate"] + seconds
            # The microphone's clock says when it is long enough, and not this program's.
            self.wait_until(
                lambda: self.recorder()["seconds"] >= wanted, seconds + self.timeout, f"the take has {wanted:g} s"
            )
            self.client.recorder.stop()
            stream.wait("onTakeSaved", self.timeout, id=started["id"])
        return self.take(started["id"])

    # Settings.

    def setting(self, key: str) -> Scalar:
        """The value of a setting."""
        return self.client.settings.get(key)[key]

    def set(self, values: Mapping[str, Scalar]) -> None:
        """Changes settings, all of them or none: `device.set({"recording.format": "wav"})`."""
        self.client.settings.set(values)

    @contextlib.contextmanager
    def settings(self, values: Mapping[str, Scalar]) -> Iterator[None]:
        """The same for a while: afterwards they are as they were."""
        now = self.client.settings.get()
        before = {key: now[key] for key in values if key in now}
        hidden = [key for key, value in before.items() if value == "********"]
        if hidden:
            raise ValueError(f"{', '.join(hidden)}: it is secret, and nobody could put it back")
        self.set(values)
        try:
            yield
        finally:
            self.set(before)

    def _settle(self) -> None:
        # The console is there before the microphone: REC would have no sound before it yet.
        with contextlib.suppress(ExpectationFailed):
            self.wait_until(lambda: self.recorder()["armed"], _SETTLE_SECONDS)

    def rest(self) -> None:
        """Brings the device to where tests begin: unlocked, nothing under way, the dictaphone in front."""
        if self.state()["locked"]:
            self.hold("LOCK", 2.1)
        # What is not under way is refused, which is no matter.
        ends = ("recorder.stop", "player.stop", "dub.stop", "clips.endPostRoll")
        self.client.batch([(method, {}) for method in ends])
        self.wait_until(self._is_in_front, what="what was under way has ended")
        self.expect("dictaphone.idle")
        self.forget_events()

    def _is_in_front(self) -> bool:
        # Not while a take or a clip is being saved.
        try:
            self.client.panel.mode("dictaphone")
            return True
        except Busy:
            return False
