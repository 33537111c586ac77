"""REC, STOP, and the take is there."""

import pytest
from mynah_client import Device, PressIgnored


def test_rec_records_and_stop_saves(mynah_device: Device, tmp_path):
    before = len(mynah_device.takes())

    mynah_device.press("REC")
    mynah_device.expect(mode="dictaphone.recording", leds={"REC": "on"})
    mynah_device.press("STOP")

    saved = mynah_device.expect_event("onTakeSaved")
    mynah_device.expect(mode="dictaphone.idle", takes=before + 1)

    take = mynah_device.takes()[0]
    assert take.id == saved.data["id"]
    assert take.stop_reason == "user"
    # Fetched in pieces, each of which has its hash.
    assert take.download(tmp_path).stat().st_size == take.bytes


def test_a_second_press_pauses(mynah_device: Device):
    mynah_device.press("REC")
    mynah_device.expect(mode="dictaphone.recording")
    mynah_device.press("REC")
    mynah_device.expect(mode="dictaphone.paused")
    mynah_device.press("REC")
    mynah_device.expect(mode="dictaphone.recording")
    mynah_device.press("STOP")
    mynah_device.expect_event("onTakeSaved")


def test_a_mark_is_kept_with_the_take(mynah_device: Device):
    mynah_device.press("REC")
    mynah_device.expect_event("onTakeStarted")
    mynah_device.client.recorder.mark(title="the question")
    mynah_device.press("STOP")
    mynah_device.expect_event("onTakeSaved")
    assert [mark["title"] for mark in mynah_device.takes()[0].marks()] == ["the question"]


def test_while_it_is_locked_keys_do_nothing(mynah_device: Device):
    mynah_device.press("LOCK")
    mynah_device.expect(locked=True, leds={"LOCK": "on"})
    with pytest.raises(PressIgnored):
        mynah_device.press("REC")
    mynah_device.hold("LOCK", 2.1)
    mynah_device.expect(locked=False)
