"""The same over serial lines: pseudo-terminals, with prompts, half lines, damage; TCP, and what pyserial opens."""

import asyncio
import os
import random
import socket
import threading
import time

import pytest
from mynah_client import AsyncClient, Client, ConnectionLost, Device, NoAnswer, Simulator, open_line


@pytest.fixture
def board(mynah_program, cable):
    with Simulator(mynah_program, console=cable.device, microphone="tone:440", camera="none") as simulator:
        yield simulator


def test_a_board_is_used_over_its_serial_line(board, cable):
    with Device.attach(cable.host) as device:
        device.set({"recording.format": "wav"})
        take = device.record(0.5)
        assert take.data() == (board.data / "recordings" / take.id).read_bytes()
        assert device.screen().width == 128
    # The line is there for the next one.
    with Device.attach(cable.host) as device:
        assert len(device.takes()) == 1


@pytest.mark.parametrize(
    "left",
    [b"settings recording.for", b'{"jsonrpc":"2.0","id":1,"meth', b"help\r", b"\x1b[", b'{"a":1}\n{', b"\xff" * 300],
)
def test_what_somebody_left_on_the_line_is_no_hindrance(board, cable, left):
    with Client.connect(cable.host) as client:
        client.session.human()
    line = open_line(cable.host)
    line.write(left, 5)
    line.close()
    with Client.connect(cable.host) as client:
        assert client.panel.state()["mode"] == "dictaphone.idle"


def test_events_of_somebody_before_are_over(board, cable):
    line = open_line(cable.host)
    line.write(b'{"jsonrpc":"2.0","id":1,"method":"events.subscribe"}\n', 5)
    said = b""
    while b'"id":1' not in said:
        said += line.read()
    line.close()
    with Client.connect(cable.host) as client:
        with client.subscribe("onTakeStarted") as started:
            client.recorder.start()
            assert started.next(10).seq == 1


def test_a_line_that_damages_bytes_costs_time_and_no_byte(board, cable):
    with Device.attach(cable.host) as device:
        device.set({"recording.format": "wav"})
        take = device.record(1)
        generator = random.Random(1)

        def damage(data):
            if generator.random() > 0.02:
                return data
            data = bytearray(data)
            data[generator.randrange(len(data))] ^= 1 << generator.randrange(7)
            return bytes(data)

        device.client.timeout = 1
        cable.damage = damage
        data = take.data()
        cable.damage = lambda data: data
        assert data == (board.data / "recordings" / take.id).read_bytes()


def test_a_device_that_is_started_again_is_greeted_again(mynah_program, cable, tmp_path):
    options = {"data": tmp_path, "console": cable.device, "camera": "none"}
    with Simulator(mynah_program, **options) as first:
        client = Client.connect(cable.host)
        started = client.subscribe("onTakeStarted")
        first.kill()
    with Simulator(mynah_program, **options):
        client.hello()
        client.recorder.start()
        assert started.next(10).seq == 1
        client.close()


def test_a_line_without_a_device_is_told(cable):
    before = time.monotonic()
    with pytest.raises(NoAnswer, match="no answer to the greeting.*nothing was heard"):
        Client.connect(cable.host, timeout=0.5)
    assert time.monotonic() - before < 5


def test_a_line_that_echoes_is_no_device(cable):
    def echo():
        descriptor = os.open(cable.device, os.O_RDWR | os.O_NOCTTY)
        try:
            while data := os.read(descriptor, 4096):
                os.write(descriptor, b"login: " + data)
        except OSError:
            pass  # The cable is cut.

    threading.Thread(target=echo, daemon=True).start()
    with pytest.raises(NoAnswer, match="heard meanwhile"):
        Client.connect(cable.host, timeout=1)


def test_asyncio_does_it_too(board, cable):
    async def main():
        async with await AsyncClient.connect(cable.host) as client:
            async with await client.subscribe("onTakeStarted") as stream:
                await client.recorder.start()
                assert (await stream.next(10)).topic == "onTakeStarted"

    asyncio.run(main())


@pytest.fixture
def bridge(mynah_device):
    """The device's socket behind a TCP port, as ser2net and labgrid's exporter have a serial line."""
    listener = socket.create_server(("127.0.0.1", 0))

    def pump(source, target):
        try:
            while data := source.recv(4096):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def serve():
        while True:
            try:
                here, _ = listener.accept()
            except OSError:
                return
            there = socket.socket(socket.AF_UNIX)
            there.connect(mynah_device.simulator.console)
            for pair in ((here, there), (there, here)):
                threading.Thread(target=pump, args=pair, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    yield listener.getsockname()[1]
    listener.close()


@pytest.mark.parametrize("address", ["tcp:127.0.0.1:{}", "socket://127.0.0.1:{}"])
def test_a_network_is_a_line_too(bridge, address):
    if "://" in address:
        pytest.importorskip("serial")
    with Device.attach(address.format(bridge)) as device:
        take = device.record(0.2)
        assert len(take.data()) == take.bytes
    assert not device.client.is_open


def test_addresses_that_are_none_are_told(tmp_path, cable):
    with pytest.raises(ValueError, match="tcp:HOST:PORT"):
        open_line("tcp:somewhere")
    before = time.monotonic()
    with pytest.raises(ConnectionLost, match="No such file"):
        open_line("/nowhere/console")
    assert time.monotonic() - before < 5
    with pytest.raises(ConnectionLost, match="refused"):
        open_line("tcp:127.0.0.1:1")
    with pytest.raises(ValueError, match="123 bits"):
        open_line(cable.host, baud=123)
    (tmp_path / "file").touch()
    with pytest.raises(ConnectionLost):
        open_line(str(tmp_path / "file"), timeout=0)
