import Foundation
import Hardware
import TestSupport

/// Streams made by ffmpeg, once for all tests.
enum Streams {
  /// Twelve seconds of AAC, as the segments hold them, and decoded.
  struct Source {
    let folder: TemporaryFolder
    let samples: [Float]
  }

  static let seconds = 12.0

  static let source: Result<Source, any Error> = Result {
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(seconds) + ["-c:a", "aac", "-aac_pns", "0", "-b:a", "96k", "source.aac"])
    try hls(folder, "source.aac", "ts")
    try hls(
      folder, "source.aac", "mp4",
      ["-bsf:a", "aac_adtstoasc", "-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "mp4-init.mp4"])
    return Source(folder: folder, samples: try reference(folder, "source.aac"))
  }

  /// Thirty-six seconds, for what is live.
  static let long: Result<Source, any Error> = Result {
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(36) + ["-c:a", "aac", "-aac_pns", "0", "-b:a", "96k", "source.aac"])
    try hls(folder, "source.aac", "s")
    return Source(folder: folder, samples: try reference(folder, "source.aac"))
  }

  /// Cuts a file into segments `NAME0.ts`… with the playlist `NAME.m3u8`.
  static func hls(_ folder: TemporaryFolder, _ file: String, _ name: String, _ options: [String] = []) throws {
    let isMP4 = options.contains("fmp4")
    try ffmpeg(
      folder,
      [
        "-i", file, "-c", "copy", "-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod", "-hls_segment_filename",
        "\(name)%d.\(isMP4 ? "m4s" : "ts")",
      ] + options + ["\(name).m3u8"])
  }

  /// A playlist of the fragments of one file, of two seconds each.
  static func fragments(of bytes: [UInt8], _ name: String) -> String {
    var (lines, place, head) = ("", 0, 0)
    while place + 8 <= bytes.count {
      func size(_ place: Int) -> Int { bytes[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) } }
      var whole = size(place)
      if bytes[(place + 4)..<(place + 8)].elementsEqual("moof".utf8) {
        if lines.isEmpty { head = place }
        whole += size(place + whole)
        lines += "#EXTINF:2,\n#EXT-X-BYTERANGE:\(whole)@\(place)\n\(name)\n"
      }
      place += whole
    }
    let map = "#EXT-X-MAP:URI=\"\(name)\",BYTERANGE=\"\(head)@0\"\n"
    return "#EXTM3U\n#EXT-X-TARGETDURATION:2\n\(map)\(lines)#EXT-X-ENDLIST\n"
  }

  /// Changes the packets of a transport stream that have this identifier.
  static func change(_ id: Int, of bytes: [UInt8], _ change: (inout ArraySlice<UInt8>) -> Void) -> [UInt8] {
    var bytes = bytes
    for start in stride(from: 0, to: bytes.count - 187, by: 188)
    where Int(bytes[start + 1] & 0x1F) << 8 | Int(bytes[start + 2]) == id {
      var packet = bytes[start..<(start + 188)]
      change(&packet)
      bytes.replaceSubrange(start..<(start + 188), with: packet)
    }
    return bytes
  }

  /// The first sound of ffmpeg's transport streams, as its table names it.
  static let firstSound = 0x100

  /// Padding in place of the first sound.
  static func withoutFirstSound(_ bytes: [UInt8]) -> [UInt8] {
    change(firstSound, of: bytes) { packet in
      packet[packet.startIndex + 1] = 0x1F
      packet[packet.startIndex + 2] = 0xFF
    }
  }

  /// A network that serves a folder's files.
  static func serve(
    _ folder: TemporaryFolder, _ change: @escaping (String, Instant) -> FakeNetwork.Answer? = { _, _ in nil }
  )
    -> FakeNetwork
  {
    let network = FakeNetwork()
    network.server = { path, now in
      if let answer = change(path, now) { return answer }
      return folder.bytes(path).map { .bytes($0) }
    }
    return network
  }

  /// A playlist of a live window: `count` of the entries, the last of them `available` − 1.
  static func window(
    _ entries: [(lines: [String], seconds: Double)], available: Int, count: Int, isEnded: Bool = false
  ) -> String {
    let first = max(0, available - count)
    var lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:2", "#EXT-X-MEDIA-SEQUENCE:\(first)"]
    lines.append("#EXT-X-PROGRAM-DATE-TIME:2026-11-21T12:00:\(first * 2 < 10 ? "0" : "")\(first * 2).000Z")
    for entry in entries[first..<min(entries.count, available)] { lines += entry.lines }
    return (lines + (isEnded ? ["#EXT-X-ENDLIST"] : [])).joined(separator: "\n") + "\n"
  }

  /// The segments of a playlist of ffmpeg's, as the lines that describe each.
  static func entries(_ folder: TemporaryFolder, _ name: String) -> [(lines: [String], seconds: Double)] {
    let text = String(decoding: folder.bytes("\(name).m3u8") ?? [], as: UTF8.self)
    var found: [(lines: [String], seconds: Double)] = []
    var duration: String?
    for line in text.split(separator: "\n") {
      if line.hasPrefix("#EXTINF:") { duration = String(line) }
      if !line.hasPrefix("#"), let extinf = duration {
        found.append(([extinf, String(line)], Double(extinf.dropFirst(8).prefix { $0 != "," }) ?? 0))
      }
    }
    return found
  }
}
