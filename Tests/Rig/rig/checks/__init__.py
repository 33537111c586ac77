"""The table of checks: one row each."""

import dataclasses
from collections.abc import Callable

from ..bench import Bench
from ..machine import Need
from . import arm64, cameras, measures, panel, pictures, plugs, power, service, sounds, storage


@dataclasses.dataclass(frozen=True)
class Check:
    name: str
    run: Callable[[Bench], None]
    needs: frozenset[Need]
    # In the smoke set (`make rig`), or in the whole set only (`make rig-full`).
    isSmoke: bool
    what: str


def row(name: str, run: Callable[[Bench], None], needs: tuple[Need, ...], isSmoke: bool, what: str) -> Check:
    return Check(name, run, frozenset(needs), isSmoke, what)


N = Need
TABLE = (
    row("start", service.start, (), True,
        "the firmware starts as a service, arms, ends in order, and a second one is refused"),
    row("doctor", service.doctor, (), True,
        "mynah doctor finds every device of the board file"),
    row("record", sounds.record, (N.KEYS, N.SOUND_IN), True,
        "a take is what was played in, sample by sample; no xruns"),
    row("record-aac", sounds.record_aac, (N.KEYS, N.SOUND_IN), True,
        "an AAC take has the right length and sound"),
    row("playback", sounds.playback, (N.KEYS, N.SOUND_IN, N.SOUND_OUT), True,
        "a take comes out of the speaker bit-true"),
    row("lamps", panel.lamps, (N.KEYS, N.LAMPS), True,
        "the lamps tell armed, recording, paused and locked apart"),
    row("edge", panel.edge, (N.EDGES, N.LAMPS), True,
        "REC's edge lights the lamp in time (1000 presses in the whole set)"),
    row("timer", panel.timer, (N.KEYS, N.SCREEN), True,
        "the OLED shows the timer, and what the firmware means it to"),
    row("display-unplug", plugs.display, (N.KEYS, N.SOUND_IN, N.SCREEN, N.UNPLUG_DISPLAY), True,
        "the OLED vanishes and returns; the take goes on"),
    row("display-pictures", pictures.together, (N.COLOUR_SCREEN, N.CAMERA), True,
        "pictures of a clip are on the screen with their sound; it is unplugged, plugged in, and given back"),
    row("microphone-unplug", plugs.microphone, (N.KEYS, N.SOUND_IN, N.UNPLUG_MICROPHONE), True,
        "the sound card is unbound in a take, and bound again"),
    row("usb-microphone", plugs.usb_microphone, (N.KEYS, N.USB_MICROPHONE), True,
        "a USB microphone is pulled in a take, and plugged in again"),
    row("camera-vivid", cameras.vivid, (N.CAMERA, N.SOUND_IN), True,
        "a clip of a raw camera is whole; unbound in a clip, the sound goes on"),
    row("serial-unplug", plugs.serial, (N.KEYS, N.SERIAL_GADGET), True,
        "the serial line is pulled in the middle of a command"),
    row("clock", service.clock, (N.KEYS, N.SOUND_IN, N.SET_CLOCK), True,
        "the clock jumps a year ahead and back in a take"),
    row("disk-full", storage.full, (N.KEYS, N.SOUND_IN), True,
        "the disk fills up: the take is whole and the reason shown"),
    row("disk-stall", storage.stall, (N.KEYS, N.SOUND_IN, N.FAULTY_DISK), True,
        "the disk does not answer for 10 s: no sample is lost"),
    row("disk-read-only", storage.read_only, (N.KEYS, N.SOUND_IN, N.FAULTY_DISK), True,
        "the file system goes read-only in a take"),
    row("disk-error", storage.error, (N.KEYS, N.SOUND_IN, N.FAULTY_DISK), True,
        "writing fails with EIO in a take"),
    row("power-cuts", power.cuts, (N.KEYS, N.SOUND_IN, N.POWER_CUT, N.FAST_CUT), True,
        "power cuts at random instants (1000 in the whole set)"),
    row("watchdog", service.watchdog, (N.WATCHDOG,), True,
        "a stopped process resets the machine"),
    row("measures", measures.measures, (N.RECORDERS, N.SOUND_IN), True,
        "start to armed, memory and processor time beside arecord and ffmpeg"),
    row("arm64-boot", arm64.boot, (N.ARM64,), False,
        "the program for aarch64 records and plays on Debian's arm64 kernel"),
)
