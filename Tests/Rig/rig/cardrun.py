"""`make rig-image`: the image of a card, as it is flashed, on QEMU's board `virt`; through U-Boot to armed, with power cuts."""

import pathlib
import random
import shutil
import tempfile
import time

from . import report
from .card import SETTINGS, Card, CardError, CardMachine, missing_tools
from .console import RemoteError, Silence


class Failure(Exception):
    pass


def expect(holds: object, what: str) -> None:
    if not holds:
        raise Failure(what)


class CardBench:
    """One card, from check to check, as it would be carried around."""

    def __init__(self, image: pathlib.Path, u_boot: pathlib.Path, folder: pathlib.Path, seed: int, cuts: int, log):
        self.image, self.u_boot, self.folder, self.cuts, self.log = image, u_boot, folder, cuts, log
        self.chance = random.Random(seed)
        self.card = Card(image, folder / "flashed")
        self.machine: CardMachine | None = None
        self.measures: dict[str, str] = {}
        self._runs = 0

    def power_on(self, card: Card | None = None) -> CardMachine:
        self.power_off()
        self._runs += 1
        self.machine = CardMachine(card or self.card, self.u_boot, self.folder / f"run{self._runs}")
        return self.machine

    def power_off(self) -> None:
        if self.machine:
            self.machine.power_cut(self.chance.randrange(1 << 30))
            self.machine = None

    def close(self) -> None:
        if self.machine:
            self.machine.close()


def first_start(bench: CardBench) -> None:
    card = bench.card
    boot, root = card.digest(1), card.digest(2)
    expect(card.sector(17).startswith(b"mynah-data new"), "the card is not a fresh one")
    machine = bench.power_on()
    seconds = machine.armed()
    bench.measures["power on to armed, first start (emulated)"] = f"{seconds:.0f} s"
    # mynah-good.service comes after the firmware, and flushes.
    machine.wait("the root's tries are given back", lambda: card.state().get("BOOT_A_LEFT") == "3", 120)
    time.sleep(10)
    bench.power_off()
    expect(card.state() == {"BOOT_ORDER": "A", "BOOT_A_LEFT": "3", "BOOT_B_LEFT": "3"}, f"sector 16: {card.state()}")
    expect(card.sector(17).startswith(b"mynah-data made"), "sector 17 does not say that the data partition was made")
    number = card.sector(18).strip(b"\0\n")
    expect(len(number) == 32, f"the machine has no number: {number!r}")
    start, size = card.partitions()[3]
    expect(start + size == card.path.stat().st_size // 512, f"the data partition ends at {start + size}")
    problems = card.check_data()
    expect(problems is None, f"the data partition is not sound: {problems}")
    expect(card.digest(1) == boot and card.digest(2) == root, "the device wrote to the boot partition or to the root")


def second_start(bench: CardBench) -> None:
    number = bench.card.sector(18)
    machine = bench.power_on()
    bench.measures["power on to armed (emulated)"] = f"{machine.armed():.0f} s"
    expect(len(machine.starts()) == 1, f"it started {len(machine.starts())} times: {machine.starts()}")
    expect(bench.card.sector(18) == number, "the machine has another number")


def records(bench: CardBench) -> None:
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


def idle(bench: CardBench) -> None:
    """Nothing is written to the card while nobody does anything."""
    machine = bench.machine or bench.power_on()
    machine.armed()
    time.sleep(20)
    before = machine.disk.writes
    time.sleep(60)
    written = machine.disk.writes - before
    bench.measures["writes to the card in an idle minute"] = str(written)
    expect(written == 0, f"{written} writes in an idle minute")


def mistake(bench: CardBench) -> None:
    """A line of mynah.toml that cannot be: the board's own settings hold, and the screen names the line."""
    settings = SETTINGS.splitlines()
    place = settings.index("[camera]") + 2
    settings.insert(place - 1, 'colour = "red"')
    machine = bench.power_on(Card(bench.image, bench.folder / "mistaken", "\n".join(settings) + "\n"))
    notice = machine.console().call("panel.state")["notice"]
    expect(notice and notice["text"].startswith(f"mynah.toml:{place}:"), f"the screen tells {notice}, not line {place}")
    bench.power_off()
    shutil.rmtree(bench.folder / "mistaken")


def reboot(bench: CardBench) -> None:
    """The recorder is asked to start the board anew: the system does it."""
    machine = bench.machine or bench.power_on()
    machine.armed()
    machine.console().call("system.reboot")
    machine.wait("U-Boot starts again", lambda: len(machine.starts()) > 1, 120)
    bench.power_off()


def power_cut(bench: CardBench) -> None:
    """The power goes in a take; the card starts again, and all that was saved is there."""
    machine = bench.machine or bench.power_on()
    machine.armed()
    console = machine.console()
    console.call("panel.press", button="REC")
    time.sleep(4)
    bench.log(f"cut: {machine.power_cut(bench.chance.randrange(1 << 30))}")
    bench.machine = None
    machine = bench.power_on()
    machine.armed()
    console = machine.console()
    machine.wait("every take is listed", lambda: console.call("library.list")["pending"] == 0, 120)
    takes = console.call("library.list", limit=60)["takes"]
    expect(len(takes) >= 2, f"after the cut the library has {takes}")


def first_start_cuts(bench: CardBench) -> None:
    """The power goes at any write of the first start."""
    for number in range(bench.cuts):
        card = Card(bench.image, bench.folder / "cut")
        machine = bench.power_on(card)
        requests = bench.chance.randrange(1, 45)
        machine.disk.arm(bench.chance.randrange(1 << 30), requests)
        end = time.monotonic() + 300
        while machine.disk.cutAt == 0 and time.monotonic() < end and "made" not in str(card.sector(17)):
            time.sleep(0.2)
        bench.log(f"cut {number + 1}: before request {requests} of the first start, {machine.disk.cutSaid or 'not reached'}")
        bench.power_off()
        machine = bench.power_on(card)
        machine.wait("the data partition is made", lambda: b"made" in card.sector(17), 400)
        machine.armed()
        bench.power_off()
        problems = card.check_data()
        expect(problems is None, f"after cut {number + 1} the data partition is not sound: {problems}")
        shutil.rmtree(bench.folder / "cut")


CHECKS = (
    ("first-start", "through U-Boot to armed; the data partition is grown and made; root and boot partition stay as they were", first_start),
    ("second-start", "armed again, with the same number, at the first try", second_start),
    ("record", "a take by the console", records),
    ("idle", "no write reaches the card in a minute", idle),
    ("reboot", "asked by the console, the board starts anew", reboot),
    ("power-cut", "the power goes in a take; after the next start it is there, and the one before", power_cut),
    ("mistake", "a mistake in mynah.toml is on the screen with its line; the device is up", mistake),
    ("first-start-cuts", "the power goes in the first start", first_start_cuts),
)


def main(options, log) -> int:
    if missing := missing_tools():
        print(f"rig: {', '.join(missing)} missing: Scripts/setup rig deploy")
        return 69
    u_boot = options.u_boot or options.image.parent / "u-boot-virt.bin"
    for path in (options.image, u_boot):
        if not path.exists():
            print(f"rig: {path} is not there: make image")
            return 69
    table = [check for check in CHECKS if not options.only or check[0] in options.only]
    outcomes: list[report.Outcome] = []
    shutil.rmtree(options.keep, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="mynah-card-") as scratch:
        bench = CardBench(options.image, u_boot, pathlib.Path(scratch), options.seed, options.cuts or 3, log)
        try:
            for name, what, check in table:
                start = time.monotonic()
                verdict, message = "passed", ""
                try:
                    check(bench)
                except (Failure, CardError, RemoteError, Silence, OSError) as error:
                    verdict, message = "failed", str(error)
                    (options.keep / name).mkdir(parents=True, exist_ok=True)
                    if bench.machine:
                        (options.keep / name / "serial.log").write_text(bench.machine.serial())
                outcomes.append(report.Outcome(name, what, time.monotonic() - start, verdict, message))
                log(f"{name}: {verdict} {message}")
        finally:
            bench.close()
    report.junit(outcomes, options.keep / "junit.xml")
    print(f"\n{report.table(bench.measures)}\n")
    print(report.summary(outcomes))
    return 1 if any(one.verdict == "failed" for one in outcomes) else 0
