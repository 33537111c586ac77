#!/usr/bin/env python3
"""Reference service of the dubbing protocol (Sources/Dubbing/PROTOCOL.md): speaks the texts that it is sent.

Needs python3-websockets and espeak-ng. Prints "listening PORT" when it is ready.

    dub_service.py [--port N] [--languages en,es,...] [--certificate FILE --key FILE] [--codec aac]
                   [--tone HERTZ] [--plan none:3,slow:1,...]

A fault is asked for in the address (ws://host:port/?fault=slow&seconds=3), for everyone by --fault, or while it runs by
a text message {"type": "fault", "fault": NAME, ...}: it holds from the next segment on, for `count` segments (-1: for ever).

    none        slow (seconds)      silent           half-open (no pongs, nothing read)
    close (code)                    mid-frame        text        sequence    rate      oversized
    audio (malformed sound)         truncated        magic       language    order     twice
    refuse      no-welcome          never-open       tattle (says the client's token, and hangs up)

With --plan faults follow each other: each for so many segments, and none after the last one. With --tone a tone is said
instead of words, as long as four fifths of the slot; --codec aac sends AAC (by ffmpeg) to whoever can decode it.
"""

import argparse
import asyncio
import json
import math
import ssl
import struct
import subprocess
import sys
import urllib.parse

import websockets

MAGIC = b"MYDB"
HEADER = struct.Struct(">4sBBBBIIqI8sI")
TICKS = 90_000
RATE = 22_050


def speak(text, language):
    """One channel of 16-bit PCM at 22050 Hz."""
    command = ["espeak-ng", "-v", language, "--stdout", text]
    made = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20, check=True)
    # espeak-ng cannot know the length beforehand when it writes to a pipe: the data is what follows the header.
    data = made.stdout
    start = data.index(b"data") + 8
    rate = struct.unpack("<I", data[24:28])[0]
    assert rate == RATE, rate
    body = data[start:]
    return body[: len(body) // 2 * 2]


def tone(seconds, frequency=440):
    """What is said where there is no text: half as long as the original."""
    frames = int(RATE * seconds)
    return b"".join(
        struct.pack("<h", int(6000 * math.sin(2 * math.pi * frequency * n / RATE))) for n in range(frames)
    )


def adts(pcm):
    """The same as AAC."""
    command = ["ffmpeg", "-v", "error", "-f", "s16le", "-ar", str(RATE), "-ac", "1", "-i", "-", "-c:a", "aac"]
    made = subprocess.run(command + ["-f", "adts", "-"], input=pcm, stdout=subprocess.PIPE, timeout=20, check=True)
    return made.stdout


def message(sequence, pts, pcm, language, rate=RATE, magic=MAGIC):
    frames = len(pcm) // 2
    name = language.encode("ascii")[:8].ljust(8, b"\0")
    duration = round(frames * TICKS / RATE)
    return HEADER.pack(magic, 1, 1, 1, 0, sequence, rate, pts, duration, name, len(pcm)) + pcm


class Listener:
    """One connection."""

    def __init__(self, socket, service, fault):
        self.socket = socket
        self.service = service
        self.fault = fault
        self.queue = asyncio.Queue()
        self.cancelled = -1
        self.codecs = ["pcm16"]
        self.held = None

    def next_fault(self):
        if self.service.plan:
            return {"fault": self.service.plan.pop(0)}
        fault = self.fault
        if fault.get("count", -1) == 0:
            return {"fault": "none"}
        if fault.get("count", -1) > 0:
            fault["count"] -= 1
        return fault

    async def run(self):
        if self.fault["fault"] == "no-welcome":
            await self.socket.wait_closed()
            return
        hello = json.loads(await self.socket.recv())
        if hello.get("type") != "hello" or hello.get("version") != 1:
            await self.socket.close(1002, "hello expected")
            return
        self.codecs = hello.get("codecs", self.codecs)
        flight = max(1, min(2, int(hello.get("inFlight", 1))))
        await self.say({"type": "welcome", "version": 1, "languages": self.service.languages, "inFlight": flight})
        worker = asyncio.create_task(self.work())
        try:
            waiting = None
            async for data in self.socket:
                if isinstance(data, bytes):
                    if waiting is not None and data[:4] == MAGIC:
                        waiting["bytes"] = data
                        await self.queue.put(waiting)
                        waiting = None
                    continue
                request = json.loads(data)
                kind = request.get("type")
                if kind == "segment":
                    if request.get("sound"):
                        waiting = request
                    else:
                        await self.queue.put(request)
                elif kind == "cancel":
                    self.cancelled = max(self.cancelled, request["sequence"])
                elif kind == "fault":
                    self.fault = dict(request)
                    self.service.fault = dict(request)
        finally:
            worker.cancel()

    async def say(self, value):
        await self.socket.send(json.dumps(value))

    async def work(self):
        while True:
            request = await self.queue.get()
            if request["sequence"] <= self.cancelled:
                continue
            try:
                await self.answer(request, self.next_fault())
            except websockets.ConnectionClosed:
                # By a fault, or by the device: whoever reads finds out, too.
                return

    async def pcm(self, request):
        key = (request["language"], request["text"])
        if key not in self.service.spoken:
            if self.service.tone:
                made = tone(request["duration"] / TICKS * 0.8, self.service.tone)
                key = None
            elif request["text"]:
                made = await asyncio.to_thread(speak, request["text"], request["language"])
            else:
                made = tone(request["duration"] / TICKS / 2)
            if key is None:
                return made
            self.service.spoken[key] = made
        return self.service.spoken[key]

    async def answer(self, request, fault):
        sequence, pts, language = request["sequence"], request["pts"], request["language"]
        name = fault["fault"]
        self.service.answered += 1
        if name == "slow":
            await asyncio.sleep(float(fault.get("seconds", 2)))
        if name == "silent":
            return
        if name == "half-open":
            self.socket.transport.pause_reading()
            await asyncio.sleep(3600)
        if name.startswith("close"):
            code = int(name[6:]) if len(name) > 6 else int(fault.get("code", 1011))
            await self.socket.close(code, "as asked")
            return
        if name == "tattle":
            headers = self.socket.request_headers if hasattr(self.socket, "request_headers") else self.socket.request.headers
            said = headers.get("Authorization", "nobody")
            await self.say({"type": "refused", "sequence": sequence, "code": "language", "message": f"not for {said}"})
            await self.socket.close(4001, f"not for {said}")
            return
        if name == "refuse" or language.split("-")[0] not in self.service.languages:
            await self.say(
                {"type": "refused", "sequence": sequence, "code": "language", "message": f"nobody here speaks {language}"}
            )
            return
        pcm = await self.pcm(request)
        good = message(sequence, pts, pcm, language)
        if self.service.codec == "aac" and "aac" in self.codecs:
            body = await asyncio.to_thread(adts, pcm)
            code = language.encode("ascii")[:8].ljust(8, b"\0")
            duration = round(len(pcm) // 2 * TICKS / RATE)
            good = HEADER.pack(MAGIC, 1, 2, 1, 0, sequence, RATE, pts, duration, code, len(body)) + body
        if name == "text":
            await self.socket.send("this is no JSON")
        elif name == "mid-frame":
            # A frame that announces all of it and brings half.
            raw = b"\x82\x7f" + struct.pack(">Q", len(good)) + good[: len(good) // 2]
            self.socket.transport.write(raw)
            await asyncio.sleep(0.05)
            self.socket.transport.abort()
        elif name == "sequence":
            await self.socket.send(message(sequence + 7, pts, pcm, language))
        elif name == "rate":
            await self.socket.send(message(sequence, pts, pcm, language, rate=12_345))
        elif name == "wrong-rate":
            await self.socket.send(message(sequence, pts, pcm, language, rate=48_000))
        elif name == "oversized":
            await self.socket.send(message(sequence, pts, pcm + bytes(4 << 20), language))
        elif name == "truncated":
            await self.socket.send(good[: len(good) // 2])
        elif name == "magic":
            await self.socket.send(message(sequence, pts, pcm, language, magic=b"RIFF"))
        elif name == "audio":
            code = language.encode("ascii")[:8].ljust(8, b"\0")
            broken = HEADER.pack(MAGIC, 1, 2, 1, 0, sequence, RATE, pts, TICKS, code, 500)
            await self.socket.send(broken + bytes(range(250)) * 2)
        elif name == "language":
            await self.socket.send(message(sequence, pts, pcm, "xx"))
        elif name == "order":
            if self.held is None:
                self.held = good
            else:
                await self.socket.send(good)
                await self.socket.send(self.held)
                self.held = None
        elif name == "twice":
            await self.socket.send(good)
            await self.socket.send(good)
        else:
            await self.socket.send(good)


class Service:
    def __init__(self, options):
        self.languages = options.languages.split(",")
        self.fault = {"fault": options.fault, "seconds": options.seconds, "code": options.code, "count": options.count}
        self.spoken = {}
        self.tone = options.tone
        self.codec = options.codec
        self.plan = []
        for entry in filter(None, options.plan.split(",")):
            name, _, count = entry.partition(":")
            self.plan += [name] * int(count or 1)
        self.answered = 0

    async def serve(self, socket, path=None):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(path or socket.path).query)
        fault = dict(self.fault)
        for key, values in query.items():
            fault[key] = int(values[0]) if key in ("count", "code") else values[0]
        try:
            await Listener(socket, self, fault).run()
        except websockets.ConnectionClosed:
            pass


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--languages", default="en,es,de,fr,it,pt,ru")
    parser.add_argument("--fault", default="none")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--code", type=int, default=1011)
    parser.add_argument("--count", type=int, default=-1)
    parser.add_argument("--plan", default="")
    parser.add_argument("--tone", type=float, default=0)
    parser.add_argument("--codec", default="pcm16")
    parser.add_argument("--certificate")
    parser.add_argument("--key")
    options = parser.parse_args()
    context = None
    if options.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate, options.key)
    service = Service(options)
    if options.fault == "never-open":
        server = await asyncio.start_server(lambda reader, writer: asyncio.sleep(3600), "127.0.0.1", options.port)
        port = server.sockets[0].getsockname()[1]
    else:
        server = await websockets.serve(
            service.serve, "127.0.0.1", options.port, subprotocols=["mynah-dub.1"], ssl=context, ping_interval=None,
            max_size=8 << 20, compression=None,
        )
        port = server.sockets[0].getsockname()[1]
    print(f"listening {port}", flush=True)
    # Whoever started it may have died: then its standard input ends.
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
