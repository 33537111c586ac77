import Hardware
import TestSupport
import Testing

@testable import Media
@testable import Streaming

/// Sound and pictures that are encrypted sample by sample (Common Encryption) are told, and never played as noise.
@Suite struct ProtectionTests {
  private static let secret = [
    "-encryption_scheme", "cenc-aes-ctr", "-encryption_key", "76a6c65c5ea762046bd749a2e632ccbb", "-encryption_kid",
    "a7e61c373e219033c21091fa607bf3b8",
  ]
  private static let pieces = ["-movflags", "frag_keyframe+empty_moov+default_base_moof", "-frag_duration", "2000000"]
  private static let film = ["-f", "lavfi", "-i", "testsrc=s=160x120:r=25:d=6", "-c:v", "libx264", "-g", "25"]

  private static let folder: Result<TemporaryFolder, any Error> = Result {
    let folder = TemporaryFolder()
    for (name, options) in [("whole.mp4", []), ("pieces.mp4", pieces)] as [(String, [String])] {
      try ffmpeg(folder, tones(6) + ["-c:a", "aac"] + secret + options + [name])
    }
    try ffmpeg(folder, tones(6) + film + ["-c:a", "aac"] + secret + ["film.mp4"])
    try ffmpeg(folder, film + secret + ["mute.mp4"])
    try ffmpeg(folder, tones(6) + film + ["-c:a", "aac"] + pieces + ["clear.mp4"])
    for name in ["pieces", "clear"] {
      folder.put(Streams.fragments(of: folder.bytes("\(name).mp4") ?? [], "\(name).mp4"), "\(name).m3u8")
    }
    return folder
  }

  private func play(_ name: String, _ network: FakeNetwork) -> Listener {
    let options = HLSOptions(pictures: true)
    let programme = StreamProgramme(url: FakeNetwork.host + name, network: network, options: options) {}
    let listener = Listener(programme, network)
    listener.run(30)
    return listener
  }

  @Test(arguments: ["pieces.m3u8", "pieces.mp4", "whole.mp4", "film.mp4"])
  func protectedSoundIsRefused(_ name: String) throws {
    let listener = play(name, Streams.serve(try Self.folder.get()))
    guard case .failed(let fault) = listener.programme.status.phase else {
      return #expect(Bool(false), "\(listener.programme.status.phase)")
    }
    #expect(fault.code == "encrypted" && listener.samples.isEmpty, "\(fault)")
  }

  /// What is in the clear before protected segments is heard; then it is told, however much of the rest there is.
  @Test(arguments: [1, 5, 16])
  func whatIsInTheClearBeforeIsHeard(_ clear: Int) throws {
    let source = try Streams.long.get()
    var entries = Streams.entries(source.folder, "s")
    entries[clear].lines.insert("#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://x\"", at: 0)
    let text = Streams.window(entries, available: entries.count, count: entries.count, isEnded: true)
    let network = Streams.serve(source.folder) { path, _ in path == "x.m3u8" ? .text(text) : nil }
    let listener = play("x.m3u8", network)
    #expect(told(listener)?.code == "encrypted", "\(listener.programme.status.phase)")
    #expect(told(listener)?.text.contains("SAMPLE-AES") == true)
    let frames = Int(entries[..<clear].reduce(0) { $0 + $1.seconds } * 48_000)
    // Behind it is silence for three seconds at most.
    #expect((frames - 2048...frames + 4 * 48_000).contains(listener.frames), "\(listener.frames)")
    let heard = 2 * (frames - 2048)
    #expect(difference(listener.samples.prefix(heard), source.samples.prefix(heard)) < 1e-6)
    #expect(network.requests.filter { $0.path.hasSuffix(".ts") }.count == clear)
  }

  /// A live window in which nothing but protected segments is left does not take what was in the clear before.
  @Test func aLiveStreamIsHeardAsFarAsItIsInTheClear() throws {
    let source = try Streams.long.get()
    var entries = Streams.entries(source.folder, "s")
    for index in 8..<entries.count {
      entries[index].lines.insert("#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://x\"", at: 0)
    }
    let network = Streams.serve(source.folder) { [entries] path, now in
      let available = min(entries.count, 6 + Int(now.seconds / 2))
      let text = Streams.window(entries, available: available, count: 5, isEnded: available == entries.count)
      return path == "x.m3u8" ? .text(text) : nil
    }
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + "x.m3u8", network: network) {}, network)
    listener.isPaced = true
    listener.run(90)
    #expect(told(listener)?.code == "encrypted", "\(listener.programme.status.phase)")
    let first = network.requests.first { $0.path.hasSuffix(".ts") }.flatMap { Int($0.path.dropFirst().dropLast(3)) }
    let begun = try #require(first)
    let clear = 8 - begun
    #expect(clear > 3 && listener.frames > (clear * 2 - 1) * 48_000, "\(listener.frames)")
    #expect(listener.phases.contains { if case .stalled = $0 { true } else { false } })
  }

  /// Why it has failed, or has ended before it should.
  private func told(_ listener: Listener) -> StreamFault? {
    if case .failed(let fault) = listener.programme.status.phase { return fault }
    return listener.programme.status.breaksOff
  }

  /// Only its pictures are: they are not there, and its sound is.
  @Test func soundBesideProtectedPicturesIsHeard() throws {
    let folder = try Self.folder.get()
    let clear = play("clear.m3u8", Streams.serve(folder))
    #expect(clear.pictures.count > 50)
    let bytes = try #require(folder.bytes("clear.mp4"))
    let mark = Array("avc1".utf8)
    // In the table of samples, behind the brands.
    let place = try #require((0..<bytes.count - 4).last { bytes[$0..<$0 + 4].elementsEqual(mark) })
    var changed = bytes
    changed.replaceSubrange(place..<place + 4, with: "encv".utf8)
    let listener = play("clear.m3u8", Streams.serve(folder) { path, _ in path == "clear.mp4" ? .bytes(changed) : nil })
    #expect(listener.programme.status.phase == .ended)
    #expect(listener.pictures.isEmpty)
    #expect(listener.samples == clear.samples)
  }

  /// On the card they are files that nobody can play.
  @Test(arguments: ["pieces.mp4", "whole.mp4", "film.mp4"])
  func aProtectedFileIsUnreadable(_ name: String) throws {
    let path = try Self.folder.get().file(name)
    #expect {
      try SoundFile(path: path)
    } throws: { ($0 as? MediaError)?.operation == "decrypt" }
    #expect {
      try FileProgramme(path: path, pictures: true)
    } throws: { ($0 as? MediaError).map { StreamFault($0).code } == "encrypted" }
    #expect(try !MediaTracks(path: path).hasPictures)
  }

  @Test func aProtectedFilmHasNoPictures() throws {
    let path = try Self.folder.get().file("mute.mp4")
    #expect(try !MediaTracks(path: path).hasPictures)
    #expect(throws: MediaError.self) { try PictureExtractor.extract(path: path) { _ in } }
  }
}
