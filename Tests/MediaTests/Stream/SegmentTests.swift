import Foundation
import TestSupport
import Testing

@testable import Media

@Suite struct SegmentTests {
  /// A second of sound and pictures as one segment.
  private static let segments: Result<(ts: [UInt8], head: [UInt8], mp4: [UInt8]), any Error> = Result {
    let folder = TemporaryFolder()
    let source = [
      "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x48:r=10:d=2", "-f", "lavfi", "-i",
      "sine=f=440:r=48000:d=2", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac",
    ]
    try Tool.run("ffmpeg", source + [folder.file("a.ts")])
    try Tool.run(
      "ffmpeg",
      source + [
        "-f", "hls", "-hls_time", "10", "-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "i.mp4",
        "-hls_segment_filename", folder.file("b%d.m4s"), folder.file("b.m3u8"),
      ])
    func bytes(_ name: String) throws -> [UInt8] {
      Array(try Data(contentsOf: URL(fileURLWithPath: folder.file(name))))
    }
    return (try bytes("a.ts"), try bytes("i.mp4"), try bytes("b0.m4s"))
  }

  @Test func whatOpenSSLEncryptsIsDecrypted() throws {
    let folder = TemporaryFolder()
    let key = "000102030405060708090a0b0c0d0e0f"
    let vector = "f0e0d0c0b0a090807060504030201000"
    func bytes(_ text: String) -> [UInt8] {
      stride(from: 0, to: 32, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
    }
    for size in [0, 1, 15, 16, 17, 1000] {
      let plain = (0..<size).map { UInt8(truncatingIfNeeded: $0 * 7) }
      let path = folder.put(plain, "plain")
      var secret = Array(try Tool.run("openssl", ["enc", "-aes-128-cbc", "-K", key, "-iv", vector, "-in", path]).data)
      try SegmentCipher.decrypt(&secret, key: bytes(key), vector: bytes(vector), name: "s")
      #expect(secret == plain)
    }
    // Of one that broke off what is there is read, wherever that was; a padding that came is none of it.
    let plain = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let path = folder.put(plain, "plain")
    let whole = Array(try Tool.run("openssl", ["enc", "-aes-128-cbc", "-K", key, "-iv", vector, "-in", path]).data)
    for (size, read) in [(512, 512), (520, 512), (whole.count, 1000)] {
      var cut = Array(whole.prefix(size))
      try SegmentCipher.decrypt(&cut, key: bytes(key), vector: bytes(vector), name: "s", isCut: true)
      #expect(cut == Array(plain.prefix(read)), "\(size)")
    }
    for wrong in [[], [UInt8](repeating: 1, count: 15), [UInt8](repeating: 0, count: 32)] {
      var secret = wrong
      #expect(throws: MediaError.self) {
        try SegmentCipher.decrypt(&secret, key: bytes(key), vector: bytes(vector), name: "segment-7")
      }
    }
  }

  private func decode(_ decoder: StreamDecoder, _ bytes: [UInt8], _ head: [UInt8]) throws -> (
    frames: Int, pictures: Int
  ) {
    var frames = 0
    var pictures = 0
    try decoder.begin(bytes, initialization: head, name: "segment-7")
    while let piece = try decoder.next() {
      switch piece {
      case .sound(let sound): frames += sound.frames
      case .picture: pictures += 1
      case .jump: break
      }
    }
    return (frames, pictures)
  }

  /// A station's cover may be megabytes; it is stepped over, and the time is looked for in front of it only.
  @Test func tagsAreSteppedOverAndNotReadWhole() {
    func tag(_ frames: [UInt8]) -> [UInt8] {
      Array("ID3".utf8) + [4, 0, 0] + [21, 14, 7, 0].map { UInt8(frames.count >> $0 & 0x7F) } + frames
    }
    func frame(_ name: String, _ content: [UInt8]) -> [UInt8] {
      Array(name.utf8) + [21, 14, 7, 0].map { UInt8(content.count >> $0 & 0x7F) } + [0, 0] + content
    }
    let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)
    let time = frame("PRIV", owner + [0, 0, 0, 0, 0, 1, 0x5F, 0x90])
    let sound: [UInt8] = [0xFF, 0xF1, 0x50, 0x80, 0, 0x1F, 0xFC, 0, 0, 0, 0, 0]
    for (pictures, expected) in [(1000, Int64(90_000)), (200_000, nil)] {
      let bytes = tag(frame("APIC", [UInt8](repeating: 1, count: pictures)) + time) + sound
      let shape = SegmentShape(bytes, hasInitialization: false)
      #expect(shape?.demuxer == "aac" && shape?.offset == bytes.count - sound.count)
      #expect(shape?.time == expected)
    }
  }

  /// What is cut anywhere, or has something before it, is found by what it goes on with.
  @Test func theFirstWholePacketOrFrameIsFound() throws {
    let folder = TemporaryFolder()
    let tone = ["-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=f=440:r=48000:d=2"]
    let kinds = [
      ("mpegts", "a.ts", ["-c:a", "aac"]), ("aac", "a.aac", ["-c:a", "aac"]), ("mp3", "a.mp3", ["-c:a", "libmp3lame"]),
      ("mp3", "half.mp3", ["-c:a", "libmp3lame", "-ar", "22050"]), ("mp3", "a.mp2", ["-c:a", "mp2"]),
      ("mpegts", "m2.ts", ["-c:a", "aac", "-mpegts_m2ts_mode", "1"]),
    ]
    for (demuxer, name, options) in kinds {
      try Tool.run("ffmpeg", tone + options + [folder.file(name)])
      let bytes = try #require(folder.bytes(name))
      let zeros = [UInt8](repeating: 0, count: 1000)
      for changed in [zeros + bytes, Array(bytes.dropFirst(701)), Array("<p>".utf8) + bytes.dropFirst(3)] {
        let shape = SegmentShape(changed, hasInitialization: false)
        #expect(shape?.demuxer == demuxer, "\(name)")
        #expect((shape?.offset ?? .max) < 3000, "\(name)")
        var frames = 0
        let decoder = try StreamDecoder(pictures: false)
        try decoder.begin(changed, initialization: [], name: name)
        while let piece = try decoder.next() { if case .sound(let sound) = piece { frames += sound.frames } }
        // With its tables, a tenth of a second may be cut off.
        #expect(frames > 80_000, "\(name)")
      }
      // Farther behind it is not looked for.
      let far = [UInt8](repeating: 0, count: FrameSync.mostBytes)
      #expect(SegmentShape(far + bytes, hasInitialization: false) == nil, "\(name)")
    }
  }

  @Test func whatIsNoSoundIsNotTakenForIt() {
    let page = "<html><body>" + String(repeating: "Große Größe, GGGG\n", count: 4000)
    let letters = String(repeating: "G", count: 100_000)
    #expect(SegmentShape(Array(page.utf8), hasInitialization: false) == nil)
    #expect(FrameSync.find(Array(letters.utf8)[...]) == nil)
    for seed in 1...20 as ClosedRange<UInt64> {
      var dice = SeededGenerator(seed: seed)
      let noise = (0..<70_000).map { _ in UInt8.random(in: 0...255, using: &dice) }
      let found = FrameSync.find(noise[...])
      #expect(found?.place == nil)
    }
    // As many beginnings as there are bytes cost no more than they are.
    let beginnings = [UInt8](repeating: 0x47, count: 100_000) + [0]
    let clock = ContinuousClock()
    let taken = clock.measure {
      for byte in [0x47, 0xFF, 0xFB] as [UInt8] {
        _ = FrameSync.find([UInt8](repeating: byte, count: 100_000)[...])
      }
      _ = FrameSync.find(beginnings[...])
    }
    #expect(taken < .seconds(2), "\(taken)")
  }

  @Test func bothContainersGiveTheSame() throws {
    let made = try Self.segments.get()
    for (bytes, head) in [(made.ts, []), (made.mp4, made.head)] {
      let found = try decode(try StreamDecoder(pictures: true), bytes, head)
      #expect(found.pictures == 20)
      #expect(abs(found.frames - 96_000) <= 2048)
    }
  }

  @Test func damagedSegmentsAreErrorsThatNameThemOrSilence() throws {
    let made = try Self.segments.get()
    var dice = SeededGenerator(seed: 5)
    let decoder = try StreamDecoder(pictures: true)
    var errors = 0
    for round in 0..<600 {
      var (bytes, head) = round % 2 == 0 ? (made.ts, []) : (made.mp4, made.head)
      if round % 3 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &dice)) }
      for _ in 0..<Int.random(in: 0..<40, using: &dice) where !bytes.isEmpty {
        // Near the beginning as often as anywhere: there the structure is.
        let most = Bool.random(using: &dice) ? bytes.count : min(bytes.count, 800)
        bytes[Int.random(in: 0..<most, using: &dice)] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
      }
      if !head.isEmpty, round % 5 == 0 { head[Int.random(in: 0..<head.count, using: &dice)] ^= 0x55 }
      do {
        let found = try decode(decoder, bytes, head)
        // Silence for gaps is bounded too.
        #expect(found.frames < 48_000 * 3700)
      } catch let error as MediaError {
        errors += 1
        #expect(error.subject == "segment-7")
      }
      if round % 10 == 0 { decoder.reset() }
    }
    #expect(errors > 0)
    #expect(throws: MediaError.self) { try decoder.begin([], initialization: [], name: "segment-7") }
  }
}
