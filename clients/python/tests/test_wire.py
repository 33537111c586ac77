"""The protocol without I/O: lines in any portions, prompts and noise before documents, what no device would send."""

import json
import random

import pytest
from mynah_client import wire


def answers(data, portions=None):
    """What comes of the bytes, handed over in these portions."""
    splitter = wire.LineSplitter()
    found = []
    for portion in portions or [data]:
        for line in splitter.feed(portion):
            found += wire.messages(line)
    return found


def portions(data, generator):
    result, place = [], 0
    while place < len(data):
        length = generator.choice([1, 2, 3, 7, 50, 4096])
        result.append(data[place : place + length])
        place += length
    return result


DOCUMENTS = [
    {"jsonrpc": "2.0", "id": "a-1", "result": {"mode": "dictaphone.idle", "texts": ["ё", "{", '"']}},
    {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "not JSON", "data": {"code": "bad-argument"}}},
    {"jsonrpc": "2.0", "method": "event", "params": {"seq": 1, "t": 0.5, "topic": "onLock", "data": {"locked": True}}},
    [{"jsonrpc": "2.0", "id": "a-2", "result": []}, {"jsonrpc": "2.0", "id": "a-3", "result": None}],
]


@pytest.mark.parametrize("seed", range(50))
def test_lines_in_any_portions_say_the_same(seed):
    generator = random.Random(seed)
    lines = [json.dumps(generator.choice(DOCUMENTS), ensure_ascii=generator.random() < 0.5) for _ in range(40)]
    data = "".join(line + generator.choice(["\n", "\r\n", "\n\n"]) for line in lines).encode()
    whole = answers(data)
    assert answers(data, portions(data, generator)) == whole
    expected = sum(len(item) if isinstance(item := json.loads(line), list) else 1 for line in lines)
    assert len(whole) == expected
    assert not any(isinstance(message, wire.Noise) for message in whole)


@pytest.mark.parametrize("seed", range(200))
def test_garbage_raises_nothing_and_what_follows_is_heard(seed):
    generator = random.Random(seed)
    kind = generator.choice(["bytes", "damaged", "json"])
    if kind == "bytes":
        data = bytes(generator.randrange(256) for _ in range(5000))
    elif kind == "damaged":
        good = bytearray("\n".join(json.dumps(generator.choice(DOCUMENTS)) for _ in range(40)).encode())
        for _ in range(60):
            good[generator.randrange(len(good))] = generator.randrange(256)
        data = bytes(good)
    else:
        values = ["{}", "[]", "[[[", "1e999", "NaN", "-Infinity", "null", '{"jsonrpc":"2.0"}', '"{"', "[" * 100_000]
        values += ['{"jsonrpc":"2.0","id":[1],"result":1}', '{"jsonrpc":"2.0","method":7}', '{"jsonrpc":"2.0","id":1}']
        values += ['{"jsonrpc":"2.0","id":' + "9" * 5000 + ',"result":1}', '[{"jsonrpc":2}]', '{"a":"\\ud800"}']
        data = "\n".join(generator.choices(values, k=30)).encode()
    answer = b'\n{"jsonrpc":"2.0","id":"last","result":7}\n'
    heard = answers(data + answer, portions(data + answer, generator))
    assert heard[-1] == wire.Answer("last", 7)


@pytest.mark.parametrize(
    "before",
    [b"mynah> ", b"Mynah 0.1.0 on simulator\r\nmynah> \r\n", b"[   12.5] usb 1-1: reset ", b"{half", b"\0\xff"],
)
def test_a_document_is_found_behind_what_stands_before_it(before):
    assert wire.Answer("x", 1) in answers(before + b'{"jsonrpc":"2.0","id":"x","result":1}\r\n')
    batch = answers(before + b'[{"jsonrpc":"2.0","id":"x","result":1}]\n')
    assert wire.Answer("x", 1) in batch


def test_a_line_that_never_ends_is_dropped_and_costs_no_memory():
    splitter = wire.LineSplitter(longest=1000)
    for _ in range(100):
        assert list(splitter.feed(b"x" * 100)) == []
        assert len(splitter.rest) <= 1100
    assert list(splitter.feed(b"tail\nnext\n")) == [b"next"]


def test_what_no_device_takes_is_not_sent():
    with pytest.raises(ValueError, match="65536"):
        wire.encode(wire.request("recorder.mark", {"title": "x" * 70_000}, "1"))
    with pytest.raises(ValueError):
        wire.encode(wire.request("player.seek", {"seconds": float("nan")}, "1"))
    assert wire.encode(wire.request("a.b", {"x": "ё"}, "1")).isascii()
