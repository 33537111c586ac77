#!/usr/bin/env python3
"""Serves films and HLS from a folder by Debian's nginx on a port of loopback; needs nothing of the system's own.

    nginx.py FOLDER

film.mp4 has its head behind the sound, fast.mp4 in front; a.wav; one/one.m3u8 is HLS in byte ranges of one file. All are
20 s of tones that tell the time: 300 Hz and 50 Hz more every second. /moved/… leads to … by redirects.
feed.json is a feed of fast.mp4, a.wav by redirects, and the HLS.

Prints "listening PORT" when it is ready, and ends when its standard input does.
"""

import json
import os
import socket
import subprocess
import sys
import time

CONFIG = """daemon off; master_process off; pid nginx.pid; error_log error.log;
events {{}}
http {{
  access_log access.log;
  types {{ application/vnd.apple.mpegurl m3u8; video/mp2t ts; video/mp4 mp4; audio/wav wav; }}
  client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp; uwsgi_temp_path tmp; scgi_temp_path tmp;
  server {{
    listen 127.0.0.1:{port}; root www;
    location /moved/ {{ rewrite ^/moved/(.*)$ /again/$1 redirect; }}
    location /again/ {{ rewrite ^/again/(.*)$ /$1 permanent; }}
  }}
}}
"""


def ffmpeg(folder, *arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *arguments], check=True, cwd=folder)


def make(folder):
    """What is served."""
    os.makedirs(os.path.join(folder, "one"), exist_ok=True)
    tones = "aevalsrc=0.4*sin(2*PI*(300+50*floor(t))*t)|0.4*sin(2*PI*(300+50*floor(t))*t):s=48000:d=20"
    ffmpeg(folder, "-f", "lavfi", "-i", tones, "-f", "lavfi", "-i", "testsrc=s=320x240:r=25:d=20", "-c:v", "libx264", "-g",
           "25", "-pix_fmt", "yuv420p", "-c:a", "aac", "film.mp4")
    ffmpeg(folder, "-i", "film.mp4", "-c", "copy", "-movflags", "+faststart", "fast.mp4")
    ffmpeg(folder, "-f", "lavfi", "-i", tones, "a.wav")
    ffmpeg(folder, "-i", "film.mp4", "-c", "copy", "-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod", "-hls_flags",
           "single_file", "one/one.m3u8")

    items = [{"id": name, "title": name, "url": url} for name, url in
             [("film", "fast.mp4"), ("wave", "moved/a.wav"), ("stream", "one/one.m3u8")]]
    with open(os.path.join(folder, "feed.json"), "w", encoding="utf-8") as file:
        json.dump({"version": 1, "items": items, "next": None}, file)


def main():
    folder = os.path.abspath(sys.argv[1])
    os.makedirs(os.path.join(folder, "tmp"), exist_ok=True)
    make(os.path.join(folder, "www"))
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port = place.getsockname()[1]
    with open(os.path.join(folder, "nginx.conf"), "w", encoding="utf-8") as file:
        file.write(CONFIG.format(port=port))
    server = subprocess.Popen(
        ["nginx", "-p", folder, "-e", "error.log", "-c", "nginx.conf"], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin"})
    try:
        end = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                if time.monotonic() > end or server.poll() is not None:
                    sys.exit("nginx does not come up: " + open(f"{folder}/error.log", encoding="utf-8").read())
                time.sleep(0.1)
        print(f"listening {port}", flush=True)
        sys.stdin.read()
    finally:
        # The signal to end in order may be blocked from the start.
        server.kill()
        server.wait()


main()
