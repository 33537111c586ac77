import Hardware
import TestSupport
import Testing

@testable import Streaming

/// Whole streams that ffmpeg made, their sound compared with what ffmpeg decodes.
@Suite struct VODTests {
  private func play(_ name: String, _ options: HLSOptions = HLSOptions(), _ network: FakeNetwork) -> Listener {
    let programme = StreamProgramme(url: FakeNetwork.host + name, network: network, options: options) {}
    let listener = Listener(programme, network)
    listener.run(120)
    return listener
  }

  @Test(arguments: ["ts.m3u8", "mp4.m3u8"], [1, 2, 3])
  func everySampleComesOnceAndInItsPlace(_ name: String, _ segments: Int) throws {
    let source = try Streams.source.get()
    let listener = play(name, HLSOptions(segments: segments), Streams.serve(source.folder))
    #expect(listener.programme.status.phase == .ended)
    #expect(listener.holes.isEmpty)
    #expect(listener.blocks.first?.start == 0)
    #expect(listener.frames == source.samples.count / 2)
    #expect(difference(listener.samples, source.samples) < 1e-6)
    #expect(listener.programme.status.length == listener.frames)
    #expect(listener.mostSegments <= segments)
    #expect(listener.mostDecoded <= 2 * 48_000 + 2048)
    #expect(Set(listener.blocks.map(\.epoch)) == [0])
  }

  @Test func encryptedSegmentsSoundLikePlainOnes() throws {
    let source = try Streams.source.get()
    let folder = TemporaryFolder()
    folder.put("0123456789abcdef", "key.bin")
    folder.put("key.bin\n\(folder.file("key.bin"))\n", "info")
    folder.put("key.bin\n\(folder.file("key.bin"))\n000102030405060708090a0b0c0d0e0f\n", "info-iv")
    for (name, info) in [("a", "info"), ("b", "info-iv")] {
      try Streams.hls(folder, source.folder.file("source.aac"), name, ["-hls_key_info_file", info])
      let network = Streams.serve(folder)
      let listener = play("\(name).m3u8", HLSOptions(), network)
      #expect(difference(listener.samples, source.samples) < 1e-6)
      #expect(network.requests.filter { $0.path == "key.bin" }.count == 1)
    }
    // Another key: nothing fits, and nothing traps.
    let wrong = Streams.serve(folder) { path, _ in path == "key.bin" ? .text("fedcba9876543210") : nil }
    let listener = play("a.m3u8", HLSOptions(), wrong)
    #expect(listener.samples.isEmpty)
    guard case .failed(let fault) = listener.programme.status.phase else {
      return #expect(Bool(false), "silence was called playing")
    }
    #expect(fault.code == "encrypted" && fault.text.contains("key"))
  }

  @Test func byteRangesOfOneFileAreFetched() throws {
    let source = try Streams.source.get()
    let folder = TemporaryFolder()
    try Streams.hls(folder, source.folder.file("source.aac"), "one", ["-hls_flags", "single_file"])
    let text = String(decoding: try #require(folder.bytes("one.m3u8")), as: UTF8.self)
    #expect(text.contains("#EXT-X-BYTERANGE"))
    #expect(difference(play("one.m3u8", HLSOptions(), Streams.serve(folder)).samples, source.samples) < 1e-6)
  }

  @Test func anotherRateAndLayoutIsConvertedWithoutAJoin() throws {
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(8, rate: 44_100) + ["-c:a", "aac", "-aac_pns", "0", "s.aac"])
    try Streams.hls(folder, "s.aac", "a")
    let expected = try reference(folder, "s.aac")
    let listener = play("a.m3u8", HLSOptions(), Streams.serve(folder))
    #expect(abs(listener.frames - expected.count / 2) <= 1)
    #expect(listener.holes.isEmpty)
    let shorter = min(listener.samples.count, expected.count)
    #expect(difference(listener.samples.prefix(shorter), expected.prefix(shorter)) < 1e-4)
  }

  @Test func mp3AndPackedAudioArePlayed() throws {
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(6) + ["-c:a", "libmp3lame", "-write_xing", "0", "-id3v2_version", "0", "s.mp3"])
    try Streams.hls(folder, "s.mp3", "a")
    // ffmpeg cuts what the encoder put before; the stream's segments say nothing about it.
    let expected = try reference(folder, "s.mp3", ["-flags2", "skip_manual"])
    let listener = play("a.m3u8", HLSOptions(), Streams.serve(folder))
    #expect(listener.frames == expected.count / 2)
    #expect(difference(listener.samples, expected) < 1e-5)

    // Packed AAC: frames cut into three files behind ID3 time stamps (RFC 8216 section 3.4).
    let source = try Streams.source.get()
    let frames = adtsFrames(try #require(source.folder.bytes("source.aac")))
    var playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:5\n"
    var parts: [String: [UInt8]] = [:]
    for (index, start) in stride(from: 0, to: frames.count, by: 200).enumerated() {
      let part = frames[start..<min(start + 200, frames.count)]
      // A fold at 2^33 in the middle.
      let time = UInt64((1 << 33) - 400_000 + start * 1024 * 15 / 8) & ((1 << 33) - 1)
      parts["p\(index).aac"] = id3(time) + part.flatMap { $0 }
      playlist += "#EXTINF:\(Double(part.count * 1024) / 48_000),\np\(index).aac\n"
    }
    parts["p.m3u8"] = Array((playlist + "#EXT-X-ENDLIST\n").utf8)
    let served = parts
    let network = FakeNetwork()
    network.server = { path, _ in served[path].map { .bytes($0) } }
    let packed = play("p.m3u8", HLSOptions(), network)
    #expect(difference(packed.samples, source.samples) < 1e-6)
    #expect(Set(packed.blocks.map(\.epoch)) == [0])
  }

  @Test func aSeekLandsOnTheVerySample() throws {
    let source = try Streams.source.get()
    for name in ["ts.m3u8", "mp4.m3u8"] {
      let network = Streams.serve(source.folder)
      let programme = StreamProgramme(url: FakeNetwork.host + name, network: network) {}
      let first = Listener(programme, network)
      first.run(60) { $0.frames > 48_000 * 3 }
      for target in [48_000 * 9 + 123, 77_777, 0] {
        programme.seek(to: target)
        let listener = Listener(programme, network)
        listener.run(60) { $0.frames > 48_000 * 2 }
        #expect(listener.blocks.first?.start == target, "\(name)")
        #expect(listener.holes.isEmpty)
        // The first frame of a segment lacks the overlap with the one before.
        let skipped = 2 * 2048
        let samples = listener.samples.dropFirst(skipped)
        let begin = 2 * target + skipped
        #expect(difference(samples, source.samples[begin..<(begin + samples.count)]) < 1e-6, "\(name) \(target)")
      }
      programme.seek(to: 0)
      let whole = Listener(programme, network)
      whole.run(60)
      #expect(whole.frames == source.samples.count / 2)
    }
  }

  /// A call decodes so much sound; behind the last of it pictures may stand without end.
  @Test func manyPicturesWithoutSoundAreTakenInSteps() throws {
    let folder = TemporaryFolder()
    try ffmpeg(
      folder,
      [
        "-f", "lavfi", "-i", "color=size=32x32:rate=240:duration=10", "-f", "lavfi", "-i", "sine=duration=1",
        "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac", "-f", "hls", "-hls_time", "20",
        "-hls_playlist_type", "vod", "-hls_segment_filename", "many%d.ts", "many.m3u8",
      ])
    let listener = play("many.m3u8", HLSOptions(pictures: true), Streams.serve(folder))
    #expect(listener.pictures.count == 2400)
    #expect(listener.mostPictures <= 512)
  }

  @Test func picturesComeWithTheSoundTheyBelongTo() throws {
    let folder = TemporaryFolder()
    try ffmpeg(
      folder,
      ["-f", "lavfi", "-i", "testsrc=s=64x48:r=25:d=6"] + tones(6) + [
        "-c:v", "libx264", "-preset", "ultrafast", "-g", "50", "-pix_fmt", "yuv420p", "-c:a", "aac", "-aac_pns", "0",
        "s.mp4",
      ])
    try Streams.hls(folder, "s.mp4", "a")
    try Streams.hls(folder, "s.mp4", "b", ["-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "b.mp4"])
    for name in ["a", "b"] {
      let listener = play("\(name).m3u8", HLSOptions(pictures: true), Streams.serve(folder))
      #expect(listener.pictures.count == 150, "\(name)")
      #expect(listener.pictures.filter(\.isKeyframe).count == 3)
      #expect(
        listener.pictures.allSatisfy { $0.bytes.starts(with: [0, 0, 0, 1]) || $0.bytes.starts(with: [0, 0, 1]) })
      let starts = listener.pictures.map(\.start).sorted()
      #expect(zip(starts, starts.dropFirst()).allSatisfy { abs($1 - $0 - 1920) <= 1 }, "\(name)")
      // The sound begins with the encoder's 1024 frames before the first picture.
      #expect((1000...1030).contains(starts[0]), "\(name): \(starts[0])")
      // Without pictures, none are made.
      #expect(play("\(name).m3u8", HLSOptions(), Streams.serve(folder)).pictures.isEmpty)
    }
  }

  /// The frames of an ADTS stream (ISO/IEC 13818-7, 6.2).
  private func adtsFrames(_ bytes: [UInt8]) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    var place = 0
    while place + 7 <= bytes.count {
      let size = Int(bytes[place + 3] & 3) << 11 | Int(bytes[place + 4]) << 3 | Int(bytes[place + 5]) >> 5
      frames.append(Array(bytes[place..<min(bytes.count, place + max(7, size))]))
      place += max(7, size)
    }
    return frames
  }

  private func id3(_ time: UInt64) -> [UInt8] {
    let owner = Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]
    let content = owner + (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) }
    let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(content.count), 0, 0] + content
    return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
  }
}
