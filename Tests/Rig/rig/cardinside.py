"""The image seen from inside, by ssh: with a key that a person has put on the boot partition. What runs there, what listens,
what took how long to start."""

import pathlib
import re
import shutil
import socket
import subprocess
import time

from . import cardpeople
from .bench import expect
from .card import Card

SIZES = pathlib.Path(__file__).resolve().parents[3] / "deploy/image-sizes"
# Resident memory of everything but the recorder, in MB; pages that two processes share count twice.
MOST = 60


class Shell:
    """The way in: a copy of the card with a key on its boot partition, switched on."""

    def __init__(self, bench, name: str, prepare=lambda card: None, seesHost: bool = False):
        self.folder = bench.folder / name
        # Of an attempt before.
        shutil.rmtree(self.folder, ignore_errors=True)
        card = Card.of(bench.card, self.folder)
        prepare(card)
        self._key = self.folder / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "rig", "-f", self._key], check=True)
        card.put("ssh.pub", self._key.with_suffix(".pub").read_text())
        self._port = free_port()
        self.machine = bench.power_on(card, self._port, seesHost)
        self.machine.armed()
        self.machine.wait("ssh lets the key in", lambda: self.run("true").returncode == 0, 240)

    def run(self, script: str, hasKey: bool = True) -> subprocess.CompletedProcess:
        return subprocess.run(self._words(script, hasKey), capture_output=True, text=True, timeout=180)

    def _words(self, script: str, hasKey: bool = True) -> list[str]:
        way = ("-i", str(self._key), "-o", "IdentitiesOnly=yes") if hasKey else ("-o", "PubkeyAuthentication=no")
        return ["ssh", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR",
            "-o", "BatchMode=yes", "-o", "ConnectTimeout=30", "-p", str(self._port), *way, "root@127.0.0.1", script]

    def put(self, folder: pathlib.Path, target: str) -> None:
        """Brings what is in a folder of the host there, into memory."""
        packed = subprocess.run(["tar", "-c", "-z", "-C", folder, "."], capture_output=True, check=True).stdout
        subprocess.run(self._words(f"mkdir -p {target} && tar -x -z -C {target}"), input=packed, check=True, timeout=300)

    def said(self, script: str) -> str:
        answer = self.run(script)
        expect(answer.returncode == 0, f"{script}: {answer.stdout[-300:]}{answer.stderr[-300:]}")
        return answer.stdout

    def until(self, what: str, script: str, timeout: float = 120) -> None:
        self.machine.wait(what, lambda: self.run(script).returncode == 0, timeout)


def inside(bench) -> None:
    shell = Shell(bench, "inside")
    said = shell.said
    expect(shell.run("true", hasKey=False).returncode != 0, "somebody without the key was let in")
    ports = {int(row.split()[1].rsplit(":", 1)[1], 16) for row in said("cat /proc/net/tcp /proc/net/tcp6").splitlines()
        if re.match(r"\s*\d+:", row) and row.split()[3] == "0A"}
    expect(ports == {22}, f"these ports listen: {ports}")
    expect("static" not in said("systemctl list-timers --all --no-legend"), "there are timers")
    expect(not said("swapon --noheadings 2>/dev/null || tail -n +2 /proc/swaps").strip(), "there is swap")
    failed = said("systemctl list-units --state=failed --no-legend --plain")
    expect(not failed.strip(), f"units have failed: {failed}")
    mounts = [row.split() for row in said("cat /proc/mounts").splitlines()]
    writable = [row[1] for row in mounts if row[0].startswith("/dev/") and "rw" in row[3].split(",")]
    expect(writable == ["/var/lib/mynah"], f"these can be written to: {writable}")
    measures(bench, said)
    bench.power_off()
    shutil.rmtree(shell.folder)


# The drive as the kernel of a PC sees it. Not by its label: the block device that it is made up by bears the same one, and
# is here beside it, as the board is its own PC.
DRIVE = "/dev/$(ls /sys/class/block | grep -m 1 '^sd')"
IS_THERE = f'test "$(blockdev --getsz {DRIVE} 2>/dev/null || echo 0)" -gt 0'
IS_GONE = "! ls /sys/class/block | grep -q '^sd'"
# The PC's socket: without its power the board is unplugged, as seen from either side. (soft_connect of the board's side is no
# plug: once disconnected so, dummy_hcd of 6.12 answers nobody any more, whatever the gadget is.)
SOCKET = "/sys/devices/platform/dummy_hcd.0/usb*/*-0:1.0/usb*-port1/disable"
SUMS = "find . -type f -exec sha256sum {} + | cut -c 1-64 | sort"


def drive(bench) -> None:
    """The board is plugged into itself: its USB device controller and the PC's host controller are one module."""
    shell = Shell(bench, "drive")
    machine, said = shell.machine, shell.said
    console = machine.console()
    # There is none where this is the only check.
    cardpeople.records(bench)
    said("modprobe usb_storage; modprobe sd_mod; modprobe dummy_hcd")
    shell.until("the PC sees a drive", IS_THERE)
    ours = SUMS.replace(". -type", "/var/lib/mynah/recordings -name '*.m4a' -type")
    said(f"mount -o ro {DRIVE} /mnt")
    there = said(f"cd /mnt && {SUMS}")
    expect(there and there == said(ours), f"on the drive: {there}, in the library: {said(ours)}")
    names = said("cd /mnt && find . -type f").splitlines()
    expect(all(name.startswith("./Takes/Take ") for name in names), f"the names are {names}")
    bench.log(f"      on the drive: {', '.join(names)}")
    said("umount /mnt")
    expect(shell.run(f"fsck.vfat -n {DRIVE}").returncode == 0, "fsck.vfat finds something in the drive")
    expect(shell.run(f"mount -o rw {DRIVE} /mnt && touch /mnt/x").returncode != 0, "a PC could write to the drive")
    expect(shell.run(f"dd if=/dev/urandom of={DRIVE} bs=64k count=4 oflag=direct").returncode != 0,
        "a PC could write to the drive's blocks")
    shell.run("umount /mnt")
    # A take while the PC reads all of the drive, again and again.
    console.call("events.subscribe", topics=[])
    console.forget()
    console.call("panel.press", button="REC")
    expect(console.wait_event("onTakeStarted", 60), "REC was pressed, and no take was begun")
    said(f"for i in 1 2 3; do dd if={DRIVE} of=/dev/null bs=1M count=16 iflag=direct; done")
    # Unplugged in the middle of it.
    shell.run(f"dd if={DRIVE} of=/dev/null bs=1M count=500 iflag=direct & sleep 1; echo 1 >$(ls {SOCKET})")
    shell.until("the drive is gone", IS_GONE)
    console.call("panel.press", button="STOP")
    saved = console.wait_event("onTakeSaved", 120)
    expect(saved and saved["frames"] >= 48_000, f"the take is {saved}")
    said(f"echo 0 >$(ls {SOCKET})")
    shell.until("the PC sees a drive again", IS_THERE)
    shell.until("the new take is on it", f"mount -o ro {DRIVE} /mnt && {{ test $(find /mnt -type f | wc -l) = {len(names) + 1} || "
        "{ umount /mnt; sleep 2; false; }; }")
    there = said(f"cd /mnt && {SUMS}")
    expect(there == said(ours) and len(there.splitlines()) == len(names) + 1, f"the new take is not on it: {there}")
    said("umount /mnt")
    # Pulled and put back faster than the helper looks, with a take since.
    cardpeople.records(bench)
    said(f"echo 1 >$(ls {SOCKET}); echo 0 >$(ls {SOCKET})")
    shell.until("the take is on it that came before it was plugged in anew", f"mount -o ro {DRIVE} /mnt && "
        f"{{ test $(find /mnt -type f | wc -l) = {len(names) + 2} || {{ umount /mnt; sleep 2; false; }}; }}")
    expect(said(f"cd /mnt && {SUMS}") == said(ours), "the drive does not have what the library has")
    said("umount /mnt")
    bench.power_off()
    shutil.rmtree(shell.folder)


def measures(bench, said) -> None:
    """Memory by process, and the slowest units, into the table."""
    bench.measures["start, by systemd (emulated)"] = said("systemd-analyze time | head -n 1").strip()
    for row in said("systemd-analyze blame --no-pager | head -n 12").splitlines():
        seconds, unit = row.rsplit(None, 1)
        bench.measures[f"start of {unit} (emulated)"] = seconds.strip()
    sizes(bench)
    rows = said(
        "for p in /proc/[0-9]*; do s=$(awk '/^(Rss|Pss):/ { print $2 }' $p/smaps_rollup 2>/dev/null); "
        "[ -z \"$s\" ] || echo $s $(cat $p/comm); done").splitlines()
    memory: dict[str, tuple[int, int]] = {}
    for row in rows:
        resident, share, name = row.split(None, 2)
        # The shell that asks, and what let it in, are there for this check.
        if name not in ("dropbear", "sh", "cat", "awk"):
            before = memory.get(name, (0, 0))
            memory[name] = (before[0] + int(resident), before[1] + int(share))
    others = [sum(one[part] for name, one in memory.items() if name != "mynah") for part in (0, 1)]
    for name, (resident, share) in [*sorted(memory.items(), key=lambda one: -one[1][0]), ("all but mynah", others)]:
        # Of pages that several have, each has its share.
        bench.measures[f"memory of {name}"] = f"{resident / 1024:.1f} MiB resident, {share / 1024:.1f} by its share"
    expect(others[0] * 1024 <= MOST * 1_000_000, f"all but the recorder takes {others[0]} kB, more than {MOST} MB")


def sizes(bench) -> None:
    """What costs what in the root, as the packages have it."""
    table = subprocess.run([SIZES, bench.card.path, "12"], capture_output=True, text=True, timeout=300)
    expect(table.returncode == 0, f"deploy/image-sizes: {table.stderr[-300:]}")
    for name, size in re.findall(r"^\| (.+) \| ([^|]*\d[^|]*) \|$", table.stdout, re.MULTILINE):
        bench.measures[f"in the root: {name.strip('*')}"] = f"{size.strip('*')} MB"


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
