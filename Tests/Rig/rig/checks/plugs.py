"""Devices that are pulled while they are used."""

from .. import sound
from ..bench import Bench, expect


def microphone(bench: Bench) -> None:
    bench.ready()
    bench.begin()
    bench.pause(3)
    bench.machine.unplug("microphone")
    take = bench.saved(15)
    expect(take.reason == "device-lost", f"the take ended by {take.reason}")
    # What was in the driver's buffer may go with it: a period that was not complete.
    bench.expect_noise(take, 2 * 1536)
    state = bench.state()
    expect(state["mode"] == "dictaphone.idle", f"the mode is {state['mode']}")
    bench.expect_picture("microphone lost")
    expect(bench.console.wait_event("onDeviceLost", 5), "no event tells that the microphone is lost")
    bench.machine.replug("microphone")
    bench.until("it is armed again", lambda: bench.call("recorder.status")["armed"], 15)
    bench.ready()
    bench.expect_noise(bench.record(2), 1536)


def usb_microphone(bench: Bench) -> None:
    machine = bench.machine
    machine.store("/run/rig-sound.raw", bench.noise)
    bench.ready("usb", isArmed=False)
    expect(not bench.call("recorder.status")["armed"], "it is armed, and there is no microphone")
    machine.replug("usb-microphone")
    bench.until("it is armed once the microphone is there", lambda: bench.call("recorder.status")["armed"], 20)
    bench.pause(6)
    bench.begin()
    bench.pause(3)
    machine.unplug("usb-microphone")
    take = bench.saved(20)
    expect(take.reason == "device-lost", f"the take ended by {take.reason}")
    expect_whole(bench, take)
    machine.replug("usb-microphone")
    bench.until("it is armed again", lambda: bench.call("recorder.status")["armed"], 20)
    bench.pause(6)
    expect_whole(bench, bench.record(3))
    machine.unplug("usb-microphone")
    bench.stop()


def expect_whole(bench: Bench, take) -> None:
    """The noise is in it from one end to the other; the first frames after the start may be missing."""
    match = bench.expect_noise(take, 4800)
    expect(match.frames > 2 * sound.RATE, f"the take has {match.frames} frames")


def display(bench: Bench) -> None:
    machine = bench.machine
    bench.ready()
    bench.begin()
    bench.pause(1)
    machine.unplug("display")
    bench.pause(3)
    before = machine.screen()
    bench.pause(1)
    expect(machine.screen() == before, "the display was told something after it was pulled")
    expect(bench.call("recorder.status")["activity"] == "recording", "the take did not go on without the display")
    machine.replug("display")
    bench.until("the display shows something new", lambda: machine.screen() != before, 15)
    machine.press("REC")
    bench.until("it is paused", lambda: bench.mode() == "dictaphone.paused", 10)
    bench.expect_picture("display returned")
    machine.press("REC")
    bench.pause(1)
    take = bench.finish()
    expect(take.reason == "user" and not bench.meta(take).get("gaps"), "the take has gaps")


def keypad(bench: Bench) -> None:
    """A take is begun and ended by a USB keypad, which is away for a while in the middle of it."""
    machine = bench.machine
    bench.ready("keypad")
    try:
        _keypad(bench, True)
        _tapped(bench, "kp_enter", "onTakeStarted")
        bench.pause(3)
        _keypad(bench, False)
        bench.pause(2)
        expect(bench.call("recorder.status")["activity"] == "recording", "the take did not go on without the keypad")
        _keypad(bench, True)
        bench.pause(2)
        _expect_typed(bench, 7)
        # What was away and came back begins one, too.
        _tapped(bench, "kp_enter", "onTakeStarted")
        bench.pause(2)
        _expect_typed(bench, 2)
    finally:
        machine.pull_keypad()
        bench.stop()


def _keypad(bench: Bench, isThere: bool) -> None:
    """Plugs it in or pulls it out, and waits until that is told."""
    bench.console.forget()
    if isThere:
        bench.machine.plug_keypad()
    else:
        bench.machine.pull_keypad()
    topic = "onDeviceReturned" if isThere else "onDeviceLost"
    told = bench.console.wait_event(topic, 20, lambda data: data["device"] == "buttons")
    expect(told, f"no {topic} tells of the keypad within 20 s")


def _tapped(bench: Bench, key: str, topic: str) -> None:
    bench.console.forget()
    bench.machine.tap(key)
    expect(bench.console.wait_event(topic, 20), f"{key} was pressed on the keypad, and no {topic} came")


def _expect_typed(bench: Bench, seconds: float) -> None:
    """The keypad ends the take: of this length at least, and all of it is what was played."""
    bench.console.forget()
    bench.machine.tap("kp_0")
    take = bench.saved()
    expect(take.reason == "user", f"the take ended by {take.reason}")
    match = bench.expect_noise(take, 1536)
    expect(match.frames >= seconds * sound.RATE, f"of the take {match.frames} frames are there")
    expect(not bench.meta(take).get("gaps"), "the take has gaps")


def serial(bench: Bench) -> None:
    """The firmware's side is ttyGS0, the peer's ttyACM0. The rig's own line is not used here."""
    machine = bench.machine
    bench.launch("acm")
    request = '{"jsonrpc":"2.0","id":7,"method":"panel.state"}'
    ask = (
        "[ -c /dev/ttyACM0 ] || exit 1; stty -F /dev/ttyACM0 raw -echo; (printf '%s\\n' '" + request + "'; sleep 2)"
        " >/dev/ttyACM0 & timeout 3 cat /dev/ttyACM0")

    def answer() -> str:
        text = machine.run(ask).text
        return text if '"id":7,"result"' in text else ""

    bench.until("the serial console answers", answer, 30, 0.5)
    machine.press("REC")
    bench.until("it records", lambda: "dictaphone.recording" in answer(), 15, 0.5)
    machine.run("printf '{\"jsonrpc\":\"2.0\",\"id\":8,\"meth' >/dev/ttyACM0")
    machine.unplug("serial")
    bench.pause(2)
    expect(machine.process() is not None, "the firmware ended when the serial line was pulled")
    machine.replug("serial")
    text = bench.until("the console answers on the new line", answer, 30, 0.5)
    expect('"dictaphone.recording"' in text, f"the take did not go on: {text[-500:]}")
    machine.press("STOP")
    bench.until("it is saved", lambda: "dictaphone.idle" in answer(), 20, 0.5)
    bench.stop()
