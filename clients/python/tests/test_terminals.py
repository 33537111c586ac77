"""The terminal programs that people have, on a line of 115200 bit/s without flow control: picocom, minicom, screen, cat."""

import fcntl
import filecmp
import json
import os
import re
import select
import shutil
import struct
import subprocess
import termios
import time
import uuid

import pytest
from mynah_client import Client, Simulator, run_script

PATIENCE = 60
# Terminal programs draw with these.
SEQUENCES = re.compile(rb"\x1b(\[[0-9;?]*[A-Za-z]|[()][0-9A-B]|[=>78])")
LISTED = 10_000


class Terminal:
    """A terminal program on a pseudo-terminal of 24 lines, and the person before it."""

    def __init__(self, name, line, folder):
        self.name, self.seen, self._folder = name, b"", folder
        environment = {**os.environ, "TERM": "vt100", "HOME": str(folder), "SCREENDIR": str(folder / "screens")}
        environment.pop("STY", None)
        (folder / "screens").mkdir(mode=0o700)
        (folder / "here").mkdir()
        (folder / ".minirc.dfl").write_text("pu rtscts No\npu xonxoff No\n")
        command = {
            "picocom": ["picocom", "-b", "115200", "--receive-cmd", "rz -b", "--send-cmd", "sz -b", line],
            "minicom": ["minicom", "-o", "-b", "115200", "-D", line],
            "screen": ["screen", "-S", "mynah", "-c", "/dev/null", line, "115200,cs8,-ixon,-ixoff"],
        }[name]
        self._environment = environment
        self._own, other = os.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        # The terminal is the program's controlling one.
        self._process = subprocess.Popen(
            ["setsid", "--ctty", *command], stdin=other, stdout=other, stderr=other, env=environment, cwd=folder / "here"
        )
        os.close(other)
        greeted = time.monotonic() + PATIENCE
        # What is typed before the program is there is its line's, or nobody's.
        while not self.hears("mynah> ", 1):
            assert time.monotonic() < greeted and self._process.poll() is None, self.seen
            self.type("\r")
        while self.hears("mynah> ", 0.5):
            pass

    def type(self, keys):
        os.write(self._own, keys.encode())

    def hears(self, words, patience=PATIENCE):
        """Whether these words come; what came up to them is given, and forgotten."""
        end = time.monotonic() + patience
        while True:
            text = SEQUENCES.sub(b"", self.seen).decode(errors="replace")
            if words in text:
                before, self.seen = text.split(words, 1)[0], text.split(words, 1)[1].encode()
                return before + words
            if not select.select([self._own], [], [], max(0, end - time.monotonic()))[0]:
                return None
            try:
                self.seen += os.read(self._own, 65536)
            except OSError:
                return None

    def expect(self, words, patience=PATIENCE):
        heard = self.hears(words, patience)
        assert heard is not None, f"{self.name} did not show {words!r}, but {self.seen[-600:]!r}"
        return heard

    def ask(self, line):
        """Types a line, and gives what is shown until the next prompt."""
        self.type(line + "\r")
        self.expect(line)
        return self.expect("mynah> ")

    def fetch(self, id):
        """Has the device send a take, and the program receive it."""
        self.type(f"send {id}\r")
        if self.name == "picocom":
            self.expect("**")
            self.type("\x01\x12")
            self.expect("file:")
            self.type("\r")
        self.expect("Transfer complete")
        if self.name == "minicom":
            self.expect("press any key")
            self.type(" ")
        self.expect("1 file sent")
        self.expect("mynah> ")
        return self._folder / "here" / id

    def close(self):
        if self.name == "screen":
            subprocess.run(["screen", "-S", "mynah", "-X", "quit"], env=self._environment, stdout=subprocess.DEVNULL)
        self._process.kill()
        self._process.wait()
        os.close(self._own)


@pytest.fixture(scope="module")
def card(request, tmp_path_factory):
    """A card with two takes: one with ten thousand marks, one with a thousand."""
    folder = tmp_path_factory.mktemp("card")
    script = "0.1 call settings.set {}\n1 press REC\n2 mark here\n3 press STOP\n4 press REC\n5 mark here\n6 press STOP\n8 quit\n"
    script = script.replace("{}", '{"recording.preRecordSeconds":0}')
    program = request.getfixturevalue("mynah_program")
    run_script(script, program=program, data=folder, microphone="tone:440", camera="none")
    notes = sorted((folder / "recordings").glob("*.json"))
    for path, count in zip(notes, [LISTED, 1000]):
        note = json.loads(path.read_text())
        mark = note["bookmarks"][0]
        note["bookmarks"] = [
            {**mark, "id": str(uuid.uuid4()), "frame": number * 4, "time": number / 12_000, "title": f"mark-{number}."}
            for number in range(count)
        ]
        path.write_text(json.dumps(note))
    for path in [folder / "catalogue", *folder.glob("recordings/*.bak")]:
        path.unlink(missing_ok=True)
    return folder


@pytest.fixture
def board(mynah_program, cable, card, tmp_path):
    shutil.copytree(card, tmp_path / "data")
    options = {"console": cable.device, "data": tmp_path / "data", "microphone": "noise", "camera": "none"}
    with Simulator(mynah_program, **options) as simulator:
        # So fast and no faster, as a UART.
        def paced(data):
            time.sleep(len(data) / 11_520)
            return data

        cable.damage = paced
        yield simulator


@pytest.fixture(params=["picocom", "minicom", "screen"])
def terminal(request, board, cable, tmp_path):
    if not shutil.which(request.param):
        pytest.skip(f"{request.param} is not installed")
    (tmp_path / "home").mkdir()
    terminal = Terminal(request.param, cable.host, tmp_path / "home")
    # Without a catalogue both takes are looked at first.
    end = time.monotonic() + PATIENCE
    while "2 of 2" not in terminal.ask("list") and time.monotonic() < end:
        time.sleep(0.5)
    yield terminal
    terminal.close()


def test_lines_are_typed_edited_completed_and_called_back(terminal):
    assert "dictaphone.idle" in terminal.ask("status")
    terminal.type("settings recording.for\t")
    terminal.expect("recording.format")
    terminal.type("\r")
    assert "aac" in terminal.expect("mynah> ")
    # A slip of the finger, mended; then the line before it again.
    terminal.type("versoin\x7f\x7f\x7fion\r")
    assert "board" in terminal.expect("mynah> ")
    terminal.type("\x1b[A\x1b[A\r")
    assert "aac" in terminal.expect("mynah> ")
    assert 'did you mean "status"' in terminal.ask("staus")


def test_a_listing_of_ten_thousand_lines_stops_and_is_ended(terminal):
    terminal.type("marks 1\r")
    first = terminal.expect("--More-- (")
    assert "mark-20." in first and "mark-23." not in first
    terminal.type(" ")
    assert "mark-40." in terminal.expect("--More-- (")
    terminal.type("q")
    terminal.expect("mynah> ")
    assert "dictaphone.idle" in terminal.ask("status")


def test_one_that_does_not_stop_is_interrupted(terminal):
    terminal.ask("page 0")
    terminal.type("marks 1\r")
    terminal.expect("mark-50.")
    began = time.monotonic()
    terminal.type("\x03")
    shown = terminal.expect("^C")
    # All of it would be twenty seconds of the line; what the line's own buffers hold is one.
    assert time.monotonic() - began < 8
    assert f"mark-{LISTED - 1}." not in shown
    terminal.expect("mynah> ")
    assert "dictaphone.idle" in terminal.ask("status")


def test_what_is_typed_while_output_runs_is_not_lost(terminal):
    terminal.ask("page 0")
    terminal.type("marks 2\r")
    terminal.expect("mark-9.")
    # Three lines and a half.
    terminal.type("version\rsettings recording.format\rstatus\rwho")
    shown = terminal.expect("mark-999.")
    if terminal.name == "picocom":
        # The others are terminals themselves, and show what there is time for.
        assert re.findall(r"mark-(\d+)\.", shown) == [str(number) for number in range(10, 1000)]
    for answer in ["board ", "aac", "dictaphone.idle", "mynah> who"]:
        terminal.expect(answer)


def test_a_take_is_fetched_bit_by_bit_while_another_is_recorded(terminal, board):
    if terminal.name == "screen":
        pytest.skip("screen receives no files")
    if not shutil.which("rz"):
        pytest.skip("lrzsz is not installed")
    take = min(path.name for path in (board.data / "recordings").glob("*.m4a"))
    terminal.ask("rec")
    assert filecmp.cmp(terminal.fetch(take), board.data / "recordings" / take, shallow=False)
    assert "dictaphone.recording" in terminal.ask("status")
    terminal.ask("stop")
    assert "to 3 of 3" in terminal.ask("list")


@pytest.mark.parametrize("begins", ["receive", "by itself"])
def test_a_file_is_sent_to_the_device_bit_by_bit(terminal, board, begins):
    if terminal.name != "picocom" or not shutil.which("sz"):
        pytest.skip("picocom sends files by lrzsz here")
    take = min((board.data / "recordings").glob("*.m4a"))
    sent = board.data.parent / "Interview.m4a"
    shutil.copyfile(take, sent)
    if begins == "receive":
        terminal.type("receive\r")
        terminal.expect("**")
    terminal.type("\x01\x13")
    terminal.expect("file:")
    terminal.type(f"{sent}\r")
    terminal.expect("exit status: 0")
    terminal.expect("mynah> ")
    assert filecmp.cmp(sent, board.data / "recordings" / "Interview.m4a", shallow=False)


def test_a_bare_cat_shows_what_is_asked_by_echo(board, cable):
    """Without a terminal program: `cat /dev/ttyUSB0 &`, and `echo status > /dev/ttyUSB0`."""
    subprocess.run(["stty", "-F", cable.host, "115200", "raw", "-echo"], check=True)
    with open(cable.host, "rb", buffering=0) as line:
        cat = subprocess.Popen(["cat"], stdin=line, stdout=subprocess.PIPE)
        try:
            subprocess.run(["sh", "-c", f"printf 'status\\n' > {cable.host}"], check=True)
            seen = b""
            while b"dictaphone.idle" not in seen:
                assert select.select([cat.stdout], [], [], PATIENCE)[0], seen
                seen += os.read(cat.stdout.fileno(), 4096)
        finally:
            cat.kill()
            cat.wait()
    with Client.connect(cable.host) as client:
        assert client.panel.state()["mode"] == "dictaphone.idle"
