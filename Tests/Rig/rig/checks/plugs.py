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
    """Its keys are the device's, beside those on lines; it goes with one of them down, and comes back."""
    machine = bench.machine
    bench.ready("keypad")

    def plug() -> None:
        bench.console.forget()
        machine.replug("keypad")
        expect(bench.console.wait_event("onDeviceReturned", 20), "no event tells that the keypad is there")

    def strike(key: str) -> None:
        machine.strike(key, True)
        bench.pause(0.1)
        machine.strike(key, False)

    plug()
    found = {finding["device"]: finding for finding in bench.call("system.doctor")["findings"]}
    expect(found["keypad"]["verdict"] == "works", f"the doctor says of the keypad: {found['keypad']}")
    strike("kp_enter")
    bench.until("the keypad records", lambda: bench.mode() == "dictaphone.recording", 10)
    machine.press("REC")
    bench.until("a key on a line pauses", lambda: bench.mode() == "dictaphone.paused", 10)
    strike("kp_enter")
    bench.until("the keypad goes on", lambda: bench.mode() == "dictaphone.recording", 10)
    # Held down for two seconds LOCK locks; pulled out before, it is let go.
    machine.strike("num_lock", True)
    bench.pause(0.3)
    machine.unplug("keypad")
    expect(bench.console.wait_event("onDeviceLost", 20), "no event tells that the keypad is gone")
    bench.pause(3)
    expect(not bench.state()["locked"], "a key of a keypad that is gone is still held")
    expect(bench.mode() == "dictaphone.recording", "the take did not go on without the keypad")
    plug()
    strike("kp_0")
    take = bench.saved(30)
    expect(take.reason == "user" and not bench.meta(take).get("gaps"), "the take has gaps")
    machine.unplug("keypad")
    bench.stop()


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
