import Hardware
import TestSupport
import Testing

@testable import Media
@testable import Streaming

/// Web radio: sound at an address, and lists that lead to it.
@Suite struct RadioTests {
  private static let codecs: [(name: String, options: [String])] = [
    ("a.mp3", ["-c:a", "libmp3lame"]), ("a.aac", ["-c:a", "aac"]), ("a.flac", ["-c:a", "flac"]),
    ("vorbis.ogg", ["-c:a", "libvorbis", "-metadata", "title=Song", "-metadata", "artist=Band"]),
    ("a.opus", ["-c:a", "libopus", "-metadata", "title=Song", "-metadata", "artist=Band"]),
    ("flac.ogg", ["-c:a", "flac", "-metadata", "title=Song", "-metadata", "artist=Band"]),
  ]

  private static let folder: Result<TemporaryFolder, any Error> = Result {
    let folder = TemporaryFolder()
    for (name, options) in codecs { try ffmpeg(folder, tones(6) + options + [name]) }
    return folder
  }

  private func play(_ name: String, _ network: FakeNetwork, seconds: Double = 30) -> Listener {
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + name, network: network) {}, network)
    listener.run(seconds)
    return listener
  }

  private func isHeard(_ listener: Listener, seconds: Double) -> Bool {
    let samples = listener.samples
    let loudness = (samples.reduce(0) { $0 + $1 * $1 } / Float(max(1, samples.count))).squareRoot()
    return abs(Double(listener.frames) / 48_000 - seconds) < 0.3 && loudness > 0.2 && listener.holes.isEmpty
  }

  @Test(arguments: ["a.mp3", "a.aac", "a.flac", "vorbis.ogg", "a.opus", "flac.ogg"])
  func soundAtAnAddressIsHeard(_ name: String) throws {
    let listener = play(name, Streams.serve(try Self.folder.get()))
    #expect(listener.programme.status.phase == .ended)
    #expect(isHeard(listener, seconds: 6), "\(listener.frames)")
    if name.hasSuffix("g") || name.hasSuffix("s") { #expect(listener.programme.status.title == "Band - Song") }
  }

  /// In pieces of any size the same comes out.
  @Test func piecesOfAnySizeGiveTheSame() throws {
    let folder = try Self.folder.get()
    for (name, _) in Self.codecs {
      let bytes = try #require(folder.bytes(name))
      var results: [[Float]] = []
      for size in [bytes.count, 997, 64] {
        let kind = try #require(SoundStream.Kind(beginning: bytes, contentType: ""))
        let stream = try SoundStream(kind, name: name)
        var samples: [Float] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
          stream.feed(Array(bytes[start..<min(bytes.count, start + size)]))
          while let found = try stream.next() { samples += found }
        }
        stream.end()
        while let found = try stream.next() { samples += found }
        results.append(samples)
      }
      #expect(results[0].count > 5 * 96_000, "\(name)")
      #expect(results[1] == results[0] && results[2] == results[0], "\(name)")
    }
  }

  @Test func anyBytesAreAnswered() throws {
    let folder = try Self.folder.get()
    var dice = SeededGenerator(seed: 7)
    for (name, _) in Self.codecs {
      var bytes = try #require(folder.bytes(name))
      let kind = try #require(SoundStream.Kind(beginning: bytes, contentType: ""))
      for _ in 0..<200 {
        bytes[Int.random(in: 0..<bytes.count, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
      }
      let stream = try SoundStream(kind, name: name)
      stream.feed(bytes)
      while let found = try? stream.next() { #expect(!found.isEmpty) }
    }
  }

  @Test(arguments: [
    "[playlist]\nFile1=http://stream.test/gone.mp3\nFile2=http://stream.test/a.mp3\n",
    "#EXTM3U\n#EXTINF:-1,Radio\na.mp3\n", "http://stream.test/a.mp3\n",
  ])
  func listsLeadToIt(_ list: String) throws {
    let folder = try Self.folder.get()
    let network = Streams.serve(folder) { path, _ in path == "list" ? .text(list) : nil }
    #expect(isHeard(play("list", network), seconds: 6))
  }

  @Test func piecesOfMusicInAListFollowEachOther() throws {
    let network = Streams.serve(try Self.folder.get()) { path, _ in
      path == "list" ? .text("#EXTM3U\n#EXTINF:6,One\na.mp3\n#EXTINF:6,Two\nvorbis.ogg\n") : nil
    }
    #expect(isHeard(play("list", network), seconds: 12))
  }

  @Test func whatIsNeitherSaysSo() {
    let network = FakeNetwork()
    network.server = { _, _ in .text("<html><body>a page</body></html>") }
    guard case .failed(let fault) = play("x.mp3", network).programme.status.phase else {
      return #expect(Bool(false), "a page was played")
    }
    #expect(fault.code == "not-hls")
  }

  /// Titles stand in the sound, whatever the pieces are that it comes in.
  @Test(arguments: [1, 7, 100, 100_000])
  func titlesArePartedFromTheSound(_ size: Int) {
    let sound = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
    var bytes: [UInt8] = []
    for (index, start) in stride(from: 0, to: 1000, by: 250).enumerated() {
      bytes += sound[start..<(start + 250)]
      let words = index == 1 ? Array("StreamTitle='It's \u{1B}[2J me';StreamUrl='';".utf8) : []
      let length = (words.count + 15) / 16
      bytes += [UInt8(length)] + words + [UInt8](repeating: 0, count: length * 16 - words.count)
    }
    var splitter = TitleSplitter(interval: 250)
    var (found, titles): ([UInt8], [String]) = ([], [])
    for start in stride(from: 0, to: bytes.count, by: size) {
      let (part, title) = splitter.split(Array(bytes[start..<min(bytes.count, start + size)]))
      found += part
      if let title { titles.append(title) }
    }
    #expect(found == sound)
    #expect(titles == ["It's [2J me"])
    #expect(TitleSplitter.title(Array("StreamTitle='Caf".utf8) + [0xE9, 0x27, 0x3B]) == "Café")
    #expect(TitleSplitter.title(Array("StreamUrl='x'".utf8)) == nil)
  }
}
