import Hardware
import TestSupport

@testable import Streaming

extension FuzzTarget {
  private static let words = [
    "#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:4", "#EXTINF:4.0,title", "#EXT-X-BYTERANGE:100@0",
    "#EXT-X-BYTERANGE:9007199254740991", "#EXT-X-KEY:METHOD=AES-128,URI=\"key\",IV=0x1", "#EXT-X-KEY:METHOD=NONE",
    "#EXT-X-MAP:URI=\"init.mp4\",BYTERANGE=\"720@0\"", "#EXT-X-DISCONTINUITY", "#EXT-X-DISCONTINUITY-SEQUENCE:3",
    "#EXT-X-MEDIA-SEQUENCE:100", "#EXT-X-PROGRAM-DATE-TIME:2026-11-21T12:00:00.250+01:00", "#EXT-X-GAP",
    "#EXT-X-ENDLIST", "#EXT-X-PLAYLIST-TYPE:EVENT", "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"{$a}{$a}\"", "{$a}", "{$",
    "#EXT-X-STREAM-INF:BANDWIDTH=100000,AUDIO=\"a\",SUBTITLES=\"s\",RESOLUTION=640x360,CODECS=\"mp4a.40.2\"",
    "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"n\",LANGUAGE=\"es\",URI=\"list.m3u8\"",
    "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"n\",LANGUAGE=\"es\",URI=\"subs.m3u8\"", "segment.ts", "a.aac",
    "http://h/x.m3u8?a=b#c", "../../b.ts", "#EXTINF:-1,radio", "[playlist]", "File1=http://h/a", "NumberOfEntries=1",
  ]

  /// A playlist, read as what it may be.
  static let playlist = FuzzTarget("playlist", .text(words), make: { Playlists.valid(&$0) }) { bytes in
    _ = try? Playlist(bytes, url: "http://h/a?b=c")
    guard var list = try? MediaPlaylist(bytes, url: "http://h/a") else { return nil }
    guard list.count >= 0, list.duration >= .zero else { return "\(list.count) segments, \(list.duration)" }
    for sequence in [list.mediaSequence, list.mediaSequence + list.count / 2, list.endSequence - 1, list.endSequence] {
      let segment = list.segment(sequence)
      guard (segment != nil) == (sequence >= list.mediaSequence && sequence < list.endSequence) else {
        return "segment \(sequence) of \(list.mediaSequence) to \(list.endSequence)"
      }
      if let range = segment?.range, range.lowerBound < 0 || range.isEmpty { return "a range of \(range)" }
    }
    _ = list.segment(at: list.duration / 2)
    _ = list.liveStart()
    return nil
  }

  /// A playlist behind every address, and small segments behind the others, played, sought in and dubbed.
  static let stream = FuzzTarget("stream", .text(words), make: { Playlists.valid(&$0) }) { bytes in
    let network = FuzzNetwork { address in
      if address.contains("key") { return [UInt8](repeating: 1, count: 16) }
      if address.hasSuffix(".m3u8") || address.hasSuffix("/") { return bytes }
      if address.hasSuffix(".vtt") { return Playlists.subtitles }
      return address.utf8.count % 7 == 0 ? nil : Playlists.segment
    }
    guard let first = try? Playlist(bytes, url: "http://h/") else { return nil }
    let options = HLSOptions(pictures: true, subtitleLanguages: ["es"])
    let programme = HLSProgramme(first, network: network, options: options, wake: {})
    var now = Instant.zero
    var end = 0
    var rendition: (any Programme)?
    for round in 0..<150 {
      let wake = programme.step(now: now)
      while let block = programme.nextSound() { end = block.start + block.frames }
      while programme.nextCue() != nil {}
      while programme.nextPicture() != nil {}
      if round == 20 {
        rendition = programme.rendition(language: "es", from: end)
        _ = programme.selectSubtitles(language: "es", from: end)
      }
      if round == 60 { programme.seek(to: end + 480_000) }
      if round == 100 { programme.seek(to: 0) }
      if let rendition {
        _ = rendition.step(now: now)
        while rendition.nextSound() != nil {}
      }
      _ = programme.status
      _ = programme.date(ofFrame: end)
      guard programme.heldBytes < 64 << 20 else { return "\(programme.heldBytes) bytes are held" }
      if case .failed = programme.status.phase { break }
      now = max(now + .milliseconds(20), min(wake ?? now, now + .seconds(4)))
    }
    programme.close()
    return nil
  }

  /// Subtitles.
  static let subtitles = FuzzTarget(
    "subtitles",
    .text([
      "WEBVTT", "00:00:01.000 --> 00:00:02.000 line:0", "X-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000", "<v Bob>",
      "<ruby>", "<00:00:01.500>", "&amp;", "&#x10FFFF;", "&#xD800;", "NOTE", "STYLE", "-->", "1", "<c.red>",
    ]), make: { Playlists.someSubtitles(&$0) }
  ) { bytes in
    guard let file = try? WebVTT(bytes, subject: "s") else { return nil }
    for cue in file.cues {
      guard cue.start >= 0, cue.end > cue.start, !cue.text.isEmpty else {
        return "a cue from \(cue.start) to \(cue.end)"
      }
      guard cue.text.unicodeScalars.allSatisfy({ $0.value >= 0x20 || $0 == "\n" }) else { return "control characters" }
    }
    return nil
  }
}

/// Valid playlists and what they name.
enum Playlists {
  /// A second of silence as ADTS.
  static let segment: [UInt8] = (0..<47).flatMap { _ -> [UInt8] in
    // 48 kHz, two channels, 6 bytes of a raw data block: a channel pair without anything in it.
    [0xFF, 0xF1, 0x4C, 0x80, 0x01, 0xBF, 0xFC, 0x21, 0x10, 0x04, 0x60, 0x8C, 0x1C]
  }
  static let subtitles = Array(
    "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000\n\n00:01.000 --> 00:02.000\nhola\n".utf8)

  static func valid(_ dice: inout SeededGenerator) -> [UInt8]? {
    var lines = ["#EXTM3U"]
    if dice.chance(4) {
      lines.append("#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"es\",LANGUAGE=\"es\",URI=\"es.m3u8\"")
      lines.append("#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"es\",LANGUAGE=\"es\",URI=\"subs.m3u8\"")
      for index in 1...1 + dice.below(4) {
        lines.append("#EXT-X-STREAM-INF:BANDWIDTH=\(index * 100_000),AUDIO=\"a\",SUBTITLES=\"s\"")
        lines.append("v\(index).m3u8")
      }
      return Array(lines.joined(separator: "\n").utf8)
    }
    lines.append("#EXT-X-TARGETDURATION:\(1 + dice.below(10))")
    lines.append("#EXT-X-MEDIA-SEQUENCE:\(dice.below(1000))")
    if dice.chance(3) { lines.append("#EXT-X-DISCONTINUITY-SEQUENCE:\(dice.below(10))") }
    for index in 0..<1 + dice.below(40) {
      if dice.chance(6) { lines.append("#EXT-X-DISCONTINUITY") }
      if dice.chance(6) { lines.append("#EXT-X-PROGRAM-DATE-TIME:2026-11-21T12:00:\(10 + index).5Z") }
      if dice.chance(6) { lines.append("#EXT-X-KEY:METHOD=\(dice.chance(2) ? "NONE" : "AES-128,URI=\"key\",IV=0x12")") }
      if dice.chance(8) { lines.append("#EXT-X-GAP") }
      if dice.chance(6) { lines.append("#EXT-X-BYTERANGE:13\(dice.chance(2) ? "@\(index * 13)" : "@0")") }
      lines.append("#EXTINF:\(1 + dice.below(6)).\(dice.below(1000)),")
      lines.append(dice.chance(4) ? "s.vtt" : "s\(index).aac")
    }
    if dice.chance(2) { lines.append("#EXT-X-ENDLIST") }
    return Array(lines.joined(separator: "\n").utf8)
  }

  static func someSubtitles(_ dice: inout SeededGenerator) -> [UInt8]? {
    var text = "WEBVTT\n"
    if dice.chance(2) { text += "X-TIMESTAMP-MAP=MPEGTS:\(dice.below(1 << 33)),LOCAL:00:00:00.000\n" }
    for index in 0..<dice.below(30) {
      text += "\n\(index)\n00:0\(index / 10):0\(index % 10).000 --> 00:1\(index / 10):0\(index % 10).500 line:0\n"
      text += "<v Bob>a &amp; b <i>c</i>\nline\n"
    }
    return Array(text.utf8)
  }
}
