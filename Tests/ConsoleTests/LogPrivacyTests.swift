import Testing

@testable import Console

/// What a log without names still says.
@Suite struct LogPrivacyTests {
  @Test(
    "Names of files and addresses are left out, and nothing that explains",
    arguments: [
      ("saved 000042_2026-11-20T21-54-00Z.m4a, 480000 frames", "saved (name), 480000 frames"),
      ("the position in recordings/000042_2026-11-20T21-54-00Z.wav is not kept", "the position in (name) is not kept"),
      ("My talk with Ann.mp3 cannot be read and stays as it is", "(name) cannot be read and stays as it is"),
      ("it lies in _Corrupted/My talk.MP3.", "(name)."),
      ("settings.json: recording.format cannot be 'x'", "settings.json: recording.format cannot be 'x'"),
      ("recording.format is wav", "recording.format is wav"),
      ("https://ann:secret@host.example/live.m3u8 refused", "(address) refused"),
      ("no answer from 192.168.1.20:8080, again in 2 s", "no answer from (address), again in 2 s"),
      ("48000 Hz, 2.5 s, 12:30:00 is no address", "48000 Hz, 2.5 s, 12:30:00 is no address"),
    ])
  func stripped(text: String, expected: String) {
    #expect(LogPrivacy.strip(text, isOfNetwork: false) == expected)
  }

  @Test("Where the network speaks, a bare host is an address")
  func hosts() {
    #expect(
      LogPrivacy.strip("ann.example.org did not answer in 2.5 s", isOfNetwork: true)
        == "(address) did not answer in 2.5 s")
  }
}
