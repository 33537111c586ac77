import Hardware
import TestSupport
import Testing

@testable import Streaming

/// Which title is that of which sound.
@Suite struct TitleTests: StreamListening {
  private static let songs: Result<TemporaryFolder, any Error> = Result {
    let folder = TemporaryFolder()
    let words = ["-metadata", "title=Song", "-metadata", "artist=Band"]
    for (name, codec) in codecs {
      try ffmpeg(folder, tones(6) + ["-c:a", codec] + words + [name])
      try ffmpeg(folder, tones(6, from: 700) + ["-c:a", codec, "other-" + name])
    }
    try ffmpeg(folder, tones(20) + ["-c:a", "libmp3lame", "-b:a", "128k", "a.mp3"])
    return folder
  }

  private static let codecs = [("a.ogg", "libvorbis"), ("a.opus", "libopus"), ("flac.ogg", "flac")]
  private static let interval = 4096
  /// Of 128 kbit/s.
  private static let rate = 16_000.0

  /// MP3 with titles behind these stretches of `interval` bytes.
  private func station(_ titles: [Int: String]) throws -> FakeNetwork.Answer {
    let sound = try #require(try Self.songs.get().bytes("a.mp3"))
    var bytes: [UInt8] = []
    for (index, start) in stride(from: 0, to: sound.count, by: Self.interval).enumerated() {
      let part = sound[start..<min(sound.count, start + Self.interval)]
      bytes += part
      guard part.count == Self.interval else { break }
      let words = titles[index].map { Array("StreamTitle='\($0)';".utf8) } ?? []
      let length = (words.count + 15) / 16
      bytes += [UInt8(length)] + words + [UInt8](repeating: 0, count: length * 16 - words.count)
    }
    return FakeNetwork.Answer(
      bytes: bytes, contentType: "audio/mpeg", hasLength: false, titleInterval: Self.interval)
  }

  /// Where the sound behind a stretch begins, in frames.
  private func place(behind index: Int) -> Int { Int(Double((index + 1) * Self.interval) / Self.rate * 48_000) }

  /// As servers write them: in UTF-8, cut within a letter, in Latin-1, in CP1251.
  @Test(
    arguments: [
      (Array("Цой - Кукушка".utf8), "Цой - Кукушка"), (Array("Цой - Кукушка".utf8.dropLast()), "Цой - Кукушк"),
      ([0x42, 0x65, 0x79, 0x6F, 0x6E, 0x63, 0xE9], "Beyoncé"), ([0xA8, 0xEB, 0xEA, 0xE8], "Ёлки"),
    ] as [([UInt8], String)])
  func `a title is read in the letters of its station`(bytes: [UInt8], title: String) {
    #expect(TitleSplitter.title(Array("StreamTitle='".utf8) + bytes + Array("';".utf8)) == title)
  }

  /// However much of it is there at once, a title stands at the sound it is of.
  @Test(arguments: [Int.max, 64_000, 100])
  func `a title is that of the sound behind it`(first: Int) throws {
    let network = FakeNetwork()
    var answer = try station([0: "One", 20: "One", 40: "Two", 60: "", 70: "Three"])
    if first < .max { answer.pace = (first, Self.rate) }
    network.server = { [answer] _, _ in answer }
    let listener = play("x", network, seconds: 40)
    let status = listener.programme.status
    #expect(status.phase == .ended)
    #expect(status.titles.map(\.text) == ["One", "Two", "", "Three"])
    // What a station says first is of what was there before it.
    #expect(status.titles.first?.frame == 0)
    for (title, index) in zip(status.titles.dropFirst(), [40, 60, 70]) {
      #expect(abs(title.frame - place(behind: index)) < 7200, "\(title)")
    }
    #expect(status.title(at: place(behind: 39)) == "One")
    #expect(status.title(at: place(behind: 42)) == "Two")
    #expect(status.title(at: place(behind: 65)) == "")
    #expect(status.title(at: .max) == "Three")
  }

  /// What Icecast makes of what its charset does not have, and programs that feed stations of an `&`.
  @Test(arguments: [
    ("&#1055;&#1077;&#1089;&#1085;&#1103; - &#x41f;", "Песня - П"), ("Simon &amp; Garfunkel", "Simon & Garfunkel"),
    ("&#128512; R&B; AT&T", "😀 R&B; AT&T"), ("&#27;[2J &#x202E;x", "&#27;[2J x"), ("&#99999999999;", "&#99999999999;"),
    ("&#55296;&#;&;&", "&#55296;&#;&;&"),
  ])
  func `characters may be written by their numbers`(written: String, title: String) {
    #expect(TitleSplitter.title(Array("StreamTitle='\(written)';".utf8)) == title)
  }

  /// A station may change its title with each byte, and nobody reads that.
  @Test func `titles are not kept without end`() throws {
    let titles = Dictionary(uniqueKeysWithValues: (0..<200).map { ($0, "Title \($0)") })
    let network = FakeNetwork()
    let answer = try station(titles)
    network.server = { _, _ in answer }
    let status = play("x", network, seconds: 40).programme.status
    #expect(status.titles.count == RadioProgramme.mostTitles)
    #expect(status.titles.last?.text.hasPrefix("Title 7") == true)
    var splitter = TitleSplitter(interval: 1)
    let word: [UInt8] = [0, 2] + Array("StreamTitle='".utf8)
    let end: [UInt8] = Array("';".utf8) + [UInt8](repeating: 0, count: 15)
    var bytes: [UInt8] = []
    for number in 0..<5000 { bytes += word + Array("\(number % 10)\(number / 10 % 10)".utf8) + end }
    let pieces = splitter.split(bytes)
    let same = splitter.split((0..<100).flatMap { _ in word + Array("99".utf8) + end })
    #expect(same == [TitleSplitter.Piece(sound: [UInt8](repeating: 0, count: 100))])
    #expect(pieces.count < 100 && pieces.flatMap(\.sound).count == 5000)
    #expect(pieces.last?.title == "99")
  }

  /// Stations in Ogg begin anew with each track, and not every track has a title.
  @Test(arguments: codecs.map(\.0))
  func `a track without a title has none`(name: String) throws {
    let folder = try Self.songs.get()
    let (named, other) = (try #require(folder.bytes(name)), try #require(folder.bytes("other-" + name)))
    let network = FakeNetwork()
    network.server = { _, _ in FakeNetwork.Answer(bytes: other + named + other + named, contentType: "audio/ogg") }
    let status = play("x", network).programme.status
    #expect(status.phase == .ended)
    #expect(status.titles.map(\.text) == ["Band - Song", "", "Band - Song"])
    for (title, seconds) in zip(status.titles, [6, 12, 18]) {
      #expect(abs(title.frame - seconds * 48_000) < 9600, "\(title)")
    }
  }

  /// What was said of one piece of a list is not said of the next.
  @Test func `a title ends with what it is of`() throws {
    let network = Streams.serve(try Self.songs.get()) { path, _ in
      path == "list" ? .text("#EXTM3U\nother-a.ogg\na.ogg\na.mp3\n") : nil
    }
    let listener = play("list", network)
    let status = listener.programme.status
    #expect(status.phase == .ended)
    let found = [1, 5, 7, 11, 13, 30].map { status.title(at: $0 * 48_000) }
    #expect(found == ["", "", "Band - Song", "Band - Song", "", ""])
  }
}
