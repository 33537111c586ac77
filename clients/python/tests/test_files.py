"""Files piece by piece: whole, damaged, growing, cut off."""

import base64
import hashlib
import random

import pytest
from mynah_client import NoAnswer, TransferError
from mynah_client.files import MOST, pieces

CONTENT = random.Random(1).randbytes(200_000) if hasattr(random.Random, "randbytes") else bytes(200_000)


class Device:
    """Answers `files.read` as the device does, but for what `spoil` does to it."""

    def __init__(self, content=CONTENT, spoil=lambda number, answer: answer):
        self.content, self.spoil, self.asked = content, spoil, []

    def answer(self, wanted):
        self.asked.append(wanted)
        piece = self.content[wanted["offset"] :][: wanted["bytes"]]
        answer = {
            "data": base64.b64encode(piece).decode(),
            "total": len(self.content),
            "sha256": hashlib.sha256(piece).hexdigest(),
        }
        if wanted["offset"] + len(piece) == len(self.content):
            answer["fileSha256"] = hashlib.sha256(self.content).hexdigest()
        return self.spoil(len(self.asked), answer)

    def fetch(self, **options):
        got = []
        steps = pieces("x.wav", got.append, **options)
        outcome = None
        try:
            while True:
                outcome = self.answer(steps.send(outcome))
        except StopIteration as end:
            return b"".join(got), end.value


@pytest.mark.parametrize("length", [0, 1, MOST - 1, MOST, MOST + 1, 200_000])
def test_a_file_comes_whole_and_with_its_sum(length):
    device = Device(CONTENT[:length])
    assert device.fetch() == (CONTENT[:length], hashlib.sha256(CONTENT[:length]).hexdigest())


def test_pieces_that_are_damaged_or_not_answered_are_asked_for_again_and_shorter():
    def spoil(number, answer):
        if number == 2:
            return {**answer, "data": base64.b64encode(b"damaged").decode()}
        if number == 3:
            return {**answer, "data": "?"}
        return NoAnswer("late") if number == 5 else answer

    device = Device(spoil=spoil)
    assert device.fetch()[0] == CONTENT
    assert [wanted["bytes"] for wanted in device.asked[:4]] == [MOST, MOST, MOST // 2, MOST // 4]
    assert device.asked[1]["offset"] == device.asked[3]["offset"] == MOST


def test_a_line_that_damages_everything_is_told():
    with pytest.raises(TransferError, match="damaged"):
        Device(spoil=lambda number, answer: {**answer, "sha256": "0"}).fetch()
    with pytest.raises(NoAnswer):
        Device(spoil=lambda number, answer: NoAnswer("late")).fetch()


def test_a_file_that_is_not_what_the_device_says_is_told():
    with pytest.raises(TransferError, match="not what the device says"):
        Device(spoil=lambda number, answer: {**answer, "fileSha256": "0"} if "fileSha256" in answer else answer).fetch()


def test_a_file_that_ends_too_early_is_told():
    empty = hashlib.sha256(b"").hexdigest()
    with pytest.raises(TransferError, match="ends at"):
        Device(spoil=lambda number, answer: {"data": "", "total": 10**9, "sha256": empty}).fetch()


def test_notes_are_asked_for():
    device = Device(b"{}")
    device.fetch(notes=True)
    assert device.asked[0]["notes"] is True
