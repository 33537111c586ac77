#!/usr/bin/env python3
"""Serves a feed of tones, with byte ranges, and feeds that lie.

    feed_server.py FOLDER [PORT]

/feed.json has two pages: tones of 400, 500, 600, 700 and 800 Hz of 5 s as WAV, MP4, MP3, WAV and MP4, with something that is
no item among them. /circle.json leads back to itself by way of another page, /endless.json goes on without an item,
/wrong.json has wrong types, /text.json is none, /broken.json is 500, /slow.json comes a byte a second, /away.json leads to
file:///etc/passwd, as away.mp4 does, /missing.json has media that is not there, or is 500, never answers, comes a byte a
second or leads away.
/kinds.json has one of HLS (900 Hz), MP4, MP3 and WAV, and media that is not there between the last two.
/few.json has MP4 and WAV by turns, /speech.json whatever lies there as speech0.mp4 to speech2.mp4.
/one.json?url=ADDRESS has that item only, /many.json 10,000 pages of one item, /huge.json and the thumbnails /huge.png a gigabyte.
/log has the paths that were asked for.

Prints "listening PORT" when it is ready, and ends when its standard input does.
"""

import http.server
import json
import os
import re
import subprocess
import sys
import time

from loopback import Server

TONES = [(400, "wav"), (500, "mp4"), (600, "mp3"), (700, "wav"), (800, "mp4"), (900, "m3u8")]
OPTIONS = {"mp4": ["-movflags", "+faststart"], "m3u8": ["-hls_time", "1", "-hls_playlist_type", "vod"]}


def make(folder):
    """What is served."""
    os.makedirs(folder, exist_ok=True)
    for frequency, suffix in TONES:
        # Whole periods in whole frames: going round is heard if a sample is missing.
        subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i",
             f"aevalsrc=0.4*sin(2*PI*{frequency}*t)|0.4*sin(2*PI*{frequency}*t):s=48000:d=5", *OPTIONS.get(suffix, []),
             f"{folder}/{frequency}.{suffix}"], check=True)


def item(number, url=None, **more):
    frequency, suffix = TONES[number]
    return {"id": f"t{frequency}", "title": f"Tone {frequency}", "url": url or f"{frequency}.{suffix}", **more}


FEEDS = {
    "/feed.json": {
        "version": 1,
        "items": [item(0, durationSeconds=5, language="en"), {"id": 7}, item(1, thumbnail="/huge.png"), item(2)],
        "next": "more.json?page=2"},
    "/more.json": {"version": 1, "items": ["no item", item(3), item(4), {**item(0), "url": "file:///etc/passwd"}], "next": None},
    "/kinds.json": {"version": 1, "items": [item(5), item(1), item(2), {**item(4, "gone.mp4"), "id": "gone", "title": "Gone"}, item(3)]},
    "/few.json": {"version": 1, "items": [item(1), item(0), item(4), item(3)]},
    "/speech.json": {"version": 1, "items": [
        {"id": f"s{number}", "title": "Speech", "url": f"speech{number}.mp4"} for number in range(3)]},
    "/circle.json": {"version": 1, "items": [item(0)], "next": "circle2.json"},
    "/circle2.json": {"version": 1, "items": [item(1)], "next": "circle.json"},
    "/wrong.json": {"version": 1, "items": {"id": "x"}, "next": 7},
    "/missing.json": {"version": 1, "items": [item(0, "gone.mp4"), item(1, "broken.mp4"), item(2, "never.mp4"), item(3, "drip.wav"), item(5, "away.mp4"), item(4)]},
}


def main():
    folder = sys.argv[1]
    make(folder)
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            path = self.path.split("?")[0]
            if path == "/log":
                return self.answer(json.dumps(asked).encode())
            asked.append(self.path)
            if path == "/endless.json":
                number = int(self.path.partition("=")[2] or 0)
                items = [item(0)] if number == 0 else []
                return self.answer(json.dumps({"version": 1, "items": items, "next": f"endless.json?n={number + 1}"}).encode())
            if path == "/many.json":
                number = int(self.path.partition("=")[2] or 0)
                one = {**item(3, f"700.wav?n={number}"), "id": f"n{number}"}
                following = f"many.json?n={number + 1}" if number < 9999 else None
                return self.answer(json.dumps({"version": 1, "items": [one], "next": following}).encode())
            if path == "/one.json":
                return self.answer(json.dumps({"version": 1, "items": [item(4, self.path.partition("=")[2])]}).encode())
            if path in ("/huge.json", "/huge.png"):
                return self.drown()
            if path in FEEDS:
                return self.answer(json.dumps(FEEDS[path]).encode())
            if path == "/text.json":
                return self.answer(b"<html>a feed?</html>")
            if "broken" in path:
                return self.fail(500)
            if path in ("/away.json", "/away.mp4"):
                self.send_response(302)
                self.send_header("Location", "file:///etc/passwd")
                self.send_header("Content-Length", "0")
                return self.end_headers()
            if path in ("/slow.json", "/drip.wav"):
                return self.drip()
            if path == "/never.mp4":
                return time.sleep(30)
            file = os.path.join(folder, os.path.basename(path))
            if not os.path.isfile(file):
                return self.fail(404)
            self.send(open(file, "rb").read())

        def drip(self):
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.end_headers()
            try:
                for _ in range(60):
                    self.wfile.write(b" ")
                    self.wfile.flush()
                    time.sleep(0.5)
            except OSError:
                pass
            self.close_connection = True

        def drown(self):
            self.send_response(200)
            self.send_header("Content-Length", str(1 << 30))
            self.end_headers()
            try:
                for _ in range(1 << 10):
                    self.wfile.write(bytes(1 << 20))
            except OSError:
                pass
            self.close_connection = True

        def send(self, body):
            wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
            if not wanted:
                return self.answer(body)
            start = int(wanted[1])
            end = min(int(wanted[2] or len(body) - 1), len(body) - 1)
            self.answer(body[start:end + 1], 206, f"bytes {start}-{end}/{len(body)}")

        def answer(self, body, status=200, place=None):
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Accept-Ranges", "bytes")
            if place:
                self.send_header("Content-Range", place)
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:
                self.close_connection = True

        def fail(self, status):
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    Server(int(sys.argv[2]) if len(sys.argv) > 2 else 0, Handler).serve_until_input_ends()


main()
