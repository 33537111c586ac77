import Foundation
import TestSupport
import Testing

@testable import Media

/// Streams that are made to cost more than they have bytes.
@Suite struct StrangersFeedTests {
  private static func size(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private static func box(_ type: String, _ content: [UInt8] = []) -> [UInt8] {
    size(8 + content.count) + Array(type.utf8) + content
  }

  private func place(_ type: String, in bytes: [UInt8], from start: Int = 0) throws -> Int {
    try #require((start..<bytes.count - 4).first { bytes[$0..<$0 + 4].elementsEqual(type.utf8) })
  }

  /// What comes before the first fragment.
  private func headOfFragments() throws -> [UInt8] {
    let whole = try ReferenceFile.take(units: [9], end: nil).bytes
    return Array(whole[..<(try place("moof", in: whole) - 4)])
  }

  @Test func `a film has one head, however many come`() throws {
    let folder = TemporaryFolder()
    let path = folder.file("film.mp4")
    try Tool.succeed(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "sine=440:d=2", "-c:a", "aac", "-movflags",
        "empty_moov+default_base_moof", "-frag_duration", "500000", path,
      ])
    let whole = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    let head = Array(whole[..<(try place("moof", in: whole) - 4)])
    let stream = try SoundStream(.movie, name: "film")
    stream.feed(head)
    #expect(try stream.next() == nil)
    let again = Self.box("moov", Self.box("free", [UInt8](repeating: 0, count: 1008)))
    // More of them than a head may be long.
    for _ in 0..<13 {
      stream.feed([UInt8](Array(repeating: again, count: 1024).joined()))
      #expect(try stream.next() == nil)
    }
    stream.feed(Array(whole[head.count...]))
    #expect(try stream.next()?.isEmpty == false)
  }

  @Test func `a large head is not read again for each of a thousand small fragments`() throws {
    var head = try headOfFragments()
    let movie = try place("moov", in: head) - 4
    let count = head[movie..<movie + 4].reduce(0) { $0 << 8 | Int($1) }
    let filling = Self.box("free", [UInt8](repeating: 0, count: 1 << 20))
    head.insert(contentsOf: filling, at: movie + count)
    head.replaceSubrange(movie..<movie + 4, with: Self.size(count + filling.count))
    let stream = try SoundStream(.movie, name: "film")
    stream.feed(head)
    #expect(try stream.next() == nil)
    let small = Self.box("moof") + Self.box("free")
    let error = #expect(throws: MediaError.self) {
      stream.feed([UInt8](Array(repeating: small, count: 20_000).joined()))
      _ = try stream.next()
    }
    #expect(error?.reason.contains("fragments that are so small") == true)
  }

  @Test func `of a title no more is kept than anybody shows`() throws {
    let folder = TemporaryFolder()
    let path = folder.file("a.opus")
    try Tool.succeed(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "sine=440:d=1", "-metadata",
        "title=" + String(repeating: "long ", count: 20_000), "-metadata", "artist=Band", path,
      ])
    let stream = try SoundStream(.ogg, name: "a.opus")
    stream.feed(Array(try Data(contentsOf: URL(fileURLWithPath: path))))
    #expect(try stream.next()?.isEmpty == false)
    #expect(stream.title.hasPrefix("Band - long long"))
    #expect(stream.title.utf8.count <= 2100)
  }

  @Test func `what a decoder has to know is not looked at with every packet, if it is a megabyte`() throws {
    let folder = TemporaryFolder()
    let path = folder.file("a.mp4")
    try Tool.succeed(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "sine=440:d=1", "-c:a", "alac", "-movflags",
        "empty_moov+default_base_moof+frag_keyframe", path,
      ])
    for (more, isPlayed) in [(0, true), (1 << 20, false)] {
      var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
      var places = try ["moov", "trak", "mdia", "minf", "stbl", "stsd", "alac"].map { try place($0, in: bytes) - 4 }
      places.append(try place("alac", in: bytes, from: (places.last ?? 0) + 8) - 4)
      let last = places[places.count - 1]
      let end = last + bytes[last..<last + 4].reduce(0) { $0 << 8 | Int($1) }
      bytes.insert(contentsOf: [UInt8](repeating: 0, count: more), at: end)
      for place in places {
        let count = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        bytes.replaceSubrange(place..<place + 4, with: Self.size(count + more))
      }
      let decoder = try StreamDecoder(pictures: false)
      var (frames, reason) = (0, "")
      do throws(MediaError) {
        try decoder.begin(bytes, initialization: [], name: "a.mp4")
        while let piece = try decoder.next() {
          if case .sound(let sound) = piece { frames += sound.samples.count / 2 }
        }
      } catch { reason = "\(error)" }
      #expect((frames > 0) == isPlayed, "\(reason)")
      #expect(reason.isEmpty == isPlayed, "\(reason)")
    }
  }

  @Test func `a film of millions of years has no length that a number of frames can hold, and so none`() throws {
    let folder = TemporaryFolder()
    let path = folder.file("a.m4a")
    try Tool.succeed(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "sine=440:d=1", "-c:a", "aac", "-movflags", "+faststart", path])
    var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    let count = Self.size(91_000)
    func put(_ words: [UInt8], _ type: String, at offset: Int) throws {
      let start = try place(type, in: bytes) + 4 + offset
      bytes.replaceSubrange(start..<start + words.count, with: words)
    }
    try put(Self.size(1), "mdhd", at: 12)
    // One run of them, of the longest steps; one chunk; one size for all.
    try put(Self.size(1) + count + [0x7F, 0xFF, 0xFF, 0xFF], "stts", at: 4)
    try put(Self.size(1) + Self.size(1) + count, "stsc", at: 4)
    try put(Self.size(1) + count, "stsz", at: 4)
    let stream = try SoundStream(.movie, name: "a.m4a", length: bytes.count)
    stream.feed(bytes)
    _ = try stream.next()
    #expect(stream.seconds ?? 0 <= 1e9)
    #expect(stream.seek(to: 1e12)?.seconds ?? 0 <= 1e9)
  }
}
