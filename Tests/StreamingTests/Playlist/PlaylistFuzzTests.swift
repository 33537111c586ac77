import TestSupport
import Testing

@testable import Streaming

/// Damaged and hostile playlists and subtitles are answered, never trapped on.
@Suite struct PlaylistFuzzTests {
  private static let words: [String] = [
    "#EXTM3U", "#EXT-X-TARGETDURATION:", "#EXTINF:", "#EXT-X-BYTERANGE:", "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x",
    "#EXT-X-MAP:URI=\"m\",BYTERANGE=\"", "#EXT-X-DISCONTINUITY", "#EXT-X-DISCONTINUITY-SEQUENCE:",
    "#EXT-X-MEDIA-SEQUENCE:", "#EXT-X-PROGRAM-DATE-TIME:2026-11-21T12:00:00.1+01:00", "#EXT-X-GAP",
    "#EXT-X-ENDLIST", "#EXT-X-PLAYLIST-TYPE:EVENT", "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"{$a}{$a}\"", "{$a}",
    "#EXT-X-STREAM-INF:BANDWIDTH=", "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"g\",NAME=\"n\"", "a.ts", "../b.ts?x#y",
    "\"", ",", "=", "@", ".", "-", "0", "9", "18446744073709551615", "99999999999999999999", "\n", "\r\n", "\u{0}",
    "\u{FEFF}", "é", "--> ", "00:00:01.000 --> 00:00:02.000", "WEBVTT", "X-TIMESTAMP-MAP=MPEGTS:", "LOCAL:00:00:00.000",
    "&amp;", "&#x10FFFF;", "&#xD800;", "<v Bob>", "<", ">", "NOTE", "STYLE", ":", "00:",
  ]

  private func text(_ dice: inout SeededGenerator, _ first: String) -> [UInt8] {
    var text = first + "\n"
    for _ in 0..<Int.random(in: 0..<60, using: &dice) {
      text += Self.words.randomElement(using: &dice) ?? ""
      if Bool.random(using: &dice) { text += "\n" }
    }
    var bytes = Array(text.utf8)
    for _ in 0..<Int.random(in: 0..<4, using: &dice) where !bytes.isEmpty {
      bytes[Int.random(in: 0..<bytes.count, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
    }
    return bytes
  }

  @Test func anyPlaylistIsAnswered() {
    var dice = SeededGenerator(seed: 1)
    var good = 0
    for _ in 0..<8_000 {
      let start = Bool.random(using: &dice) ? "#EXTM3U\n#EXT-X-TARGETDURATION:4" : "#EXTM3U"
      let bytes = text(&dice, start)
      _ = try? Playlist(bytes, url: "http://h/a?b=c")
      guard var list = try? MediaPlaylist(bytes, url: "http://h/a") else { continue }
      good += 1
      for sequence in [list.mediaSequence, list.endSequence - 1, list.endSequence] {
        #expect((list.segment(sequence) != nil) == (sequence >= list.mediaSequence && sequence < list.endSequence))
      }
      _ = list.segment(at: list.duration / 2)
      _ = list.liveStart()
    }
    #expect(good > 25)
  }

  @Test func anySubtitlesAreAnswered() {
    var dice = SeededGenerator(seed: 2)
    var cues = 0
    for _ in 0..<8_000 {
      guard let file = try? WebVTT(text(&dice, "WEBVTT\n"), subject: "s") else { continue }
      cues += file.cues.count
      for cue in file.cues {
        #expect(cue.start >= 0 && cue.end > cue.start && !cue.text.isEmpty)
        #expect(cue.text.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" })
      }
    }
    #expect(cues > 250)
  }

  @Test func anyReferenceIsResolved() {
    var dice = SeededGenerator(seed: 3)
    let letters = Array("ab:/?#.@%é ")
    for _ in 0..<20_000 {
      let text = String(
        (0..<Int.random(in: 0..<12, using: &dice)).map { _ in letters.randomElement(using: &dice) ?? "a" })
      let resolved = URLReference.resolve(text, against: "http://h/x/y")
      // What is absolute stays so.
      #expect(URLReference.resolve(resolved, against: "ftp://other/") == resolved || text.contains("/."), "\(text)")
    }
  }
}
