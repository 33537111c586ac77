import Hardware
import TestSupport
import Testing

@testable import Streaming

/// What stands before all segments (EXT-X-MAP), as strangers have it.
@Suite struct StrangersMapTests {
  private func play(_ url: String, _ network: FakeNetwork) -> Listener {
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + url, network: network) {}, network)
    listener.run(60)
    return listener
  }

  /// Packed sound needs none, and is heard.
  @Test(arguments: [("aac", false), ("aac", true), ("mp3", false), ("mp3", true), ("ac3", false)])
  func packedSoundBehindItIsHeard(_ kind: String, _ isTagged: Bool) throws {
    let source = try Streams.source.get()
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(6) + ["-f", "segment", "-segment_time", "2", "s%d.\(kind)"])
    let lines = (0..<3).map { "#EXTINF:2,\ns\($0).\(kind)\n" }.joined()
    let list = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MAP:URI=\"mp4-init.mp4\"\n\(lines)#EXT-X-ENDLIST\n"
    // A tag of ten bytes with nothing in it.
    let tag: [UInt8] = isTagged ? Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 0] : []
    let network = FakeNetwork()
    network.server = { path, _ in
      if path == "x.m3u8" { return .text(list) }
      if path == "mp4-init.mp4" { return source.folder.bytes(path).map { .bytes($0) } }
      return folder.bytes(path).map { .bytes(tag + $0) }
    }
    let listener = play("x.m3u8", network)
    #expect(listener.programme.status.phase == .ended)
    #expect(listener.holes.isEmpty)
    #expect(abs(listener.frames - 6 * 48_000) < 14_400, "\(listener.frames)")
    let samples = listener.samples
    #expect((samples.reduce(0) { $0 + $1 * $1 } / Float(max(1, samples.count))).squareRoot() > 0.2)
  }

  /// Of a transport stream its tables (RFC 8216 section 3.2), which its segments have not.
  @Test(arguments: [false, true]) func theTablesOfATransportStreamAreRead(_ areInSegments: Bool) throws {
    let source = try Streams.source.get()
    /// Those packets of a segment that are tables, or those that are none.
    func packets(_ name: String, areTables: Bool) -> [UInt8] {
      let bytes = source.folder.bytes(name) ?? []
      return stride(from: 0, to: bytes.count - 187, by: 188).flatMap { start in
        let id = Int(bytes[start + 1] & 0x1F) << 8 | Int(bytes[start + 2])
        return [0, 0x1000].contains(id) == areTables ? Array(bytes[start..<(start + 188)]) : []
      }
    }
    let network = Streams.serve(source.folder) { path, _ in
      if path == "tables.ts" { return .bytes(Array(packets("ts0.ts", areTables: true).prefix(376))) }
      if path.hasSuffix(".ts") { return areInSegments ? nil : .bytes(packets(path, areTables: false)) }
      let list = String(decoding: source.folder.bytes(path) ?? [], as: UTF8.self)
      return .text(list.replacing("#EXT-X-MEDIA-SEQUENCE", with: "#EXT-X-MAP:URI=\"tables.ts\"\n#EXT-X-MEDIA-SEQUENCE"))
    }
    let listener = play("ts.m3u8", network)
    #expect(listener.programme.status.phase == .ended && listener.programme.status.lost == 0)
    #expect(difference(listener.samples, source.samples) < 1e-6)
  }

  /// A connection that breaks where no length was told.
  @Test(arguments: [1, 2, 99])
  func halfOfItIsNotKept(_ breaks: Int) throws {
    let source = try Streams.source.get()
    var asked = 0
    let network = Streams.serve(source.folder) { path, _ in
      guard path == "mp4-init.mp4", let bytes = source.folder.bytes(path) else { return nil }
      asked += 1
      // Where it breaks again and again, it does at the same place.
      let end = bytes.count / 2 + (breaks < 99 ? asked : 0)
      return FakeNetwork.Answer(bytes: bytes, hasLength: false, endsAfter: asked <= breaks ? end : nil)
    }
    let listener = play("mp4.m3u8", network)
    if breaks < 99 {
      #expect(listener.programme.status.phase == .ended)
      #expect(difference(listener.samples, source.samples) < 1e-6)
      #expect(listener.programme.status.lost == 0)
      #expect(asked == breaks + 1, "\(asked)")
    } else {
      // Nobody is asked for ever.
      #expect(asked == 2, "\(asked)")
      guard case .failed = listener.programme.status.phase else {
        return #expect(Bool(false), "\(listener.programme.status.phase)")
      }
    }
  }
}
