#!/usr/bin/env python3
"""Makes pictures that carry their number, and sound that tells its time, with ffmpeg. Needs only the standard library.

    video_stream.py FILE.mp4 [--seconds N] [--size 320x180] [--rate 25] [--first N] [--keyframes 50]
    video_stream.py FOLDER --serve [--break] …      an HLS stream in FOLDER, served on loopback

Pictures carry the pattern of picture_code.py: number n, from --first on, and n / rate in nanoseconds. H.264 with B-frames,
a keyframe every --keyframes pictures. The sound is a sine whose frequency is 400 Hz + 50 Hz for every second: it tells
where in the file it is. With --break the second half of the stream is another file, with time stamps of its own after an
EXT-X-DISCONTINUITY; its numbers and its sound go on.

With --serve it prints "listening PORT" when it is ready, and ends when its standard input does.
"""

import argparse
import functools
import http.server
import os
import subprocess
import sys

import picture_code
from loopback import Server

SEGMENT = 2


def encode(options, first, seconds, *output):
    width, height = (int(part) for part in options.size.split("x"))
    start = first / options.rate
    phase = f"2*PI*(400*(t+{start})+25*(t+{start})*(t+{start}))"
    command = [
        "ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "gray", "-s", options.size, "-r",
        str(options.rate), "-i", "-", "-f", "lavfi", "-i", f"aevalsrc=0.4*sin({phase}):s=48000:d={seconds}", "-pix_fmt",
        "yuv420p", "-c:v", "libx264", "-preset", "veryfast", "-bf", "2", "-g", str(options.keyframes), "-sc_threshold",
        "0", "-c:a", "aac", "-b:a", "128k", "-ac", "2", *output,
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        for number in range(first, first + round(seconds * options.rate)):
            process.stdin.write(
                picture_code.draw(width, height, number, round(number * 1e9 / options.rate), False))
        process.stdin.close()
    if process.returncode != 0:
        sys.exit(f"ffmpeg ends with {process.returncode}")


def stream(options):
    """Playlist and segments; the names of both halves differ."""
    halves = 2 if options.breaks else 1
    seconds = options.seconds // halves
    lines = []
    for half in range(halves):
        playlist = os.path.join(options.place, f"part{half}.m3u8")
        encode(
            options, options.first + half * round(seconds * options.rate), seconds, "-f", "hls", "-hls_time",
            str(SEGMENT), "-hls_list_size", "0", "-hls_segment_filename",
            os.path.join(options.place, f"part{half}-%03d.ts"), playlist)
        body = [line for line in open(playlist) if line.startswith("#EXTINF") or not line.startswith("#")]
        lines += (["#EXT-X-DISCONTINUITY\n"] if half else []) + body
    head = (
        f"#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:{SEGMENT + 1}\n#EXT-X-MEDIA-SEQUENCE:0\n"
        "#EXT-X-PLAYLIST-TYPE:VOD\n")
    with open(os.path.join(options.place, "main.m3u8"), "w") as file:
        file.write(head + "".join(lines) + "#EXT-X-ENDLIST\n")
    with open(os.path.join(options.place, "master.m3u8"), "w") as file:
        file.write(
            f'#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=600000,RESOLUTION={options.size},'
            'CODECS="avc1.64001e,mp4a.40.2"\nmain.m3u8\n')


def serve(folder, port):
    class Handler(http.server.SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

    Server(port, functools.partial(Handler, directory=folder)).serve_until_input_ends()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("place")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--size", default="320x180")
    parser.add_argument("--rate", type=int, default=25)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keyframes", type=int, default=50)
    parser.add_argument("--break", dest="breaks", action="store_true")
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    if options.serve:
        stream(options)
        serve(options.place, options.port)
    else:
        encode(options, options.first, options.seconds, "-movflags", "+faststart", options.place)


if __name__ == "__main__":
    main()
