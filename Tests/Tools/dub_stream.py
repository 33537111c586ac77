#!/usr/bin/env python3
"""Makes an HLS stream with ffmpeg and espeak-ng, and serves it on loopback. Needs nothing but the standard library.

    dub_stream.py FOLDER [--seconds N] [--live] [--voice] [--renditions es:660,de:880 [--subtitles]] [--every N] [--port N]
                  [--faults FILE=FAULT[:COUNT],...] [--certificate FILE --key FILE]

The sound is a tone of 440 Hz; with --voice, English sentences over it. Every four seconds (--every) from the second one on
there is a subtitle in Spanish. With --live the playlists show a window that moves with the clock, and the stream goes round and
round with a discontinuity. With --renditions there are further tracks, each a tone of its own; subtitles beside them with --subtitles.

With --faults a file is answered wrongly so many times, or always: a status such as 503, garbage, cut (half of it), stall
(nothing), large (16 MiB), loop (a redirect to itself), bomb (64 MiB of line feeds in gzip), entries (a playlist of ten
thousand segments). /log has what was asked for.

Prints "listening PORT" when it is ready, and ends when its standard input does.
"""

import argparse
import bisect
import gzip
import http.server
import itertools
import os
import ssl
import subprocess
import time

from loopback import Server

SEGMENT = 2
WINDOW = 6
SENTENCES = [
    ("Good evening, and welcome to the programme.", "Buenas noches y bienvenidos al programa."),
    ("Tonight we talk about the birds of the north.", "Hoy hablamos de los pájaros del norte."),
    ("They fly in summer and they sing at night.", "Vuelan en verano y cantan de noche."),
    ("Nobody knows where they spend the winter.", "Nadie sabe dónde pasan el invierno."),
    ("Our guest has followed them for ten years.", "Nuestra invitada los sigue desde hace diez años."),
    ("Tell us what you have found out.", "Cuéntenos qué ha descubierto."),
]


def run(*command):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def cues(seconds, every):
    """Beginning and sentence of every utterance."""
    starts = range(2, seconds - every + 1, every)
    return [(start, SENTENCES[place % len(SENTENCES)]) for place, start in enumerate(starts)]


def tone(folder, name, frequency, seconds, voices=()):
    """A variant's segments NAME000.ts and so on."""
    inputs = ["-f", "lavfi", "-i", f"sine=frequency={frequency}:sample_rate=48000:duration={seconds}"]
    mix = "[0:a]volume=1.5[bed];"
    names = "[bed]"
    for place, (start, text) in enumerate(voices):
        file = os.path.join(folder, f"voice{place}.wav")
        run("espeak-ng", "-v", "en", "-s", "165", "-w", file, text)
        inputs += ["-i", file]
        mix += f"[{place + 1}:a]aresample=48000,volume=0.8,adelay={start * 1000}[v{place}];"
        names += f"[v{place}]"
    mix += f"{names}amix=inputs={len(voices) + 1}:normalize=0:duration=first[out]"
    run(
        "ffmpeg", "-v", "error", "-y", *inputs, "-filter_complex", mix, "-map", "[out]", "-ac", "2", "-c:a", "aac",
        "-b:a", "96k", "-f", "hls", "-hls_time", str(SEGMENT), "-hls_list_size", "0", "-hls_segment_filename",
        os.path.join(folder, f"{name}%03d.ts"), os.path.join(folder, f"{name}.m3u8"),
    )
    return [line for line in open(os.path.join(folder, f"{name}.m3u8")) if line.startswith("#EXTINF")]


def first_time(folder):
    """Time stamp of the first frame, in 90 kHz ticks."""
    shown = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "stream=start_pts", "-of", "csv=p=0", f"{folder}/main000.ts"],
        check=True, capture_output=True, text=True)
    return int(shown.stdout.split()[0].strip(","))


def clock(seconds):
    return f"{int(seconds) // 3600:02}:{int(seconds) // 60 % 60:02}:{seconds % 60:06.3f}"


def subtitles(folder, name, count, start, length, texts):
    """A file a segment; a cue that crosses a boundary is in both, as RFC 8216 section 3.5 has it."""
    for place in range(count):
        lines = ["WEBVTT", f"X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:{start}", ""]
        for begin, text in texts:
            if begin < (place + 1) * SEGMENT and begin + length > place * SEGMENT:
                lines += [f"{clock(begin)} --> {clock(begin + length)}", text, ""]
        with open(os.path.join(folder, f"{name}{place:03}.vtt"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines))


class Stream:
    """The playlists: fixed ones, or a window that moves with the clock."""

    def __init__(self, lengths, is_live):
        self.lengths = lengths
        # Where each segment ends: the last one is shorter.
        self.ends = list(itertools.accumulate(float(length[len("#EXTINF:"):].split(",")[0]) for length in lengths))
        self.is_live = is_live
        self.began = time.monotonic()

    def playlist(self, name, suffix):
        count = len(self.lengths)
        if not self.is_live:
            body = "".join(f"{length}{name}{place:03}{suffix}\n" for place, length in enumerate(self.lengths))
            return self.head(0) + "#EXT-X-PLAYLIST-TYPE:VOD\n" + body + "#EXT-X-ENDLIST\n"
        # As if it had been on for a while: the window is full from the beginning.
        rounds, rest = divmod(self.ends[WINDOW - 1] + time.monotonic() - self.began, self.ends[-1])
        newest = int(rounds) * count + bisect.bisect_right(self.ends, rest)
        oldest = newest - WINDOW
        lines = [self.head(oldest), f"#EXT-X-DISCONTINUITY-SEQUENCE:{oldest // count}\n"]
        for number in range(oldest, newest):
            if number % count == 0 and number > oldest:
                lines.append("#EXT-X-DISCONTINUITY\n")
            lines.append(f"{self.lengths[number % count]}{name}{number % count:03}{suffix}\n")
        return "".join(lines)

    @staticmethod
    def head(sequence):
        return f"#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:{SEGMENT + 1}\n#EXT-X-MEDIA-SEQUENCE:{sequence}\n"


def server(folder, stream, master, faults):
    # Before anybody asks: it takes a second or more.
    bomb = gzip.compress(b"#EXTM3U" + b"\n" * (64 << 20)) if any("bomb" in fault for fault in faults.values()) else b""

    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            name = os.path.basename(self.path.split("?")[0])
            asked.append(name)
            fault, left = faults.get(name, ("", 0))
            if left != 0:
                faults[name] = (fault, left - 1)
                if self.fail(name, fault):
                    return
            kind = "application/vnd.apple.mpegurl"
            if name == "log":
                body = "\n".join(asked).encode()
            elif name == "master.m3u8":
                body = master.encode()
            elif name.endswith(".m3u8"):
                stem = name[: -len(".m3u8")]
                if stem != "subs" and not os.path.exists(os.path.join(folder, name)):
                    self.send_error(404)
                    return
                body = stream.playlist(stem, ".vtt" if stem.startswith("subs") else ".ts").encode()
            else:
                kind = "text/vtt" if name.endswith(".vtt") else "video/mp2t"
                try:
                    with open(os.path.join(folder, name), "rb") as file:
                        body = file.read()
                except OSError:
                    self.send_error(404)
                    return
            if left != 0 and fault == "entries":
                line = body.decode().split("\n")
                head = [entry for entry in line if entry.startswith("#EXT") and not entry.startswith("#EXTINF")]
                media = [entry for entry in line if entry.startswith("#EXTINF") or entry and entry[0] != "#"]
                end = ["#EXT-X-ENDLIST"] if "#EXT-X-ENDLIST" in head else []
                head = [entry for entry in head if entry != "#EXT-X-ENDLIST"]
                body = "\n".join(head + media + (media[:2] * 10_000) + end + [""]).encode()
            if left != 0 and fault == "cut":
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[: len(body) // 2])
                self.wfile.flush()
                self.connection.shutdown(2)
                self.close_connection = True
                return
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def fail(self, name, fault):
            """Answers wrongly; false if it is the answer itself that is to be changed."""
            body, status, fields = b"", 200, {}
            if fault.isdigit():
                status = int(fault)
            elif fault == "garbage":
                body = bytes(range(256)) * 400
            elif fault == "large":
                body = bytes(16 << 20)
            elif fault == "stall":
                time.sleep(3600)
            elif fault == "loop":
                status, fields = 302, {"Location": f"/{name}"}
            elif fault == "bomb":
                body, fields = bomb, {"Content-Encoding": "gzip"}
            else:
                return False
            self.send_response(status)
            for key, value in fields.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return True

        def log_message(self, *_):
            pass

    return Handler


def faults(text):
    """FILE=FAULT[:COUNT],… as a table; −1: always."""
    table = {}
    for entry in filter(None, text.split(",")):
        name, _, rest = entry.partition("=")
        fault, _, count = rest.partition(":")
        table[name] = (fault, int(count or -1))
    return table


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--seconds", type=int, default=40)
    parser.add_argument("--live", action="store_true")
    parser.add_argument("--voice", action="store_true")
    parser.add_argument("--renditions", default="")
    parser.add_argument("--subtitles", action="store_true")
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--faults", default="")
    parser.add_argument("--line", default="", help="one more line of the multivariant playlist")
    parser.add_argument("--certificate")
    parser.add_argument("--key")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    utterances = cues(options.seconds, options.every)
    voices = [(start, pair[0]) for start, pair in utterances] if options.voice else []
    lengths = tone(options.folder, "main", 440, options.seconds, voices)
    media, group = options.line + "\n" if options.line else "", ""
    if options.renditions:
        media += '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="en",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES\n'
        for entry in options.renditions.split(","):
            language, frequency = entry.split(":")
            tone(options.folder, language, frequency, options.seconds)
            media += (
                f'#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="{language}",LANGUAGE="{language}",AUTOSELECT=YES,'
                f'URI="{language}.m3u8"\n')
        group += ',AUDIO="a"'
    if options.subtitles or not options.renditions:
        subtitles(
            options.folder, "subs", len(lengths), first_time(options.folder),
            min(2.5, options.every - 0.5),
            [(start, pair[1]) for start, pair in utterances])
        media += (
            '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Español",LANGUAGE="es",DEFAULT=YES,AUTOSELECT=YES,'
            'URI="subs.m3u8"\n')
        group += ',SUBTITLES="s"'
    master = f'#EXTM3U\n{media}#EXT-X-STREAM-INF:BANDWIDTH=120000,CODECS="mp4a.40.2"{group}\nmain.m3u8\n'
    stream = Stream(lengths, options.live)
    service = Server(options.port, server(options.folder, stream, master, faults(options.faults)))
    if options.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate, options.key)
        service.socket = context.wrap_socket(service.socket, server_side=True, do_handshake_on_connect=False)
    service.serve_until_input_ends()


if __name__ == "__main__":
    main()
