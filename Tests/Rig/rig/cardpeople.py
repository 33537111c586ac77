"""What a person does with a card: records, follows README, makes a mistake in mynah.toml."""

import json
import pathlib
import re
import shutil
import time

from .bench import expect
from .card import SETTINGS, Card
from .console import RemoteError

README = pathlib.Path(__file__).resolve().parents[3] / "README.md"


def records(bench) -> None:
    machine = bench.machine or bench.power_on()
    machine.armed()
    console = machine.console()
    console.call("events.subscribe", topics=[])
    console.forget()
    console.call("panel.press", button="REC")
    expect(console.wait_event("onTakeStarted", 60), "REC was pressed, and no take was begun")
    time.sleep(6)
    console.call("panel.press", button="STOP")
    saved = console.wait_event("onTakeSaved", 120)
    expect(saved and saved["frames"] >= 4 * 48_000, f"the take is {saved}")


def mistake(bench) -> None:
    """A line of mynah.toml that cannot be: all the others hold, and the device names the line."""
    settings = SETTINGS.splitlines()
    place = settings.index("[camera]") + 2
    settings.insert(place - 1, 'colour = "red"')
    machine = bench.power_on(Card(bench.image, bench.folder / "mistaken", "\n".join(settings) + "\n"))
    machine.armed()
    # On the screen it is until something graver is, such as a sound card that comes late.
    found = json.dumps(machine.console().call("system.doctor", 120))
    expect(f"mynah.toml:{place}:" in found, f"the doctor does not tell of line {place}: {found[:400]}")
    bench.power_off()
    shutil.rmtree(bench.folder / "mistaken")


# As mynah.toml shows them, behind a #.
PRESETS = """
[settings]
recording.format = "flac"
ui.language = "tlh"
[operator]
name = "anna"
password = "a sentence is a good one"
"""


def presets(bench) -> None:
    """[settings] and [operator] of mynah.toml: what can be holds, what cannot is told with its line, a stranger is refused."""
    text = SETTINGS + PRESETS
    bench.power_off()
    card = Card(bench.image, bench.folder / "presets", text)
    for line in ("[settings]", "[operator]", '[a-z.]+ = "flac"', 'name = "anna"', 'password = "a sentence is a good one"'):
        pattern = line if "+" in line else re.escape(line)
        expect(re.search(f"^#{pattern}", card.shipped, re.MULTILINE), f"mynah.toml as it is shipped does not show {line}")
    machine = bench.power_on(card)
    console = machine.console()
    for attempt in ("of somebody else", "a sentence is a good one"):
        isRight = attempt.startswith("a ")
        try:
            console.call("auth.login", 120, name="anna", password=attempt)
            expect(isRight, "another password lets somebody in")
        except RemoteError as error:
            expect(not isRight, f"the operator of mynah.toml is not let in: {error}")
    machine.armed()
    found = console.call("settings.get", key="recording.format")
    expect(found == {"recording.format": "flac"}, f"[settings] says flac, the device {found}")
    line = text.splitlines().index('ui.language = "tlh"') + 1
    found = json.dumps(console.call("system.doctor", 120))
    expect(f"mynah.toml:{line}:" in found, f"the doctor does not tell of line {line}: {found[:400]}")
    expect("sentence" not in found, "the doctor tells the password")
    bench.power_off()
    shutil.rmtree(bench.folder / "presets")


def readme(bench) -> None:
    """What README's section says: a fresh card, its lines of mynah.toml, power, REC, STOP, CENTRE."""
    lines = re.search(r"```(?:toml|ini)\n(.*?)```", README.read_text(), re.DOTALL)[1].split("\n")
    lines = [line.strip() for line in lines if line.strip()]
    bench.power_off()
    card = Card(bench.image, bench.folder / "readme")
    # As the card has it before anybody has edited it: all of these are there behind a #.
    shipped = card.shipped.replace("\r", "").split("\n")
    places = [next((n for n, row in enumerate(shipped) if row.startswith(f"#{line}")), None) for line in lines]
    expect(None not in places, f"mynah.toml has not all lines of README: {lines}")
    for place, line in zip(places, lines):
        shipped[place] = line
    # What the emulator has for a microphone, behind it.
    card.put("mynah.toml", "\n".join(shipped) + "\n" + SETTINGS.replace('inherits = "raspberrypi4"\n', ""))
    machine = bench.power_on(card)
    machine.armed()
    notice = machine.console().call("panel.state")["notice"]
    expect(not notice or not notice["text"].startswith("mynah.toml"), f"the screen tells {notice}")
    records(bench)
    console = machine.console()
    console.call("panel.press", button="CENTRE")
    machine.wait("CENTRE plays", lambda: console.call("player.status")["state"] == "playing", 60)
    bench.power_off()
    shutil.rmtree(bench.folder / "readme")
