"""Tera Term itself under Wine, on a screen that nobody sees, and the person before it."""

import os
import re
import select
import shutil
import socket
import subprocess
import threading
import time
import tty
from pathlib import Path

PATIENCE = 60

# As Tera Term is delivered but for these: the same as on a serial line, over a socket; and what asks or beeps.
SETTINGS = {
    "Port": "tcpip",
    "Telnet": "off",
    "TelAutoDetect": "off",
    "EnableLineMode": "off",
    "HistoryList": "off",
    "Beep": "off",
    "DeferredLogWriteMode": "off",
    # The second, for sockets, as the first, for serial lines.
    "ZmodemTimeouts": "10,10,10,3",
}

# Waits for what is asked, does it, and says that it is done.
SERVANT = """show 0
timeout = {patience}
while 1
  filesearch '{ask}'
  if result then
    said = ''
    include '{ask}'
    filedelete '{ask}'
    fileopen told '{part}' 0
    filewrite told said
    fileclose told
    filerename '{part}' '{told}'
  endif
  mpause 50
endwhile
"""


def windows(path):
    """A path as programs under Wine know it."""
    return "Z:" + str(path).replace("/", "\\")


class Screen:
    """An X server without a screen."""

    def __init__(self):
        read, write = os.pipe()
        command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1000x700x24", "-nolisten", "tcp"]
        self._process = subprocess.Popen(
            command, pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(write)
        with os.fdopen(read) as names:
            self.name = ":" + names.readline().strip()

    def close(self):
        self._process.terminate()
        self._process.wait()


class Relay:
    """A socket on this machine's own address that is joined to a serial line: Wine's serial ports cannot read as Tera
    Term does."""

    def __init__(self, line):
        self.passed = 0
        """Bytes that have gone to the device."""
        self.limit = None
        """After so many it is cut."""
        self._line = os.open(line, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self._line)
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._end, self._stop = os.pipe()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        client = None
        while True:
            ready, _, _ = select.select([self._end, self._server, client or self._line, self._line], [], [])
            if self._end in ready:
                return
            if self._server in ready:
                client, _ = self._server.accept()
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._line in ready:
                heard = os.read(self._line, 4096)
                if client:
                    client.sendall(heard)
            if client and client in ready:
                typed = client.recv(4096)
                if not typed:
                    client = None
                if self.limit is not None:
                    typed = typed[: max(0, self.limit - self.passed)]
                self.passed += len(typed)
                while typed:
                    typed = typed[os.write(self._line, typed) :]

    def close(self):
        os.write(self._stop, b"x")
        self._thread.join()
        self._server.close()
        for descriptor in [self._line, self._end, self._stop]:
            os.close(descriptor)


class TeraTerm:
    """A window of Tera Term on a serial line.

    - `program`: the folder with ttermpro.exe and ttpmacro.exe.
    - `environment`: of Wine.
    - `line`: the terminal's end of the serial line.
    - `folder`: an empty one; files that are received come into `folder/here`.
    - `greets`: waits for the prompt.
    - `settings`: other ones of its file of settings.
    """

    def __init__(self, program, environment, line, folder, greets=True, **settings):
        self._environment, self._folder = environment, folder
        self.here = folder / "here"
        self.here.mkdir()
        self._log, self.seen = folder / "log", ""
        self._read = 0
        text = (program / "TERATERM.INI").read_text(encoding="utf-8-sig", errors="replace")
        for name, value in {**SETTINGS, "FileDir": windows(self.here), **settings}.items():
            text, count = re.subn(rf"(?m)^{name}=.*$", lambda _: f"{name}={value}", text)
            assert count == 1, f"Tera Term's settings have {count} lines for {name}"
        (folder / "settings.ini").write_text(text, encoding="utf-8", newline="\r\n")
        names = {name: windows(folder / name) for name in ["ask", "part", "told"]}
        (folder / "servant.ttl").write_text(SERVANT.format(patience=PATIENCE, **names), encoding="utf-8-sig")
        self.relay = Relay(line)
        self._process = subprocess.Popen(
            [
                "wine",
                program / "ttermpro.exe",
                f"127.0.0.1:{self.relay.port}",
                "/T=0",
                "/nossh",
                "/F=" + windows(folder / "settings.ini"),
                "/M=" + windows(folder / "servant.ttl"),
            ],
            env=environment,
            cwd=self.here,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.ask(f"logopen '{windows(self._log)}' 0 0")
        if greets:
            self.ask("send #13")
            self.expect("mynah> ")

    # MARK: By macro

    def begin(self, lines):
        """Has these lines of its macro language done; `said` is what `end` gives."""
        new = self._folder / "ask.new"
        new.write_text(lines + "\n", encoding="utf-8-sig")
        new.rename(self._folder / "ask")

    def end(self, patience=PATIENCE):
        told, until = self._folder / "told", time.monotonic() + patience
        while not told.exists():
            assert time.monotonic() < until, "Tera Term's macro does not answer"
            assert self._process.poll() is None, "Tera Term has ended"
            time.sleep(0.05)
        said = told.read_text(encoding="utf-8", errors="replace")
        told.unlink()
        return said

    def ask(self, lines, patience=PATIENCE):
        self.begin(lines)
        return self.end(patience)

    def send(self, text):
        """Sends text as if it were typed."""
        self.ask(f"send '{text}'")

    def screen(self):
        """The lines that its window shows, as it copies them itself."""
        out = self._folder / "screen"
        self.ask(
            "callmenu 50280\ncallmenu 50210\nmpause 300\ncallmenu 50270\n"
            f"fileopen copied '{windows(out)}' 0\nat = 0\ndo\n  clipb2var piece at\n  more = result\n"
            "  if more > 0 filewrite copied piece\n  at = at + 1\nloop while more = 2\nfileclose copied"
        )
        text = out.read_text(encoding="utf-8", errors="replace").rstrip()
        return [line.rstrip() for line in text.splitlines()]

    def shows(self, holds):
        """Waits until this holds of the lines that its window shows, and gives them: it draws after what it logs, and
        copies nothing while it does."""
        end = time.monotonic() + PATIENCE
        while True:
            screen = self.screen()
            if holds(screen):
                return screen
            assert time.monotonic() < end, screen
            time.sleep(0.3)

    # MARK: By the keyboard

    def key(self, *names):
        """Presses keys, by the names that X has for them."""
        self._look()
        self._x("key", "--delay", "40", *names)

    def type(self, text):
        self._look()
        self._x("type", "--delay", "40", text)

    def _look(self):
        """Has the window take the keys."""
        window = self._x("search", "--name", "Tera Term VT").split()[-1]
        self._x("windowfocus", window)
        # Without a window manager it is this that tells Wine.
        self._x("mousemove", "--window", window, "600", "380", "click", "1")
        time.sleep(0.2)

    def _x(self, *arguments):
        return subprocess.run(
            ["xdotool", *arguments], env=self._environment, check=True, capture_output=True, text=True
        ).stdout

    def press(self, title, x, y):
        """Presses the button at this place of a window of its."""
        window = self._x("search", "--sync", "--name", title).split()[-1]
        self._x("mousemove", "--window", window, str(x), str(y), "click", "1")

    def picture(self, path):
        """Keeps a picture of the window."""
        if shutil.which("import"):
            subprocess.run(["import", "-window", "root", path], env=self._environment, check=True)

    # MARK: What it shows

    def hears(self, words, patience=PATIENCE):
        """Whether these words come; what came up to them is given, and forgotten."""
        end = time.monotonic() + patience
        while True:
            if self._log.exists():
                with open(self._log, "rb") as log:
                    log.seek(self._read)
                    new = log.read()
                self._read += len(new)
                self.seen += new.decode("utf-8", errors="replace")
            if words in self.seen:
                before, self.seen = self.seen.split(words, 1)
                return before + words
            if time.monotonic() > end:
                return None
            time.sleep(0.05)

    def expect(self, words, patience=PATIENCE):
        heard = self.hears(words, patience)
        assert heard is not None, f"Tera Term did not show {words!r}, but {self.seen[-600:]!r}"
        return heard

    def fetch(self, id):
        """Has the device send a take, and receives it."""
        self.send(f"send {id}'#13'")
        self.begin("zmodemrecv")
        self.expect("1 file sent")
        self.expect("mynah> ")
        self.end()
        return self.here / id

    def deliver(self, name, isBinary=True):
        """Sends a file of `here` by ZMODEM; gives what is shown until the next prompt."""
        self.begin(f"zmodemsend '{name}' {int(isBinary)}")
        shown = self.expect("mynah> ")
        self.end()
        return shown

    def command(self, line):
        """Types a line, and gives what is shown until the next prompt."""
        self.send(line + "'#13'")
        self.expect(line)
        return self.expect("mynah> ")

    def close(self):
        if self._process.returncode is not None:
            return
        self._process.terminate()
        self._process.wait()
        self.relay.close()
