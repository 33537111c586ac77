"""Updates of a card: refused with a reason, given up for the root from before, or kept; power cuts in each phase of them.

Every update comes on a USB stick and is asked for by the console, as a person does; deploy/trial-updates makes the bad ones.
"""

import base64
import pathlib
import shutil
import subprocess
import time

from . import cardpeople
from .bench import expect
from .card import Card, CardMachine
from .cardinside import Shell

SERVER = pathlib.Path(__file__).resolve().parents[2] / "Tools/update_server.py"
# The machine that the virtual one runs on, as it sees it.
HOST = "10.0.2.2"
DEPLOY = pathlib.Path(__file__).resolve().parents[3] / "deploy"
# Trial, and the word that the refusal begins with.
REFUSALS = (
    ("unsigned", "unsigned"), ("stranger", "unsigned"), ("board", "board"), ("older", "older"), ("damaged", "damaged"),
)
# Partitions of the roots.
ROOTS = {"A": 2, "B": 3}
ENDS = ("refused", "failed", "installed")


def other(root: str) -> str:
    return "B" if root == "A" else "A"


def trial(bench, name: str) -> pathlib.Path:
    """The update file of this name; made when it is asked for first."""
    folder = bench.folder / "updates"
    path = folder / f"{name}.raucb"
    if path.exists():
        return path
    folder.mkdir(exist_ok=True)
    if name == "damaged":
        content = bytearray(bench.update.read_bytes())
        content[len(content) // 2] ^= 0x10
        path.write_bytes(content)
    else:
        made = subprocess.run([DEPLOY / "trial-updates", bench.image, folder, name], capture_output=True, text=True)
        expect(made.returncode == 0, f"deploy/trial-updates: {made.stderr[-500:]}")
    return path


def ask(bench, machine: CardMachine, file: pathlib.Path) -> None:
    """Plugs a stick with this file in, and asks for the update that is on one."""
    console = machine.console()
    machine.plug_stick(file)
    machine.wait("the stick is seen", lambda: console.call("stick.status")["state"] == "plugged", 120)
    console.call("update.install")


def outcome(machine: CardMachine, since: dict, phases=ENDS, timeout: float = 900) -> dict:
    """What the update has come to, when it has come to an end that was not told before."""
    console = machine.console()

    def told():
        report = console.call("update.status")
        return report != since and report["phase"] in phases and report

    return machine.wait(f"the update is {' or '.join(phases)}", told, timeout)


def install(bench, machine: CardMachine, file: pathlib.Path) -> dict:
    since = machine.console().call("update.status")
    ask(bench, machine, file)
    report = outcome(machine, since)
    pull(machine)
    return report


def pull(machine: CardMachine) -> None:
    machine.pull()
    machine.wait("the stick is gone", lambda: machine.console().call("stick.status")["state"] == "absent", 60)


def written(machine: CardMachine, root: str, since: int = 0) -> int:
    """Bytes that have gone to this root since power on, or since that write."""
    start, size = machine.card.partitions()[ROOTS[root] - 1]
    return sum(length for offset, length in machine.disk.places[since:] if start * 512 <= offset < (start + size) * 512)


def restart(machine: CardMachine) -> None:
    """The first start of what was installed."""
    starts = len(machine.starts())
    machine.console().call("system.reboot")
    machine.wait("U-Boot starts again", lambda: len(machine.starts()) > starts, 180)


def refused(bench) -> None:
    machine = bench.machine or bench.power_on()
    machine.armed()
    running, state = machine.running(), machine.card.state()
    said = []
    for name, word in REFUSALS:
        report = install(bench, machine, trial(bench, name))
        said.append(f"{name}: {report['text']}")
        bench.log(f"      {said[-1]}")
        expect(report["phase"] == "refused" and report["text"].startswith(f"{word}:"), f"{name}: {report}")
    expect(written(machine, other(running)) == 0, "something was written to the other root")
    expect(machine.card.state() == state, f"sector 16 has changed: {machine.card.state()}")


def by_console(bench) -> None:
    """A file that comes over the console; of a version before, which is found only when all of the way was gone."""
    machine = bench.machine or bench.power_on()
    machine.armed()
    console = machine.console()
    content = trial(bench, "older").read_bytes()
    answer = {"bytes": 0}
    while answer["bytes"] < len(content):
        piece = content[answer["bytes"] : answer["bytes"] + 30_000]
        answer = console.call("files.write", 60, name="older.raucb", total=len(content), offset=answer["bytes"],
            data=base64.b64encode(piece).decode())
    since = console.call("update.status")
    console.call("update.install", file=answer["id"])
    report = outcome(machine, since)
    expect(report["phase"] == "refused" and report["text"].startswith("older:"), f"of the console's file: {report}")


def by_address(bench) -> None:
    """From a server with TLS that hangs up in the middle, beside a take; of a version before, as `by_console`."""
    file = trial(bench, "older")
    shell = Shell(bench, "address", seesHost=True)
    machine, folder = shell.machine, shell.folder / "tls"
    console = machine.console()
    authority = certificates(folder)
    shell.put(authority, "/var/lib/mynah/tls")
    console.call("settings.set", **{"dub.caFile": "/var/lib/mynah/tls/authority.pem"})
    server = subprocess.Popen([SERVER, file, "--certificate", folder / "server.pem", "--key", folder / "server.key"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        address = f"https://{HOST}:{server.stdout.readline().split()[1]}"
        since = console.call("update.status")
        console.call("update.install", file=f"{address}/none.raucb")
        report = outcome(machine, since)
        expect(report["text"].startswith("http-404"), f"of an address where there is none: {report}")
        console.call("update.install", file=f"{address}/breaks.raucb")
        outcome(machine, report, ("fetching",))
        cardpeople.records(bench)
        report = outcome(machine, report)
        bench.log(f"      by its address: {report['text']}")
        expect(report["phase"] == "refused" and report["text"].startswith("older:"), f"of the address's file: {report}")
        shell.until("nothing of it stays", "test -z \"$(find /var/lib/mynah -name '*.raucb*')\"")
    finally:
        server.stdin.close()
        server.wait(30)
    bench.power_off()
    shutil.rmtree(shell.folder)


def certificates(folder: pathlib.Path) -> pathlib.Path:
    """An authority, in the folder that it gives, and a server's certificate by it, in this one."""
    given = folder / "given"
    given.mkdir(parents=True)
    subject = ("-subj", "/CN=rig", "-days", "7", "-newkey", "rsa:2048", "-noenc")
    openssl("req", "-x509", *subject, "-keyout", folder / "authority.key", "-out", given / "authority.pem")
    openssl("req", "-x509", *subject, "-addext", f"subjectAltName=IP:{HOST}", "-addext", "basicConstraints=critical,CA:FALSE",
        "-CA", given / "authority.pem", "-CAkey", folder / "authority.key", "-keyout", folder / "server.key",
        "-out", folder / "server.pem")
    return given


def openssl(*words) -> None:
    subprocess.run(["openssl", *words], check=True, capture_output=True)


def good(bench) -> None:
    machine = bench.machine or bench.power_on()
    machine.armed()
    before = machine.running()
    start, places = time.monotonic(), len(machine.disk.places)
    report = install(bench, machine, bench.update)
    expect(report["phase"] == "installed", f"the update is {report}")
    bench.measures["update, from asking to installed (emulated)"] = f"{time.monotonic() - start:.0f} s"
    whole = sum(length for _, length in machine.disk.places[places:])
    bench.measures["update, written to the card"] = (
        f"{written(machine, other(before), places) / 1e6:.1f} MB to the other root, {whole / 1e6:.1f} MB in all; "
        f"the file has {bench.update.stat().st_size / 1e6:.1f} MB")
    restart(machine)
    start = time.monotonic()
    expect(machine.running() == other(before), f"the first start is of {machine.running()}")
    machine.armed()
    outcome(machine, {}, ("good",))
    bench.measures["update, from its first start to kept (emulated)"] = f"{time.monotonic() - start:.0f} s"
    bench.power_off()
    state = bench.card.state()
    expect(state.get("TRIAL", "") == "" and state[f"BOOT_{other(before)}_LEFT"] == "3"
        and state["BOOT_ORDER"].startswith(other(before)), f"after a good update sector 16 says {state}")
    machine = bench.power_on()
    machine.armed()
    expect(machine.running() == other(before), f"the next start is of {machine.running()}")


def bad(name: str, seconds: float):
    """A check: this update is given up for the root from before, within so many seconds of its start."""

    def check(bench) -> None:
        machine = bench.machine or bench.power_on()
        machine.armed()
        before = machine.running()
        takes = machine.console().call("library.list")["total"]
        report = install(bench, machine, trial(bench, name))
        expect(report["phase"] == "installed", f"the update is {report}")
        restart(machine)
        first = len(machine.starts())
        expect(machine.running() == other(before), f"its first start is of {machine.running()}")
        start = time.monotonic()
        machine.wait("the root from before starts", lambda: len(machine.starts()) > first, seconds)
        bench.measures[f"update {name}, from its start to the way back (emulated)"] = f"{time.monotonic() - start:.0f} s"
        expect(machine.running() == before, f"after it {machine.running()} starts")
        machine.armed()
        report = outcome(machine, {}, ("failed",), 60)
        bench.log(f"      {name}: {report['text']}")
        expect(machine.console().call("library.list")["total"] == takes, "the takes are not all there")
        state = machine.card.state()
        expect(state["BOOT_ORDER"] == before and not state.get("TRIAL"), f"sector 16 says {state}")

    return check


def back(bench) -> None:
    """A card as a good update leaves it. No line of the emulator's is a key, so what the first process leaves when STOP is held
    is put there by hand, and the judge of the start asked anew."""
    shell = Shell(bench, "back", Card.update_by_hand)
    machine = shell.machine
    expect(machine.running() == "B", f"{machine.running()} runs, not B")
    shell.run("touch /run/mynah-system/back; systemctl restart mynah-good.service")
    machine.wait("the root from before starts", lambda: machine.running() == "A", 240)
    machine.armed()
    state = machine.card.state()
    expect(state["BOOT_ORDER"] == "A" and len(machine.starts()) == 2, f"sector 16 says {state}; {machine.starts()}")
    bench.power_off()
    shutil.rmtree(shell.folder)


def cuts(bench) -> None:
    """The power goes in each phase of a good update: afterwards one of the two roots runs, as it has to be."""
    for phase in ("checking", "writing", "installed", "trial", "good"):
        card = Card.of(bench.card, bench.folder / "cut-update")
        machine = bench.power_on(card)
        machine.armed()
        before = machine.running()
        digest = card.digest(ROOTS[before])
        since = machine.console().call("update.status")
        ask(bench, machine, bench.update)
        if phase == "writing":
            outcome(machine, since, ("writing",))
            machine.disk.arm(bench.chance.randrange(1 << 30), bench.chance.randrange(1, 400))
            machine.wait("it is cut", lambda: machine.disk.cutAt, 300)
        else:
            outcome(machine, since, ("checking", "writing") if phase == "checking" else ("installed",))
        if phase in ("trial", "good"):
            restart(machine)
            machine.armed()
            outcome(machine, {}, (phase,))
        bench.log(f"      {phase}: {machine.power_cut(bench.chance.randrange(1 << 30))}")
        bench.machine = None
        machine = bench.power_on(card)
        machine.armed()
        # A root that was installed has its one try; one whose try was cut off has none.
        expected = other(before) if phase in ("installed", "good") else before
        expect(machine.running() == expected, f"cut while it was {phase}: {machine.starts()}")
        if phase == "installed":
            outcome(machine, {}, ("good",))
        expect(card.digest(ROOTS[before]) == digest, f"cut while it was {phase}: the root that ran has changed")
        bench.power_off()
        problems = card.check_data()
        expect(problems is None, f"cut while it was {phase}: the data partition is not sound: {problems}")
        shutil.rmtree(bench.folder / "cut-update")
