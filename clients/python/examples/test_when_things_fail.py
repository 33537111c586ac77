"""What the device does when something is pulled or full. Faults are the simulator's, and a rig's."""

import pytest
from mynah_client import Device

pytestmark = pytest.mark.mynah(microphone="speech")


def test_a_microphone_that_is_pulled_costs_no_take(mynah_device: Device):
    mynah_device.press("REC")
    mynah_device.expect_event("onTakeStarted")
    mynah_device.fault("microphone unplug")
    mynah_device.expect_event("onDeviceLost", device="microphone")
    # There is no other one to go on with.
    saved = mynah_device.expect_event("onTakeSaved")
    assert saved.data["stopReason"] == "device-lost"
    assert mynah_device.take(saved.data["id"]).frames == saved.data["frames"]

    mynah_device.fault("microphone replug")
    mynah_device.expect_event("onDeviceReturned", device="microphone")
    mynah_device.press("REC")
    mynah_device.expect(mode="dictaphone.recording")


def test_a_card_that_is_full_ends_the_take_and_keeps_it(mynah_device: Device):
    mynah_device.press("REC")
    mynah_device.expect_event("onTakeStarted")
    # Of a take of which nothing is on the card yet, nothing can be kept.
    mynah_device.wait_until(lambda: mynah_device.recorder()["seconds"] >= 1)
    mynah_device.fault("storage full")
    saved = mynah_device.expect_event("onTakeSaved", timeout=60)
    assert saved.data["stopReason"] == "storage-full"
    mynah_device.fault("storage ok")
    assert mynah_device.take(saved.data["id"]).data()
