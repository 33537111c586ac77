import Hardware
import Media
import TestSupport
import Testing

@testable import Streaming

/// Segments of which not all has come: the rest is heard, too, and what is whole is not asked for twice.
@Suite struct BrokenSegmentTests: StreamListening {
  /// A connection that ends where no length was told: what ends in the middle of a packet or a box is asked for once more.
  @Test(arguments: ["ts", "mp4"])
  func aSegmentThatEndsInItsMiddleIsAskedForAgain(_ name: String) throws {
    let source = try Streams.source.get()
    func isSegment(_ path: String) -> Bool { path.hasSuffix(".ts") || path.hasSuffix(".m4s") }
    func half(_ path: String) -> FakeNetwork.Answer? {
      source.folder.bytes(path).map { .bytes(Array($0.prefix($0.count / 376 * 188 + 100))) }
    }
    var asked: Set<String> = []
    let once = play(
      "\(name).m3u8",
      Streams.serve(source.folder) { path, _ in
        isSegment(path) && asked.insert(path).inserted ? half(path) : nil
      })
    #expect(once.programme.status.phase == .ended)
    #expect(difference(once.samples, source.samples) < 1e-6)
    #expect(once.programme.status.lost == 0)
    // Where it is so, it is told, and not asked for again and again.
    let network = Streams.serve(source.folder) { path, _ in isSegment(path) ? half(path) : nil }
    let always = play("\(name).m3u8", network)
    #expect(always.programme.status.phase == .ended)
    #expect(abs(always.frames - source.samples.count / 2) < 3 * 48_000, "\(always.frames)")
    // Half of each is missing.
    #expect((3 * 48_000...9 * 48_000).contains(always.programme.status.lost), "\(always.programme.status.lost)")
    let paths = network.requests.map(\.path).filter(isSegment)
    #expect(paths.count == Set(paths).count + 1)
    var remarks: [String] = []
    while let remark = always.programme.nextRemark() { remarks.append(remark) }
    #expect(remarks.contains { $0.contains("not all of it has come") }, "\(remarks)")
  }

  /// Connections that break again and again, where no length was told: the rest is fetched until all of it is there,
  /// whether the server knows parts or not. What breaks between packets has fewer bytes than those before.
  @Test(arguments: [("ts", 100), ("ts", 0), ("mp4", 100)], [true, false])
  func theRestOfASegmentIsFetchedUntilItIsWhole(_ segments: (String, Int), _ hasRanges: Bool) throws {
    let (name, odd) = segments
    let source = try Streams.source.get()
    var asked: [String: Int] = [:]
    let network = Streams.serve(source.folder) { path, _ in
      guard path.hasSuffix(".ts") || path.hasSuffix(".m4s"), let bytes = source.folder.bytes(path) else { return nil }
      // There is nothing to compare the first one with, and little in the last.
      guard bytes.count > 10_000, odd > 0 || path != "ts0.ts" else { return nil }
      let part = bytes.count / 188 * 35 / 100 * 188 + odd
      let count = asked[path, default: 0]
      asked[path] = count + 1
      let end = hasRanges || count < 2 ? part : nil
      return FakeNetwork.Answer(bytes: bytes, hasLength: false, endsAfter: end, hasRanges: hasRanges)
    }
    let listener = play("\(name).m3u8", network)
    #expect(listener.programme.status.phase == .ended)
    #expect(difference(listener.samples, source.samples) < 1e-6)
    #expect(!asked.isEmpty && asked.values.allSatisfy { (2...4).contains($0) }, "\(asked)")
    #expect(listener.holes.isEmpty)
  }

  /// Connections that break before the length that was told: the rest is asked for, and heard.
  @Test(arguments: [("ts", true), ("ts", false), ("mp4", true), ("mp4", false)])
  func theRestOfWhatWasPromisedIsFetched(_ name: String, _ hasRanges: Bool) throws {
    let source = try Streams.source.get()
    var asked: [String: Int] = [:]
    let network = Streams.serve(source.folder) { path, _ in
      guard path.hasSuffix(".ts") || path.hasSuffix(".m4s") || path.hasSuffix("init.mp4"),
        let bytes = source.folder.bytes(path)
      else { return nil }
      asked[path, default: 0] += 1
      // Between packets: nothing but the server's promise says that there is more.
      let end = bytes.count / 376 * 188
      return FakeNetwork.Answer(bytes: bytes, breaksAfter: asked[path] == 1 ? end : nil, hasRanges: hasRanges)
    }
    let listener = play("\(name).m3u8", network)
    #expect(listener.programme.status.phase == .ended && listener.programme.status.lost == 0)
    #expect(difference(listener.samples, source.samples) < 1e-6)
    #expect(!asked.isEmpty && asked.values.allSatisfy { $0 == 2 }, "\(asked)")
  }

  /// Servers that promise more than they have are not waited for, nor asked again and again.
  @Test func whatWasPromisedAndIsNotThereIsNotWaitedFor() throws {
    let source = try Streams.source.get()
    var asked: Set<String> = []
    let network = Streams.serve(source.folder) { path, _ in
      guard path.hasSuffix(".ts"), let bytes = source.folder.bytes(path) else { return nil }
      guard asked.insert(path).inserted else { return .status(416) }
      return FakeNetwork.Answer(bytes: bytes + [0], breaksAfter: bytes.count)
    }
    let listener = play("ts.m3u8", network)
    #expect(listener.programme.status.phase == .ended && listener.programme.status.lost == 0)
    #expect(difference(listener.samples, source.samples) < 1e-6)
    let paths = network.requests.map(\.path).filter { $0.hasSuffix(".ts") }
    #expect(paths.count <= Set(paths).count + 2, "\(paths)")
  }

  /// One that breaks whenever it is asked for is left out, and told: what lies behind it is there.
  @Test(arguments: [0, 100]) func whatBreaksAlwaysDoesNotEndTheProgramme(_ bytes: Int) throws {
    let source = try Streams.source.get()
    let network = Streams.serve(source.folder) { path, _ in
      guard path == "ts2.ts", let whole = source.folder.bytes(path) else { return nil }
      return FakeNetwork.Answer(bytes: whole, breaksAfter: bytes)
    }
    let listener = play("ts.m3u8", network, seconds: 120)
    #expect(listener.programme.status.phase == .ended)
    #expect(abs(listener.frames - source.samples.count / 2) < 9600, "\(listener.frames)")
    #expect((80_000...110_000).contains(listener.programme.status.lost), "\(listener.programme.status.lost)")
    #expect(network.requests.count { $0.path == "ts2.ts" } < 20)
    var remarks: [String] = []
    while let remark = listener.programme.nextRemark() { remarks.append(remark) }
    #expect(remarks.contains { $0.contains("ts2.ts") }, "\(remarks)")
  }

  /// Half of what stands before all segments would cost all of them.
  @Test func aMapIsNotTakenInPart() throws {
    let source = try Streams.source.get()
    var asked = 0
    let network = Streams.serve(source.folder) { path, _ in
      guard path == "mp4-init.mp4", let bytes = source.folder.bytes(path) else { return nil }
      asked += 1
      return FakeNetwork.Answer(bytes: bytes, breaksAfter: asked < 4 ? bytes.count / 2 : nil)
    }
    let listener = play("mp4.m3u8", network)
    #expect(listener.programme.status.phase == .ended && listener.programme.status.lost == 0)
    #expect(difference(listener.samples, source.samples) < 1e-6)
    #expect(asked == 4, "\(asked)")
  }

  /// Of an encrypted segment of which a server has no more what is there is heard, wherever it ends.
  @Test(arguments: [0, 5]) func ofAnEncryptedOneWhatIsThereIsHeard(_ odd: Int) throws {
    let source = try Streams.source.get()
    let folder = TemporaryFolder()
    folder.put("0123456789abcdef", "key.bin")
    folder.put("key.bin\n\(folder.file("key.bin"))\n", "info")
    try Streams.hls(folder, source.folder.file("source.aac"), "a", ["-hls_key_info_file", folder.file("info")])
    var isAsked = false
    let network = Streams.serve(folder) { path, _ in
      guard path == "a1.ts", let bytes = folder.bytes(path) else { return nil }
      defer { isAsked = true }
      return isAsked ? .status(416) : FakeNetwork.Answer(bytes: bytes, breaksAfter: bytes.count / 32 * 16 + odd)
    }
    let listener = play("a.m3u8", network)
    #expect(listener.programme.status.phase == .ended)
    let lost = Double(listener.programme.status.lost) / 48_000
    // Half of one of them.
    #expect((0.5...1.5).contains(lost), "\(lost)")
  }

  /// What was inflated has no rest that could be put behind it: all of it is asked for once more.
  @Test(arguments: ["ts", "mp4"])
  func whatComesCompressedIsAskedForWhole(_ name: String) throws {
    let source = try Streams.source.get()
    func isSegment(_ path: String) -> Bool { path.hasSuffix(".ts") || path.hasSuffix(".m4s") }
    func packed(_ path: String, isCut: Bool) -> FakeNetwork.Answer? {
      guard isSegment(path), let bytes = source.folder.bytes(path) else { return nil }
      let end = isCut ? bytes.count / 376 * 188 + 100 : nil
      return FakeNetwork.Answer(bytes: bytes, hasLength: false, endsAfter: end, isPacked: true)
    }
    var asked: Set<String> = []
    let network = Streams.serve(source.folder) { path, _ in packed(path, isCut: asked.insert(path).inserted) }
    let once = play("\(name).m3u8", network)
    #expect(once.programme.status.phase == .ended && once.programme.status.lost == 0)
    #expect(difference(once.samples, source.samples) < 1e-6)
    let paths = network.requests.map(\.path).filter(isSegment)
    // There may be little in the last.
    #expect(paths.count <= 2 * Set(paths).count + 1, "\(paths)")
    // Where it is so, it is told, and not asked for again and again.
    let other = Streams.serve(source.folder) { path, _ in packed(path, isCut: true) }
    let always = play("\(name).m3u8", other)
    #expect(always.programme.status.phase == .ended)
    #expect((3 * 48_000...9 * 48_000).contains(always.programme.status.lost), "\(always.programme.status.lost)")
    let again = other.requests.map(\.path).filter(isSegment)
    #expect(again.count <= 2 * Set(again).count, "\(again)")
  }

  /// A server that tells no lengths and breaks nothing is not asked twice for each segment.
  @Test func whereNothingIsMissingLittleIsAskedTwice() throws {
    let source = try Streams.source.get()
    let network = Streams.serve(source.folder) { path, _ in
      source.folder.bytes(path).map { FakeNetwork.Answer(bytes: $0, hasLength: false) }
    }
    let listener = play("ts.m3u8", network)
    #expect(difference(listener.samples, source.samples) < 1e-6)
    let paths = network.requests.map(\.path).filter { $0.hasSuffix(".ts") }
    #expect(paths.count <= Set(paths).count + 1, "\(paths)")
  }

  /// Nor is one whose segments differ much in size, and which knows no parts.
  @Test func segmentsOfUnevenSizeAreNotWaitedFor() throws {
    let source = try Streams.source.get()
    let packet = [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)
    let padding = Array(repeatElement(packet, count: 400).joined())
    let network = Streams.serve(source.folder) { path, _ in
      guard let bytes = source.folder.bytes(path) else { return nil }
      let isLarge = path.hasSuffix("0.ts") || path.hasSuffix("2.ts") || path.hasSuffix("4.ts")
      return FakeNetwork.Answer(bytes: bytes + (isLarge ? padding : []), hasLength: false, hasRanges: false)
    }
    let listener = play("ts.m3u8", network)
    #expect(difference(listener.samples, source.samples) < 1e-6)
    #expect(listener.programme.status.lost == 0)
    let paths = network.requests.map(\.path).filter { $0.hasSuffix(".ts") }
    #expect(paths.count <= Set(paths).count + 2, "\(paths)")
  }

  /// A stream that was cut anywhere has sound of which one segment has the beginning and the next one the rest: it is heard,
  /// as long as both are there.
  @Test(arguments: [13, 40], [nil, 5] as [Int?]) func whereverAStreamIsCutNothingIsLost(_ count: Int, _ gone: Int?)
    throws
  {
    let source = try Streams.source.get()
    let folder = TemporaryFolder()
    try ffmpeg(folder, ["-i", source.folder.file("source.aac"), "-c", "copy", "all.ts"])
    let bytes = folder.bytes("all.ts") ?? []
    let size = bytes.count / 188 / count * 188
    let pieces = (0..<count).map { index in
      Array(bytes[(index * size)..<(index == count - 1 ? bytes.count : (index + 1) * size)])
    }
    let seconds = 12 / Double(count)
    let lines = (0..<count).map { "#EXTINF:\(seconds),\n\($0).ts\n" }.joined()
    let network = FakeNetwork()
    network.server = { path, _ in
      if path == "x.m3u8" { return .text("#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(lines)#EXT-X-ENDLIST\n") }
      guard let index = Int(path.dropLast(3)), index != gone else { return nil }
      return .bytes(pieces[index])
    }
    let listener = play("x.m3u8", network)
    #expect(listener.programme.status.phase == .ended && listener.holes.isEmpty)
    let lost = Double(listener.programme.status.lost) / 48_000
    if gone == nil {
      #expect(lost == 0)
      #expect(difference(listener.samples, source.samples) < 1e-6)
    } else {
      // With it goes the end of the packet before it, and the beginning of the one behind it.
      #expect((seconds / 2...seconds + 0.5).contains(lost), "\(lost)")
      #expect(abs(listener.frames - source.samples.count / 2) < 4096, "\(listener.frames)")
    }
  }

  @Test func anEndInTheMiddleIsSeen() {
    let packets: [UInt8] = (0..<940).map { $0 % 188 == 0 ? 0x47 : 1 }
    var boxes: [UInt8] = [0, 0, 0, 16]
    boxes += Array("moof12345678".utf8)
    boxes += [0, 0, 0, 9]
    boxes += Array("mdat.".utf8)
    for (whole, step) in [(packets, 188), (boxes, 16)] {
      for count in (whole.count / 2 + 1)...whole.count {
        let isWhole = count == whole.count || count % step == 0
        #expect(SegmentEnd.isCut(Array(whole.prefix(count))) != isWhole, "\(count)")
      }
    }
    for other in ["", "RIFF....WAVE", "<html>", "\u{0}\u{0}"] { #expect(!SegmentEnd.isCut(Array(other.utf8))) }
  }
}
