"""What the OLED shows: its texts, and its dots."""

from mynah_client import Device


def test_the_screen_says_what_the_device_does(mynah_device: Device):
    mynah_device.expect(screen="idle", text="Ready")
    before = mynah_device.screen()
    mynah_device.press("REC")
    mynah_device.expect(screen="recording")
    during = mynah_device.screen()
    assert (during.width, during.height) == (128, 64)
    assert len(before.differences(during)) > 100
    print(during.art())
    mynah_device.press("STOP")
    mynah_device.expect(screen="idle")


def test_the_screen_in_the_other_language(mynah_device: Device):
    with mynah_device.settings({"ui.language": "ru"}):
        mynah_device.expect(text="Готов")
    mynah_device.expect(text="Ready")
