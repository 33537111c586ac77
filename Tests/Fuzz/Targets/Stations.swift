import Hardware
import Media
import TestSupport

@testable import Streaming

extension FuzzTarget {
  /// What a web radio station sends: sound with titles in it. The last byte says how many bytes, in sixteens, are between
  /// titles; 0: there are none.
  static let radio = FuzzTarget("radio", .media, make: { Stations.valid(&$0) }) { bytes in
    let interval = Int(bytes.last ?? 0) * 16
    let body = Array(bytes.dropLast())
    return listen(body, interval: interval > 0 ? interval : nil) ?? play(body)
  }

  /// Titles parted from the sound, and the sound decoded as it comes.
  private static func listen(_ body: [UInt8], interval: Int?) -> String? {
    var splitter = TitleSplitter(interval: interval)
    var (seconds, heard) = (0.0, 0)
    var sound: SoundStream?
    for place in stride(from: 0, to: body.count, by: 333) {
      let pieces = splitter.split(Array(body[place..<min(body.count, place + 333)]))
      for title in pieces.compactMap(\.title) where title.unicodeScalars.count > 200 || title.shown != title {
        return "a title of \(title.shown)"
      }
      let found = pieces.flatMap(\.sound)
      heard += found.count
      if sound == nil, let kind = SoundStream.Kind(beginning: found, contentType: "audio/mpeg") {
        sound = try? SoundStream(kind, name: "s")
      }
      sound?.feed(found)
      while let samples = try? sound?.next() { seconds += Double(samples.count) / 96_000 }
    }
    sound?.end()
    while let samples = try? sound?.next() { seconds += Double(samples.count) / 96_000 }
    guard heard <= body.count else { return "\(heard) bytes of sound in \(body.count)" }
    return seconds < 4000 ? nil : "\(seconds) s of sound"
  }

  /// The same from its address on.
  private static func play(_ body: [UInt8]) -> String? {
    let network = FuzzNetwork { $0 == "http://h/" ? body : nil }
    let programme = StreamProgramme(url: "http://h/", network: network, wake: {})
    var now = Instant.zero
    var end = 0
    for _ in 0..<60 {
      let wake = programme.step(now: now)
      while let block = programme.nextSound() {
        guard block.start >= end else { return "sound goes back from \(end) to \(block.start)" }
        end = block.start + block.frames
      }
      if case .failed = programme.status.phase { break }
      now = max(now + .milliseconds(20), min(wake ?? now, now + .seconds(4)))
    }
    programme.close()
    return nil
  }
}

enum Stations {
  /// ADTS with a title.
  static func valid(_ dice: inout SeededGenerator) -> [UInt8]? {
    let sixteens = 1 + dice.below(20)
    var bytes: [UInt8] = []
    var left = 16 * sixteens
    for byte in Playlists.segment {
      bytes.append(byte)
      left -= 1
      guard left == 0 else { continue }
      left = 16 * sixteens
      let words = dice.chance(2) ? Array("StreamTitle='\(dice.text(upTo: 30))';".utf8) : []
      bytes.append(UInt8((words.count + 15) / 16))
      bytes += words + [UInt8](repeating: 0, count: (16 - words.count % 16) % 16)
    }
    return bytes + [UInt8(sixteens)]
  }
}
