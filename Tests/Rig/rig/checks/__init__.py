"""The table of checks: one row each."""

import dataclasses
import enum
from collections.abc import Callable

from ..bench import Bench
from ..machine import Need
from . import (
    arm64, cameras, clips, dubbing, feeds, measures, panel, pictures, plugs, power, service, sessions, sounds, sticks, storage,
    strain, takes)


class Set(enum.Enum):
    """Which of the sets a check is in; the whole set has them all."""

    SMOKE = "smoke"
    MEDIA = "media"
    FULL = "full"


@dataclasses.dataclass(frozen=True)
class Check:
    name: str
    run: Callable[[Bench], None]
    needs: frozenset[Need]
    set: Set
    what: str


def row(name: str, run: Callable[[Bench], None], needs: tuple[Need, ...], set: Set, what: str) -> Check:
    return Check(name, run, frozenset(needs), set, what)


N = Need
SMOKE, MEDIA, FULL = Set
TABLE = (
    row("start", service.start, (), SMOKE,
        "the firmware starts as a service, arms, ends in order, and a second one is refused"),
    row("doctor", service.doctor, (), SMOKE,
        "mynah doctor finds every device of the board file"),
    row("record", sounds.record, (N.KEYS, N.SOUND_IN), SMOKE,
        "a take is what was played in, sample by sample; no xruns"),
    row("record-aac", sounds.record_aac, (N.KEYS, N.SOUND_IN), SMOKE,
        "an AAC take has the right length and sound"),
    row("playback", sounds.playback, (N.KEYS, N.SOUND_IN, N.SOUND_OUT), SMOKE,
        "a take comes out of the speaker bit-true"),
    row("playback-ways", takes.ways, (N.KEYS, N.SOUND_IN, N.SOUND_OUT), FULL,
        "faster, slower, higher, lower and A-B, at the speaker"),
    row("lamps", panel.lamps, (N.KEYS, N.LAMPS), SMOKE,
        "the lamps tell armed, recording, paused and locked apart"),
    row("edge", panel.edge, (N.EDGES, N.LAMPS), SMOKE,
        "REC's edge lights the lamp in time (1000 presses in the whole set)"),
    row("timer", panel.timer, (N.KEYS, N.SCREEN), SMOKE,
        "the OLED shows the timer, and what the firmware means it to"),
    row("press-picture", panel.press_picture, (N.KEYS, N.SCREEN), SMOKE,
        "from a key's edge to the new picture on the glass, over a bus of 400 kHz, in time"),
    row("display-unplug", plugs.display, (N.KEYS, N.SOUND_IN, N.SCREEN, N.UNPLUG_DISPLAY), SMOKE,
        "the OLED vanishes and returns; the take goes on"),
    row("microphone-unplug", plugs.microphone, (N.KEYS, N.SOUND_IN, N.UNPLUG_MICROPHONE), SMOKE,
        "the sound card is unbound in a take, and bound again"),
    row("usb-microphone", plugs.usb_microphone, (N.KEYS, N.USB_MICROPHONE), SMOKE,
        "a USB microphone is pulled in a take, and plugged in again"),
    row("camera-vivid", cameras.vivid, (N.CAMERA, N.SOUND_IN), MEDIA,
        "a clip of a raw camera is whole; unbound in a clip, the sound goes on"),
    row("camera-h264", clips.h264, (N.PICTURES, N.KEYS, N.SOUND_IN), MEDIA,
        "a clip of an H.264 camera: its pictures bit by bit, none missing, from the right one on"),
    row("camera-mjpeg", clips.mjpeg, (N.PICTURES, N.KEYS, N.SOUND_IN), MEDIA,
        "the same of a camera of JPEG pictures"),
    row("camera-sync", clips.sync, (N.PICTURES, N.KEYS, N.SOUND_IN), MEDIA,
        "flashes and beeps at known instants are as far apart in the clip"),
    row("camera-mic-lost", clips.microphone, (N.PICTURES, N.KEYS, N.SOUND_IN, N.UNPLUG_MICROPHONE), MEDIA,
        "the microphone is unbound in a clip, and bound again: no picture is lost"),
    row("camera-clock", clips.clock, (N.PICTURES, N.KEYS, N.SOUND_IN, N.SET_CLOCK), MEDIA,
        "the clock jumps a year ahead and back in a clip"),
    row("camera-storage", clips.storage, (N.PICTURES, N.KEYS, N.SOUND_IN, N.FAULTY_DISK), FULL,
        "the disk does not answer for 10 s in a clip, then it is full"),
    row("camera-power-cut", clips.cuts, (N.PICTURES, N.KEYS, N.SOUND_IN, N.POWER_CUT, N.FAST_CUT), FULL,
        "power cuts at random instants of a clip"),
    row("dub-live", dubbing.live, (N.NETWORK, N.SOUND_OUT), MEDIA,
        "a live stream is dubbed by a service, which goes away and returns: no silence"),
    row("display-pictures", pictures.together, (N.COLOUR_SCREEN, N.CAMERA), MEDIA,
        "pictures of a clip are on the screen with their sound; it is unplugged, plugged in, and given back"),
    row("dub-link", dubbing.link, (N.NETWORK, N.SOUND_OUT), MEDIA,
        "the network's cable is pulled and plugged in again: it plays on by itself"),
    row("dub-drift", dubbing.drift, (N.NETWORK, N.SPEAKER_CLOCK, N.SOUND_OUT), MEDIA,
        "the speaker's clock is 500 ppm off, either way: measured, and made up for"),
    row("feed", feeds.feed, (N.KEYS, N.NETWORK, N.SOUND_IN, N.SOUND_OUT, N.SCREEN), MEDIA,
        "a feed by keys and by the console: one after the other at the speaker, a card, and what was kept"),
    row("serial-unplug", plugs.serial, (N.KEYS, N.SERIAL_GADGET), SMOKE,
        "the serial line is pulled in the middle of a command"),
    row("keypad", plugs.keypad, (N.SOUND_IN, N.KEYPAD), SMOKE,
        "a USB keypad begins and ends a take; pulled in the middle of it, nothing is lost; plugged in again, it works"),
    row("clock", service.clock, (N.KEYS, N.SOUND_IN, N.SET_CLOCK), SMOKE,
        "the clock jumps a year ahead and back in a take, and is set by the console"),
    row("disk-full", storage.full, (N.KEYS, N.SOUND_IN), SMOKE,
        "the disk fills up: the take is whole and the reason shown"),
    row("disk-stall", storage.stall, (N.KEYS, N.SOUND_IN, N.FAULTY_DISK), SMOKE,
        "the disk does not answer for 10 s: no sample is lost"),
    row("disk-read-only", storage.read_only, (N.KEYS, N.SOUND_IN, N.FAULTY_DISK), SMOKE,
        "the file system goes read-only in a take"),
    row("disk-error", storage.error, (N.KEYS, N.SOUND_IN, N.FAULTY_DISK), SMOKE,
        "writing fails with EIO in a take"),
    row("power-cuts", power.cuts, (N.KEYS, N.SOUND_IN, N.POWER_CUT, N.FAST_CUT), SMOKE,
        "power cuts at random instants (1000 in the whole set)"),
    row("split-power-cut", takes.split, (N.KEYS, N.SOUND_IN, N.POWER_CUT), MEDIA,
        "a take in parts is cut off: it is one, without a seam"),
    row("schedule-boot", takes.schedule, (N.KEYS, N.SOUND_IN, N.POWER_CUT, N.SET_CLOCK), FULL,
        "a schedule records after a power cut; what was missed is told"),
    row("sessions", sessions.outcomes, (N.RATES, N.SOUND_IN, N.SOUND_OUT, N.USB_MICROPHONE), FULL,
        "who gets which rate by each strategy, on microphones and speakers of one rate"),
    row("send", takes.sent, (N.KEYS, N.SOUND_IN), MEDIA,
        "a take goes over the serial line to rz, while another is recorded"),
    row("receive", takes.received, (N.KEYS, N.SOUND_IN), MEDIA,
        "a sound comes over the serial line from sz, while a take is recorded"),
    row("stick", sticks.hostile, (N.KEYS, N.SOUND_IN, N.STICK), MEDIA,
        "takes go to sticks of three file systems; full, read-only and hostile ones are told in words"),
    row("stick-pulled", sticks.pulled, (N.KEYS, N.SOUND_IN, N.STICK), FULL,
        "a stick is pulled out at random instants of an export (51 in the whole set)"),
    row("export-speed", sticks.speed, (N.STICK,), FULL,
        "an export's time beside cp and sync, on sticks of a stick's speed"),
    row("strain", strain.beside, (N.KEYS, N.SOUND_IN, N.FAULTY_DISK), FULL,
        "a hog of processor, of memory, a limit by cgroup and a slow disk beside a take: no sample lost, the rest gives way"),
    row("hour", takes.hour, (N.KEYS, N.SOUND_IN, N.SOUND_OUT), FULL,
        "an hour of taking, playing and deleting: nothing lost, no more memory, no more descriptors"),
    row("watchdog", service.watchdog, (N.WATCHDOG,), SMOKE,
        "a stopped process resets the machine"),
    row("measures", measures.measures, (N.RECORDERS, N.SOUND_IN), FULL,
        "start to armed, memory and processor time beside arecord and ffmpeg"),
    row("arm64-boot", arm64.boot, (N.ARM64,), FULL,
        "the program for aarch64 records and plays on Debian's arm64 kernel"),
)
