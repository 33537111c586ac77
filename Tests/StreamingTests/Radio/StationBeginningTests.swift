import Hardware
import TestSupport
import Testing

@testable import Media
@testable import Streaming

/// What a station sends is known by its bytes, in whatever pieces they come and whatever it is called.
@Suite struct StationBeginningTests: StreamListening {
  private static let sounds: Result<TemporaryFolder, any Error> = Result {
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(20) + ["-c:a", "aac", "-b:a", "128k", "a.aac"])
    try ffmpeg(folder, tones(20) + ["-c:a", "libmp3lame", "-b:a", "128k", "a.mp3"])
    try ffmpeg(folder, tones(20) + ["-c:a", "aac", "-b:a", "16k", "-ar", "16000", "-ac", "1", "low.aac"])
    try ffmpeg(folder, tones(20) + ["-c:a", "libmp3lame", "-b:a", "32k", "-ar", "22050", "-ac", "1", "low.mp3"])
    return folder
  }

  /// A station in the midst of a frame, of which a few bytes come first.
  private func station(_ name: String, _ type: String, first: Int) throws -> FakeNetwork.Answer {
    let bytes = try #require(try Self.sounds.get().bytes(name))
    return FakeNetwork.Answer(
      bytes: Array(bytes.dropFirst(bytes.count / 10 + 7)), contentType: type, hasLength: false, isStation: true,
      pace: (first, Double(bytes.count) / 20))
  }

  @Test(
    arguments: [
      ("a.aac", "audio/mpeg"), ("a.mp3", "application/ogg"), ("a.mp3", "audio/aac"), ("a.aac", ""), ("a.mp3", ""),
      ("low.aac", "audio/mpeg"), ("low.mp3", "application/ogg"),
    ], [20, 200, 600, 1400])
  func `it is heard whatever it is called, and however little comes first`(
    of: (name: String, type: String), first: Int
  ) throws {
    let answer = try station(of.name, of.type, first: first)
    let network = FakeNetwork()
    network.server = { _, _ in answer }
    let listener = play("x", network, seconds: 8)
    #expect(listener.frames > 6 * 48_000, "\(listener.frames), \(listener.programme.status.phase)")
    #expect(loudness(listener) > 0.1)
  }

  /// What its bytes tell is not waited for, at the lowest rates neither.
  @Test(arguments: [("low.aac", "audio/aac"), ("low.aac", "audio/mpeg"), ("low.mp3", "audio/mpeg")])
  func `a slow station is heard at once`(name: String, type: String) throws {
    let answer = try station(name, type, first: 20)
    let network = FakeNetwork()
    network.server = { _, _ in answer }
    let first = try #require(play("x", network, seconds: 8).firstSound)
    #expect(first.seconds < 1, "\(first.seconds)")
  }

  /// The headers of Vorbis alone have some kilobytes: no sound in three seconds is no fault yet.
  @Test func `headers that take seconds are waited for`() throws {
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(20) + ["-c:a", "libvorbis", "-b:a", "24k", "-ar", "22050", "-ac", "1", "low.ogg"])
    let network = FakeNetwork()
    let bytes = try #require(folder.bytes("low.ogg"))
    network.server = { _, _ in
      FakeNetwork.Answer(
        bytes: bytes, contentType: "application/ogg", hasLength: false, isStation: true, pace: (100, 700))
    }
    let listener = play("x", network, seconds: 20)
    #expect(try #require(listener.firstSound).seconds > 4 && loudness(listener) > 0.1)
  }

  /// It hangs up, and comes back as something else under the same name, a few bytes first.
  @Test(arguments: [20, 300, 600])
  func `it is known again however little comes first`(first: Int) throws {
    let before = try #require(try Self.sounds.get().bytes("a.mp3"))
    let after = try station("a.aac", "audio/mpeg", first: first)
    var asked = 0
    let network = FakeNetwork()
    network.server = { _, _ in
      asked += 1
      guard asked == 1 else { return after }
      return FakeNetwork.Answer(
        bytes: Array(before.prefix(before.count / 4)), contentType: "audio/mpeg", hasLength: false, isStation: true)
    }
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + "x", network: network) {}, network)
    listener.run(20) { $0.frames > 9 * 48_000 }
    #expect(listener.frames > 9 * 48_000, "\(listener.programme.status.phase)")
    let last = listener.samples.suffix(96_000)
    #expect((last.reduce(0) { $0 + $1 * $1 } / 96_000).squareRoot() > 0.2)
  }

  /// Some stations claim a length to please players: when they hang up there is no rest of it, and no end.
  @Test func `a station with a length begins anew`() throws {
    let bytes = try #require(try Self.sounds.get().bytes("a.mp3"))
    let network = FakeNetwork()
    network.server = { _, _ in
      FakeNetwork.Answer(
        bytes: bytes, contentType: "audio/mpeg", isOnAir: true, isStation: true, most: bytes.count / 4)
    }
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + "x", network: network) {}, network)
    listener.run(300) { $0.frames > 28 * 48_000 }
    #expect(listener.frames > 28 * 48_000, "\(listener.programme.status.phase)")
    #expect(listener.programme.status.isLive && listener.holes.isEmpty)
    // What comes first comes again.
    let (samples, second) = (listener.samples, 2 * 48_000)
    let repeats = (5 * second..<7 * second).contains { start in
      samples[start..<(start + 2000)].elementsEqual(samples[second..<(second + 2000)])
    }
    #expect(repeats)
  }

  /// What nothing here decodes is another thing than what has no sound.
  @Test(arguments: [
    ("x.spx", tones(20) + ["-c:a", "libspeex", "-ar", "16000", "-ac", "1"], "Speex"),
    ("x.ogv", ["-f", "lavfi", "-i", "testsrc=s=320x240:r=25:d=10", "-c:v", "libtheora"], "theora"),
  ])
  func `Ogg with what cannot be decoded is unsupported`(name: String, options: [String], what: String) throws {
    let folder = TemporaryFolder()
    try ffmpeg(folder, options + [name])
    let bytes = try #require(folder.bytes(name))
    #expect(bytes.count > 8 << 10)
    let network = FakeNetwork()
    network.server = { _, _ in
      FakeNetwork.Answer(bytes: bytes, contentType: "audio/ogg", hasLength: false, isStation: true)
    }
    let found = try #require(fault(play("x", network)))
    #expect(found.code == "unsupported" && found.text.contains(what), "\(found.text)")
  }

  /// Pictures and bones beside sound that is known are passed over.
  @Test(arguments: ["libvorbis", "flac", "libopus"])
  func `sound beside what cannot be decoded is heard`(codec: String) throws {
    let folder = TemporaryFolder()
    let picture = ["-f", "lavfi", "-i", "testsrc=s=320x240:r=25:d=6", "-c:v", "libtheora"]
    try ffmpeg(folder, tones(6) + picture + ["-c:a", codec, "x.ogg"])
    let bytes = try #require(folder.bytes("x.ogg"))
    let network = FakeNetwork()
    network.server = { _, _ in FakeNetwork.Answer(bytes: bytes, contentType: "video/ogg") }
    let listener = play("x", network)
    #expect(listener.programme.status.phase == .ended)
    #expect(abs(Double(listener.frames) / 48_000 - 6) < 0.3 && loudness(listener) > 0.2, "\(listener.frames)")
  }

  /// Servers call lists sound, and sound a list.
  @Test(
    arguments: [
      ("\r\n\r\n[playlist]\nFile1=http://stream.test/a.mp3", "list"), ("[PLAYLIST]\r\nFILE1=a.mp3\r\n", "list"),
      ("# made by a program\n[playlist]\nFile1=\"a.mp3\"\n", "list"), ("  a.mp3  \r\n", "list.m3u"),
      ("# mine\n\na.mp3|User-Agent=x\n", "list.m3u"),
    ], ["audio/mpeg", "audio/x-scpls", "audio/x-mpegurl", "application/ogg", ""])
  func `a list is one whatever it is called`(of: (text: String, name: String), type: String) throws {
    let network = Streams.serve(try Self.sounds.get()) { path, _ in
      path == of.name ? FakeNetwork.Answer(bytes: Array(of.text.utf8), contentType: type) : nil
    }
    let listener = play(of.name, network)
    #expect(listener.programme.status.phase == .ended)
    #expect(abs(Double(listener.frames) / 48_000 - 20) < 0.3, "\(listener.frames)")
  }

  @Test(arguments: ["a.mp3", "a.aac"], ["audio/x-mpegurl", "application/vnd.apple.mpegurl"])
  func `sound that is called a list is heard`(name: String, type: String) throws {
    let answer = try station(name, type, first: 20)
    let network = FakeNetwork()
    network.server = { _, _ in answer }
    let listener = play("x", network, seconds: 8)
    #expect(listener.frames > 6 * 48_000 && loudness(listener) > 0.2, "\(listener.frames)")
  }

  /// One byte may be like a packet's first, in what is none.
  @Test func `a byte is no transport stream`() {
    let bytes: [UInt8] = [0x47] + (0..<187).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
    #expect(SoundStream.Kind(beginning: bytes, contentType: "audio/mpeg", isLast: false) == nil)
  }
}
