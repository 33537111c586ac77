"""Sticks that takes are copied to: real file systems, mounted by the helper of the package."""

import contextlib
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import threading
import time

from .. import sound
from ..bench import Bench, Take, expect
from ..console import RemoteError

HELPER = pathlib.Path(__file__).resolve().parents[4] / "deploy/debian/stick"
KINDS = ("vfat", "exfat", "ext4")
MEGABYTES = 64
# Sticks by what they write and read, bytes a second: a plain one at USB 3, and one at USB 2.
SPEEDS = {"USB 3": (20_000_000, 100_000_000), "USB 2": (10_000_000, 30_000_000)}
# What is copied to them.
COPIED, COPIED_SECONDS, ROUNDS = 10, 60, 3
# Started for each stick by udev, which is not here; its words are those of Debian's util-linux.
KEEPER = """
mkdir -p /run/stickd/bin
for word in blkid findmnt; do
  printf '#!/bin/sh\\nexec chroot /tools %s "$@"\\n' $word >/run/stickd/bin/$word
  chmod 755 /run/stickd/bin/$word
done
chmod 755 /run/stickd/stick
export PATH=/run/stickd/bin:$PATH MYNAH_STICK_GROUP=0 MYNAH_STICK_USER=0
while :; do
  for place in /sys/class/block/sd*; do
    name=${place##*/}
    if [ -e "$place" ] && ! [ -e /run/stickd/$name.pid ]; then
      /run/stickd/stick $name >>/run/stickd/log 2>&1 &
      echo $! >/run/stickd/$name.pid
    fi
  done
  for file in /run/stickd/*.pid; do
    name=${file##*/}; name=${name%.pid}
    if [ -e "$file" ] && ! [ -e /sys/class/block/$name ]; then
      kill $(cat $file); /run/stickd/stick --clean $name; rm -f $file
    fi
  done
  sleep 0.05
done
"""


@contextlib.contextmanager
def _socket(bench: Bench):
    """The helper runs for each stick that is plugged in; and a folder for their contents, on the host."""
    machine = bench.machine
    machine.check("mkdir -p /run/stickd /run/looked")
    machine.store("/run/stickd/stick", HELPER.read_bytes())
    machine.store("/run/stickd/keeper", KEEPER.encode())
    machine.check("sh /run/stickd/keeper </dev/null >/dev/null 2>&1 & echo $! >/run/stickd/keeper-process")
    try:
        with tempfile.TemporaryDirectory(prefix="mynah-stick-") as folder:
            yield pathlib.Path(folder)
    finally:
        machine.run("kill $(cat /run/stickd/keeper-process)")
        with contextlib.suppress(Exception):
            machine.pull_stick()


def _made(folder: pathlib.Path, kind: str, megabytes: int = MEGABYTES, source: pathlib.Path | None = None) -> pathlib.Path:
    """A stick with this file system; with `source`, that is its folder Mynah, or, on ext4, all of it."""
    path = folder / f"{kind}.img"
    path.unlink(missing_ok=True)
    with open(path, "wb") as file:
        file.truncate(megabytes << 20)
    if kind == "vfat":
        size = ["-F", "32"] if megabytes > 33 else []
        subprocess.run(["mkfs.vfat", *size, "-n", "STICK", path], check=True, capture_output=True)
        if source:
            subprocess.run(["mcopy", "-i", path, "-s", source, "::Mynah"], check=True)
    elif kind == "exfat":
        subprocess.run(["mkfs.exfat", "-L", "STICK", path], check=True, capture_output=True)
    else:
        # Of ext4 the source is the whole stick.
        more = ["-d", source] if source else []
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-L", "STICK", *more, path], check=True)
    return path


def _plug(
    bench: Bench, stick: pathlib.Path, isReadOnly: bool = False, speed: tuple[int, int] | None = None) -> dict:
    bench.machine.plug_stick(stick, isReadOnly, speed)
    return bench.until(
        "the stick is seen", lambda: (state := bench.call("stick.status"))["state"] in ("plugged", "mounted") and state, 60)


def _pull(bench: Bench) -> None:
    bench.machine.pull_stick()
    bench.until("the stick is gone", lambda: bench.call("stick.status")["state"] == "absent", 60)


def _there(bench: Bench, stick: pathlib.Path, kind: str) -> dict[str, str]:
    """What is on the stick as the kernel reads it anew: SHA-256 by name."""
    _plug(bench, stick)
    try:
        said = bench.machine.check(
            f"mount -t {kind} -o ro /dev/$(ls /sys/class/block | grep -m1 ^sd) /run/looked && cd /run/looked &&"
            " { [ -d Mynah ] && find Mynah -type f -exec sha256sum {} + || true; }; cd /; umount /run/looked", timeout=120)
    finally:
        _pull(bench)
    there = {}
    for line in said.splitlines():
        if found := re.fullmatch(r"([0-9a-f]{64})  (?:\./)?Mynah/(.*)", line):
            there[found[2]] = found[1]
        elif found := re.search(r"Mynah/(.*?)'?: ", line):
            # A torn file system may list what cannot be read.
            bench.log(f"      {kind}: {line}")
            there[found[1]] = "unreadable"
        else:
            bench.log(f"      {kind}: {line}")
    return there


def _sums(bench: Bench, takes: list[Take]) -> dict[str, str]:
    paths = " ".join(f"'{bench.machine.data}/{take.path}'" for take in takes)
    return {name.rsplit("/", 1)[1]: total for total, name in (
        line.split("  ", 1) for line in bench.machine.check(f"sha256sum {paths}", timeout=60).splitlines())}


def _takes(bench: Bench) -> list[Take]:
    bench.ready()
    takes = [bench.record(3) for _ in range(3)]
    bench.pause(1)
    return takes


def _sounds(there: dict[str, str]) -> list[str]:
    """Sums of what bears a sound's own name."""
    return sorted(total for name, total in there.items() if name.endswith(".wav"))


def hostile(bench: Bench) -> None:
    takes = _takes(bench)
    sums = _sums(bench, takes)
    ids = [take.id for take in takes]
    said = []
    with _socket(bench) as folder:
        for kind in KINDS:
            stick = _made(folder, kind)
            state = _plug(bench, stick)
            expect(state["state"] == "plugged" and state["label"] == "STICK", f"{kind}: {state}")
            start = time.monotonic()
            answer = bench.console.call("library.export", 180, ids=ids)
            said.append(f"{kind} {time.monotonic() - start:.1f} s")
            expect(answer["done"] == 3 and answer["safe"] and not answer["failed"], f"{kind}: {answer}")
            expect(bench.call("stick.status")["state"] == "safe", f"{kind} is not told to be safe")
            _pull(bench)
            there = _there(bench, stick, kind)
            expect(_sounds(there) == sorted(sums.values()), f"on {kind} are {there}, not {sums}")
            expect(not [name for name in there if name.endswith(".part")], f"{kind}: {there}")

        def refused(what: str, stick: pathlib.Path, codes: tuple[str, ...], kind: str, isReadOnly: bool = False) -> None:
            _plug(bench, stick, isReadOnly)
            try:
                answer = bench.console.call("library.export", 180, ids=ids)
                expect(False, f"a stick that is {what} was taken: {answer}")
            except RemoteError as error:
                bench.log(f"      {what}: {error}")
                expect(error.code in codes, f"a stick that is {what}: {error}")
            _pull(bench)
            expect(
                all(total in sums.values() for total in _sounds(_there(bench, stick, kind))), f"{what}: half a file is there")

        refused("full", _made(folder, "vfat", 2), ("storage-full",), "vfat")
        refused("write-protected", _made(folder, "vfat"), ("denied", "unsupported"), "vfat", True)
        source = folder / "link"
        source.mkdir()
        (source / "Mynah").symlink_to("/data/mynah/recordings")
        refused("a link", _made(folder, "ext4", source=source), ("denied",), "ext4")

        # A folder in the place of a take, somebody's unfinished file, and very many others.
        root = folder / "root"
        crowd = root / "Mynah"
        crowd.mkdir(parents=True)
        for number in range(3000):
            (crowd / f"Somebody's recording of the evening number {number}.txt").write_bytes(b"mine")
        stick = _made(folder, "ext4", source=root)
        _plug(bench, stick)
        answer = bench.console.call("library.export", 180, ids=ids)
        expect(answer["done"] == 3 and answer["safe"], f"among many files: {answer}")
        _pull(bench)
        names = [name for name in _there(bench, stick, "ext4") if name.endswith(".wav")]
        expect(len(names) == 3, f"among many files are {names}")
        shutil.rmtree(crowd)
        (crowd / names[0]).mkdir(parents=True)
        (crowd / names[1]).write_bytes(b"another one")
        stick = _made(folder, "vfat", source=crowd)
        _plug(bench, stick)
        answer = bench.console.call("library.export", 180, ids=ids)
        expect(answer["done"] == 3 and answer["safe"], f"with names that are taken: {answer}")
        _pull(bench)
        there = _there(bench, stick, "vfat")
        expect(
            sorted(sums.values()) == sorted(total for total in _sounds(there) if total in sums.values())
            and sum("(2)" in name for name in there if name.endswith(".wav")) == 2, f"with names that are taken: {there}")
    expect(_sums(bench, takes) == sums, "the takes on the card are not what they were")
    bench.measures["three takes to a stick, synced and read back"] = ", ".join(said)


def pulled(bench: Bench) -> None:
    takes = _takes(bench)
    sums = _sums(bench, takes)
    ids = [take.id for take in takes]
    dice = random.Random(bench.seed)
    rounds = 51 if bench.isFull and bench.cuts == 1000 else bench.cuts if bench.cuts != 50 else 6
    count, partly, ends = 0, 0, {}
    with _socket(bench) as folder:
        whole: dict[str, float] = {}
        for number in range(rounds):
            kind = KINDS[number % len(KINDS)]
            stick = _made(folder, kind)
            _plug(bench, stick)
            if kind not in whole:
                start = time.monotonic()
                bench.console.call("library.export", 180, ids=ids)
                whole[kind] = time.monotonic() - start
                _pull(bench)
                stick = _made(folder, kind)
                _plug(bench, stick)
            outcome: list[str] = []

            def export() -> None:
                try:
                    answer = bench.console.call("library.export", 90, ids=ids)
                    outcome.append("done" if answer["done"] == 3 else str(answer))
                except RemoteError as error:
                    outcome.append(error.code)

            worker = threading.Thread(target=export)
            worker.start()
            bench.pause(dice.uniform(0, whole[kind] * 1.05))
            bench.machine.pull_stick()
            worker.join()
            expect(outcome, f"{kind}: the export has not ended 90 s after the stick was pulled out")
            end = outcome[0]
            ends[end] = ends.get(end, 0) + 1
            expect(end in ("done", "device-lost", "not-found"), f"{kind}: {end}")
            bench.until("the stick is gone", lambda: bench.call("stick.status")["state"] == "absent", 60)
            there = _there(bench, stick, kind)
            bench.log(f"      pull {number}, {kind}: {end}, {len(_sounds(there))} takes of {len(there)} files")
            half = {name: total for name, total in there.items() if name.endswith(".wav") and total not in sums.values()}
            expect(not half, f"{kind}, pull {number}: half under its own name: {half}")
            expect(end != "done" or len(_sounds(there)) == 3, f"{kind}, pull {number}: told as done, and there are {there}")
            partly += bool(there) and len(_sounds(there)) < 3
            count += 1
            if number >= rounds - len(KINDS):
                _plug(bench, stick)
                answer = bench.console.call("library.export", 180, ids=ids)
                expect(answer["done"] == 3 and answer["safe"], f"{kind}, put in again: {answer}")
                _pull(bench)
                there = _there(bench, stick, kind)
                expect(_sounds(there) == sorted(sums.values()), f"{kind}, put in again: {there}")
                expect(not [name for name in there if name.endswith(".part")], f"{kind}, put in again: {there}")
            expect(_sums(bench, takes) == sums, f"{kind}, pull {number}: the takes on the card are not what they were")
    problems = bench.console.call("library.verify", 120)["problems"]
    expect(not problems, f"library.verify: {problems}")
    bench.measures["a stick pulled out in an export"] = (
        f"{count} times ({', '.join(f'{one} {number}' for one, number in sorted(ends.items()))}), {partly} of them with a "
        "part on it; nothing half under its own name")


def speed(bench: Bench) -> None:
    """An export's time beside that of cp and sync, on sticks of a stick's speed; reading back is told apart."""
    machine = bench.machine
    bench.ready()
    bench.stop()
    names = [f"Interview {number:02d}" for number in range(COPIED)]
    machine.store("/run/whole.wav", sound.file(bench.noise * (COPIED_SECONDS // 20)))
    machine.check(
        f"mkdir -p {machine.data}/recordings && cd {machine.data}/recordings && for name in "
        + " ".join(f"'{name}'" for name in names) + "; do cp /run/whole.wav \"$name.wav\"; done; rm /run/whole.wav; sync",
        timeout=180)
    bytes_ = COPIED * (len(bench.noise) * (COPIED_SECONDS // 20) + 44)
    slow = []
    try:
        bench.ready(isPlaying=False, recording_preRecordSeconds=0)
        bench.until("the takes are looked at", lambda: not bench.call("library.list", limit=1)["pending"], 120)
        ids = [take["id"] for take in bench.call("library.list", limit=60)["takes"] if take["id"].startswith(names[0][:-3])]
        expect(len(ids) == COPIED, f"of {names}, {ids} are listed")
        with _socket(bench) as folder:
            for name, rates in SPEEDS.items():
                for kind in KINDS:
                    rounds = ROUNDS if kind == KINDS[0] else 1
                    said = [_compared(bench, folder, kind, rates, names, ids) for _ in range(rounds)]
                    copied, read, exported = (sorted(column)[rounds // 2] for column in zip(*said))
                    ratios = ((exported - read) / copied, exported / (copied + read), exported / copied)
                    bench.measures[f"export to a stick of {name}, {kind}"] = (
                        f"{exported:.1f} s; cp and sync {copied:.1f} s, reading back {read:.1f} s; without reading back "
                        f"{ratios[0]:.2f}x of cp and sync, with it {ratios[1]:.2f}x of all three, {ratios[2]:.2f}x of cp and sync; "
                        f"{bytes_ / 1e6:.0f} MB, {bytes_ / 1e6 / exported:.1f} MB/s; written at most {rates[0] / 1e6:.0f} MB/s, "
                        f"read {rates[1] / 1e6:.0f} MB/s")
                    bench.log(f"      {name}, {kind}: {bench.measures[f'export to a stick of {name}, {kind}']}")
                    if ratios[0] > 1.1 or ratios[1] > 1.1:
                        slow.append(f"{name}, {kind}: {ratios[0]:.2f}, {ratios[1]:.2f}")
    finally:
        bench.stop()
        machine.run(f"rm -f {machine.data}/recordings/Interview*")
    expect(not slow, f"more than 1.1 times the time of cp, sync and reading back: {'; '.join(slow)}")


def _compared(
    bench: Bench, folder: pathlib.Path, kind: str, rates: tuple[int, int], names: list[str], ids: list[str]
) -> tuple[float, float, float]:
    """Seconds of cp and sync, of reading back, and of an export; each with its mount and unmount, the source in nobody's
    memory at first, and no stick's content at all."""
    machine, size = bench.machine, 3 * MEGABYTES
    forget = "sync; echo 3 >/proc/sys/vm/drop_caches"
    _plug(bench, _made(folder, kind, size), speed=rates)
    files = " ".join(f"'{name}.wav'" for name in names)
    said = machine.check(
        f"device=/dev/$(ls /sys/class/block | grep -m1 ^sd); {forget}; now() {{ cut -d' ' -f1 /proc/uptime; }}; "
        f"a() {{ mount -t {kind} -o noatime $1 $device /run/looked; }}; now; a; mkdir /run/looked/Mynah;"
        f" cd {machine.data}/recordings; cp {files} /run/looked/Mynah/; sync; umount /run/looked; now; a '-o ro';"
        # The least that reading back can take: busybox's cmp looks at one byte after the other.
        f" cd /run/looked/Mynah; for file in {files}; do dd if=\"$file\" of=/dev/null bs=256k 2>/dev/null; done;"
        " cd /; umount /run/looked; now",
        timeout=240).split()
    began, copied, read = (float(word) for word in said)
    _pull(bench)
    _plug(bench, _made(folder, kind, size), speed=rates)
    machine.check(forget)
    start = time.monotonic()
    answer = bench.console.call("library.export", 240, ids=ids)
    exported = time.monotonic() - start
    expect(answer["done"] == COPIED and answer["safe"] and not answer["failed"], f"{kind}: {answer}")
    _pull(bench)
    return copied - began, read - copied, exported
