"""The sound in a take, as numbers. These hold for a tone of 440 Hz, which the simulated microphone can play."""

import pytest
from mynah_client import Device

pytestmark = pytest.mark.mynah(microphone="tone:440")


def test_the_tone_is_in_the_take(mynah_device: Device):
    # WAV is read without anything else; takes of other formats by ffmpeg, where it is installed.
    mynah_device.set({"recording.format": "wav"})
    samples = mynah_device.record(seconds=1).samples()
    assert samples.rate == 48_000
    assert samples.tone_db(440) == pytest.approx(-12, abs=0.5)
    assert samples.tone_db(1000) < -60
    assert samples.peak_db < -11


def test_what_was_before_the_press_is_in_the_take(mynah_device: Device):
    mynah_device.set({"recording.format": "wav", "recording.preRecordSeconds": 2})
    # Until so much is held, a press cannot have it.
    mynah_device.wait_until(lambda: mynah_device.recorder()["preRecordedSeconds"] >= 2)
    take = mynah_device.record(seconds=0.5)
    assert take.seconds >= 2.5
    assert take.samples().between(0, 1).tone_db(440) == pytest.approx(-12, abs=0.5)


def test_as_an_array(mynah_device: Device):
    numpy = pytest.importorskip("numpy")
    mynah_device.set({"recording.format": "wav"})
    take = mynah_device.record(seconds=0.5)
    array = numpy.asarray(take.samples())
    assert array.shape == (take.frames, take.channels)
    spectrum = numpy.abs(numpy.fft.rfft(array[:, 0]))
    assert spectrum.argmax() * take.rate / take.frames == pytest.approx(440, abs=3)
