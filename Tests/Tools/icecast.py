#!/usr/bin/env python3
"""A station: Debian's icecast2 on a port of loopback, and ffmpeg as its sources. Needs nothing of the system's own icecast.

    icecast.py FOLDER [--restart-after SECONDS]

/tone.mp3 is 440 Hz with titles by ICY, /tone.ogg (Vorbis) 660 Hz with titles of its own, /tone.aac 880 Hz, /wide.ogg
(FLAC of 192 kHz) 550 Hz in noise. With --restart-after the server ends so long after the first listener came, and is there again three seconds later.

Prints "listening PORT" when all can be heard, and ends when its standard input does.
"""

import argparse
import base64
import os
import select
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

CONFIG = """<icecast>
  <location>here</location><admin>nobody@localhost</admin><hostname>localhost</hostname>
  <limits><clients>20</clients><sources>5</sources><queue-size>262144</queue-size><burst-size>65536</burst-size></limits>
  <authentication><source-password>hackme</source-password><admin-user>admin</admin-user>
    <admin-password>hackme</admin-password></authentication>
  <listen-socket><port>{port}</port><bind-address>127.0.0.1</bind-address></listen-socket>
  <fileserve>0</fileserve>
  <paths><basedir>{folder}</basedir><logdir>{folder}</logdir><webroot>/usr/share/icecast2/web</webroot>
    <adminroot>/usr/share/icecast2/admin</adminroot></paths>
  <logging><accesslog>access.log</accesslog><errorlog>error.log</errorlog><loglevel>3</loglevel></logging>
  <security><chroot>0</chroot>{owner}</security>
</icecast>
"""
MOUNTS = {
    "tone.mp3": (440, ["-c:a", "libmp3lame", "-b:a", "128k", "-content_type", "audio/mpeg", "-f", "mp3"]),
    "tone.ogg": (660, ["-c:a", "libvorbis", "-metadata", "title=Song", "-metadata", "artist=Band", "-content_type",
                       "application/ogg", "-f", "ogg"]),
    "tone.aac": (880, ["-c:a", "aac", "-b:a", "96k", "-content_type", "audio/aac", "-f", "adts"]),
    # More than buffers between hold: a listener who pauses is thrown out.
    "wide.ogg": (550, ["-af", "aeval=val(0)+0.4*random(0)|val(0)+0.4*random(1):c=stereo", "-c:a", "flac",
                       "-compression_level", "0", "-content_type", "application/ogg", "-f", "ogg"]),
}


class Station:
    def __init__(self, folder):
        self.folder = folder
        with socket.socket() as place:
            place.bind(("127.0.0.1", 0))
            self.port = place.getsockname()[1]
        # It does not run as root, and wants its logs to be written by who it is then.
        is_root = os.geteuid() == 0
        owner = "<changeowner><user>nobody</user><group>nogroup</group></changeowner>" if is_root else ""
        os.makedirs(folder, exist_ok=True)
        os.chmod(folder, 0o777)
        self.config = os.path.join(folder, "icecast.xml")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(CONFIG.format(port=self.port, folder=folder, owner=owner))
        self.running = []

    def get(self, path, authority=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/{path}")
        if authority:
            request.add_header("Authorization", "Basic " + base64.b64encode(authority.encode()).decode())
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.read(4096)

    def until(self, look):
        end = time.monotonic() + 30
        while time.monotonic() < end:
            try:
                if look():
                    return
            except (OSError, urllib.error.URLError):
                pass
            time.sleep(0.1)
        sys.exit("the station does not come up: " + open(os.path.join(self.folder, "error.log"), encoding="utf-8").read())

    def start(self):
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.running = [subprocess.Popen(["icecast2", "-c", self.config], **quiet)]
        self.until(lambda: self.get("status-json.xsl"))
        for name, (frequency, options) in MOUNTS.items():
            rate = 192000 if name == "wide.ogg" else 44100
            sound = f"sine=frequency={frequency}:sample_rate={rate},volume=2"
            address = f"icecast://source:hackme@127.0.0.1:{self.port}/{name}"
            self.running.append(subprocess.Popen(
                ["ffmpeg", "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", sound, "-ac", "2", *options, address],
                **quiet))
        for name in MOUNTS:
            self.until(lambda name=name: name.encode() in self.get("status-json.xsl"))
        self.until(lambda: self.get(
            "admin/metadata?mount=/tone.mp3&mode=updinfo&song=Band+-+Song", "source:hackme"))

    def stop(self):
        for process in self.running:
            process.kill()
        for process in self.running:
            process.wait()
        self.running = []

    def has_listener(self):
        return any(f'"listeners":{count}'.encode() in self.get("status-json.xsl") for count in range(1, 9))


def waits(seconds):
    """False when the input has ended."""
    ready, _, _ = select.select([sys.stdin], [], [], seconds)
    return not ready or bool(os.read(sys.stdin.fileno(), 1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--restart-after", type=float)
    options = parser.parse_args()
    station = Station(options.folder)
    try:
        station.start()
        print(f"listening {station.port}", flush=True)
        goes_on = True
        if options.restart_after:
            while goes_on and not station.has_listener():
                goes_on = waits(0.2)
            goes_on = goes_on and waits(options.restart_after)
            if goes_on:
                station.stop()
                goes_on = waits(3)
            if goes_on:
                station.start()
        while goes_on and waits(3600):
            pass
    finally:
        station.stop()


main()
