"""Takes by MTP, to a client of another make (libmtp's tools) on a PC, which is the board itself by the kernel's dummy_hcd."""

import pathlib
import re
import shutil
import time

from . import cardpeople, debian, image
from .bench import expect
from .card import SETTINGS
from .cardinside import SOCKET, Shell

SETTING = """
[pc]
drive = "mtp"
microphone = "on"
[clock]
zone = "Asia/Kolkata"
# So large that a PC can be unplugged in the middle.
[settings]
recording.format = "wav"
"""
# The client and its libraries, all that the image does not have.
PACKAGES = ("mtp-tools", "libmtp9", "libusb-1.0-0", "libgcrypt20", "libgpg-error0", "libc6", "libc-bin")
FILES = ("mtp-files", "mtp-getfile", "mtp-sendfile", "mtp-delfile", "libmtp.so.9", "libusb-1.0.so.0", "libgcrypt.so.20",
    "libgpg-error.so.0", "gconv-modules", "UNICODE.so", "UTF-16.so")
ENVIRONMENT = "export LD_LIBRARY_PATH=/tmp/pc GCONV_PATH=/tmp/pc"
RESPONDER = "$(pidof umtprd)"


class PC:
    """The client, as somebody starts it again and again."""

    def __init__(self, shell: Shell):
        self.shell = shell
        shell.put(client(), "/tmp/pc")

    def run(self, words: str, isDone=lambda said: "No devices" not in said and "No raw devices" not in said) -> str:
        """What it says, once it is done. These tools reset what they leave: it goes, and comes back some seconds later."""
        end = time.monotonic() + 180
        while True:
            said = self.shell.run(f"{ENVIRONMENT}; cd /tmp && /tmp/pc/{words} 2>&1").stdout
            if isDone(said) or time.monotonic() > end:
                return said
            time.sleep(0.5)

    def files(self, fewest: int = 1) -> dict[str, tuple[str, int]]:
        """Names of the files, their numbers and lengths, once there are so many; none: the device does not answer."""

        def rows(said: str) -> list:
            found = re.findall(r"File ID: (\d+)\s+Filename: (.*?)\s+File size (\d+)", said)
            return [row for row in found if "." in row[1]]

        said = self.run("mtp-files", lambda said: len(rows(said)) >= fewest)
        return {name: (number, int(size)) for number, name, size in rows(said)}

    def sums(self, files: dict[str, tuple[str, int]]) -> dict[str, str]:
        """What files are that are fetched, by name."""
        found = {}
        for name, (number, _) in files.items():
            said = self.run(f"mtp-getfile {number} /tmp/got && sha256sum /tmp/got && rm /tmp/got", lambda said: "  /tmp/got" in said)
            sum_ = re.search("([0-9a-f]{64})  /tmp/got", said)
            found[name] = sum_[1] if sum_ else said[-200:]
        return found


def client() -> pathlib.Path:
    """The client's files, made once."""
    with image.cache() as folder:
        place = folder / f"mtp-{image.hash_of(*PACKAGES, 'rig/debian.py', 'rig/cardmtp.py')}"
        image.made(place, print, _make_client)
        return place / "client"


def _make_client(target: pathlib.Path, log) -> None:
    archive = debian.Debian(target / "apt", "arm64")
    archive.update()
    archive.unpack(target / "root", *PACKAGES)
    (target / "client").mkdir()
    for name in FILES:
        shutil.copy(next((target / "root").rglob(name)), target / "client" / name)
    for name in ("apt", "root"):
        shutil.rmtree(target / name)


def mtp(bench) -> None:
    shell = Shell(bench, "mtp", lambda card: card.put("mynah.toml", SETTINGS + SETTING))
    machine, said = shell.machine, shell.said
    console = machine.console()
    console.call("events.subscribe", topics=[])
    cardpeople.records(bench)
    pc = PC(shell)
    said("modprobe dummy_hcd")
    there = pc.files()
    same(shell, pc, there, "what the PC fetches")
    bench.log(f"      by MTP: {', '.join(there)}")
    rights(bench, shell)
    dates(shell)
    # Not even the gadget's controller here can carry sound: the rest is there all the same.
    said("journalctl -u mynah-drive --no-pager | grep -q 'does not carry sound'")
    # A take while the PC fetches, writes and deletes.
    console.forget()
    console.call("panel.press", button="REC")
    expect(console.wait_event("onTakeStarted", 60), "REC was pressed, and no take was begun")
    same(shell, pc, there, "what the PC fetches beside a take")
    # The largest.
    number, size = max(there.values(), key=lambda one: one[1])
    answers = [pc.run(words) for words in ("mtp-sendfile /etc/hostname hostname", f"mtp-delfile -n {number}")]
    for answer, word in zip(answers, ("Error sending", "Failed to delete")):
        expect(word in answer, f"a PC writes and deletes: {answer}")
    expect(pc.files() == there, "a PC has changed what is there")
    # Unplugged while it fetches.
    got = int(said(f"({ENVIRONMENT}; until [ -e /tmp/over ] || /tmp/pc/mtp-getfile {number} /tmp/got; do sleep 0.3; done "
        ">/dev/null 2>&1 &); n=0; until [ $n -gt 600 ] || [ -s /tmp/got ]; do n=$((n + 1)); sleep 0.1; done; stat -c %s /tmp/got; "
        f"echo 1 >$(ls {SOCKET}); touch /tmp/over"))
    bench.log(f"      unplugged: the PC has {got} bytes of {size}")
    expect(0 < got < size, "it was not unplugged while it fetched")
    console.call("panel.press", button="STOP")
    saved = console.wait_event("onTakeSaved", 120)
    expect(saved and saved["frames"] >= 48_000, f"the take is {saved}")
    said(f"echo 0 >$(ls {SOCKET})")
    later = pc.files(len(there) + 1)
    expect(len(later) == len(there) + 1, f"the new take is not there: {later}")
    same(shell, pc, later, "what the PC fetches after it was unplugged")
    bench.power_off()
    shutil.rmtree(shell.folder)


def same(shell: Shell, pc: PC, files: dict[str, tuple[str, int]], what: str) -> None:
    there = pc.sums(files)
    library = shell.said("cd /var/lib/mynah/recordings && sha256sum $(ls | grep -E '[.](wav|m4a)$') | cut -c 1-64").split()
    # What is being recorded is not there.
    expect(there and set(there.values()) <= set(library) and all(name.startswith("Take ") for name in there),
        f"{what}: {there}; in the library: {library}")


def settled(shell: Shell) -> None:
    """The gadget is there again after a client has reset it, and shows something."""
    shell.until("it shows something again", f"pidof umtprd && nsenter -t {RESPONDER} -m sh -c 'ls /run/mynah-drive/files/Takes/*'")


def rights(bench, shell: Shell) -> None:
    """What speaks with the PC may do nothing else."""
    settled(shell)
    status = shell.said(f"cat /proc/{RESPONDER}/status")
    facts = dict(row.split(":", 1) for row in status.splitlines() if ":" in row)
    expect(facts["Uid"].split() == ["992"] * 4 and facts["Groups"].split() == [] and int(facts["CapEff"], 16) == 0
        and facts["NoNewPrivs"].strip() == "1", f"umtprd runs as {status}")
    inside = f"nsenter -t {RESPONDER} -m"
    expect(shell.run(f"{inside} touch /run/mynah-drive/files/x").returncode != 0, "its files can be written to")
    expect(shell.run(f"{inside} touch /var/lib/mynah/x").returncode != 0, "it sees the card as it can be written to")
    kilobytes = shell.said(f"grep VmRSS /proc/{RESPONDER}/status").split()[1]
    bench.measures["memory of umtprd, while a PC takes takes by MTP"] = f"{int(kilobytes) / 1024:.1f} MiB resident"


def dates(shell: Shell) -> None:
    """Names have the date in the device's zone; so have the files, for the responder, which is told UTC."""
    settled(shell)
    zone = shell.said(f"tr '\\0' '\\n' </proc/{RESPONDER}/environ | grep ^TZ=").strip()
    expect(zone == "TZ=UTC", f"umtprd has {zone}")
    listing = shell.said(f"TZ=UTC nsenter -t {RESPONDER} -m sh -c 'cd /run/mynah-drive/files/Takes && stat -c \"%y %n\" *'")
    for row in listing.splitlines():
        file = re.match(r"(\S+) (\d\d):(\d\d):\d\d", row)
        name = re.search(r"(\d{4}-\d\d-\d\d) (\d\d)-(\d\d)-\d\d[.]", row)
        expect(file and name and file.groups() == name.groups(), f"a file's date is not that of its name: {row}")
