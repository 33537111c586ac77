import Hardware
import TestSupport
import Testing

@testable import Media
@testable import Streaming

/// Web radio: sound at an address, and lists that lead to it.
@Suite struct RadioTests: StreamListening {
  let patience = 30.0

  @Test(arguments: RadioSounds.codecs.map(\.name))
  func soundAtAnAddressIsHeard(_ name: String) throws {
    let listener = play(name, Streams.serve(try RadioSounds.folder.get()))
    #expect(listener.programme.status.phase == .ended)
    #expect(isHeard(listener, seconds: 6), "\(listener.frames)")
    if name.hasSuffix("ogg") || name.hasSuffix("opus") {
      #expect(listener.programme.status.title(at: 0) == "Band - Song")
    }
  }

  /// What breaks off goes on where it was, and not from its beginning; only the server's copy must be the same.
  @Test(arguments: ["a.mp3", "a.flac", "vorbis.ogg", "a.wav", "film.mp4", "pieces.mp4", "film.ts"])
  func aFileThatBreaksOffGoesOn(_ name: String) throws {
    let folder = try RadioSounds.folder.get()
    let whole = play(name, Streams.serve(folder)).samples
    let bytes = try #require(folder.bytes(name))
    for step in [bytes.count / 2, bytes.count / 7] {
      let network = Streams.serve(folder) { path, _ in
        path == name ? FakeNetwork.Answer(bytes: bytes, breaksAfter: step) : nil
      }
      let listener = play(name, network, seconds: 300)
      #expect(listener.programme.status.phase == .ended)
      #expect(listener.samples == whole)
    }
    let other = Streams.serve(folder) { path, now in
      path == name ? FakeNetwork.Answer(bytes: bytes + (now == .zero ? [] : [0]), breaksAfter: bytes.count / 2) : nil
    }
    guard case .failed(let fault) = play(name, other).programme.status.phase else {
      return #expect(Bool(false), "two files were put together")
    }
    #expect(fault.code == "interrupted")
    // What has become shorter has no rest.
    let shorter = Streams.serve(folder) { path, now in
      guard path == name else { return nil }
      let isFirst = now == .zero
      return FakeNetwork.Answer(
        bytes: isFirst ? bytes : Array(bytes.prefix(100)), breaksAfter: isFirst ? bytes.count / 2 : nil)
    }
    guard case .failed(let gone) = play(name, shorter).programme.status.phase else {
      return #expect(Bool(false), "a rest that is gone was waited for")
    }
    #expect(gone.code == "interrupted")
  }

  /// Over a quick way all of it is there when it is looked at first, and that the rest is missing is known, too.
  @Test(arguments: ["a.mp3", "a.wav", "fast.m4a"]) func aFileThatBreaksOffBeforeTheFirstLookIsHeard(
    _ name: String
  ) throws {
    let folder = try RadioSounds.folder.get()
    let whole = play(name, Streams.serve(folder)).samples
    let bytes = try #require(folder.bytes(name))
    let network = Streams.serve(folder) { path, _ in
      path == name ? FakeNetwork.Answer(bytes: bytes, breaksAfter: (bytes.count + 1) / 2) : nil
    }
    let programme = StreamProgramme(url: FakeNetwork.host + name, network: network) {}
    _ = programme.step(now: network.now)
    network.now = network.now + .seconds(1)
    let listener = Listener(programme, network)
    listener.run(300)
    #expect(programme.status.phase == .ended && listener.samples == whole)
    // What had come is not asked for again.
    #expect(network.requests.count == 2)
  }

  /// A server may give less than was asked for, of the whole and of the rest.
  @Test(arguments: ["a.mp3", "a.wav", "fast.m4a", "film.mp4", "film.ts"])
  func whatComesInPartsIsPutTogether(_ name: String) throws {
    let folder = try RadioSounds.folder.get()
    let whole = play(name, Streams.serve(folder)).samples
    let bytes = try #require(folder.bytes(name))
    for most in [bytes.count / 5, 3000] {
      let network = Streams.serve(folder) { path, _ in
        path == name ? FakeNetwork.Answer(bytes: bytes, most: most) : nil
      }
      // Who gives little at a time is heard for as long as it takes.
      let listener = play(name, network, seconds: most < 4096 ? 5 : 300)
      guard most >= 4096 else {
        #expect(network.requests.count < 40)
        continue
      }
      #expect(listener.programme.status.phase == .ended)
      #expect(listener.programme.status.breaksOff == nil)
      #expect(listener.samples == whole)
    }
  }

  /// What ends in order is at its end, whether its length was said or not.
  @Test(arguments: ["a.mp3", "vorbis.ogg", "a.wav", "fast.m4a", "film.ts"])
  func aFileWithoutALengthEnds(_ name: String) throws {
    let folder = try RadioSounds.folder.get()
    let bytes = try #require(folder.bytes(name))
    let network = Streams.serve(folder) { path, _ in
      switch path {
      case "x": FakeNetwork.Answer(bytes: bytes, hasLength: false)
      case "list": .text("#EXTM3U\nx\na.flac\n")
      default: nil
      }
    }
    let listener = play("x", network)
    #expect(listener.programme.status.phase == .ended)
    #expect(isHeard(listener, seconds: 6), "\(listener.frames)")
    #expect(network.requests.count == 1)
    // The next piece of a list follows it.
    let both = play("list", network)
    #expect(both.programme.status.phase == .ended)
    #expect(isHeard(both, seconds: 12), "\(both.frames)")
  }

  /// A station that ends has hung up, and is asked again; but not while there is no room for what comes.
  @Test func aStationThatHangsUpIsAskedAgain() throws {
    let bytes = try #require(try RadioSounds.folder.get().bytes("a.mp3"))
    let network = FakeNetwork()
    network.server = { _, _ in FakeNetwork.Answer(bytes: bytes, hasLength: false, isStation: true) }
    let programme = StreamProgramme(url: FakeNetwork.host + "x", network: network) {}
    while network.now < Instant.zero + .seconds(40) {
      let next = programme.step(now: network.now)
      if network.now < Instant.zero + .seconds(3) {
        while programme.nextSound() != nil {}
      } else if network.now > Instant.zero + .seconds(35) {
        #expect(next.map { $0 > network.now } ?? true)
      }
      network.now = network.now + .milliseconds(100)
    }
    #expect(programme.status.phase == .running)
    #expect(network.requests.count > 1 && programme.status.isLive)
  }

  /// Stations change their codec, and hang up to do it.
  @Test(arguments: [("a.mp3", "a.aac"), ("a.aac", "vorbis.ogg"), ("a.flac", "a.mp3")], ["", "audio/mpeg"])
  func aStationMayComeBackInAnotherCodec(_ names: (String, String), _ type: String) throws {
    let folder = try RadioSounds.folder.get()
    let (first, then) = (try #require(folder.bytes(names.0)), try #require(folder.bytes(names.1)))
    var asked = 0
    let network = FakeNetwork()
    network.server = { _, _ in
      asked += 1
      return FakeNetwork.Answer(
        bytes: asked == 1 ? first : then, contentType: type, hasLength: false, isStation: true)
    }
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + "x", network: network) {}, network)
    listener.run(30) { $0.frames > 11 * 48_000 }
    #expect(listener.frames > 11 * 48_000, "\(listener.programme.status.phase)")
    let last = listener.samples.suffix(96_000)
    #expect((last.reduce(0) { $0 + $1 * $1 } / 96_000).squareRoot() > 0.2)
  }

  /// Icecast sends its listeners on to another source in the same connection, as it comes; who asks anew hears it.
  @Test(arguments: [("a.mp3", "a.aac"), ("vorbis.ogg", "a.mp3")])
  func aStationMayGoOnInAnotherCodec(_ names: (String, String)) throws {
    let folder = try RadioSounds.folder.get()
    let (first, then) = (try #require(folder.bytes(names.0)), try #require(folder.bytes(names.1)))
    let long = (0..<4).flatMap { _ in then }
    var asked = 0
    let network = FakeNetwork()
    network.server = { _, _ in
      asked += 1
      let rate = Double(then.count) / 6
      return FakeNetwork.Answer(
        bytes: asked == 1 ? first + long : long, hasLength: false, isStation: true,
        pace: (asked == 1 ? first.count : Int(rate), rate))
    }
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + "x", network: network) {}, network)
    listener.isPaced = true
    listener.run(20)
    #expect(asked == 2 && listener.programme.status.phase == .running, "\(listener.programme.status.phase)")
    let last = listener.samples.suffix(2 * 96_000)
    #expect((last.reduce(0) { $0 + $1 * $1 } / (2 * 96_000)).squareRoot() > 0.2)
  }

  /// What a way that stands still for some seconds has kept would be lost with the connection.
  @Test func aStationThatStandsStillIsNotAskedAgain() throws {
    let bytes = try #require(try RadioSounds.folder.get().bytes("vorbis.ogg"))
    let network = FakeNetwork()
    network.server = { _, _ in
      FakeNetwork.Answer(bytes: bytes, hasLength: false, isStation: true, pace: (bytes.count / 2, 0.1))
    }
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + "x", network: network) {}, network)
    listener.isPaced = true
    listener.run(18)
    #expect(network.requests.count == 1)
  }

  @Test func aSecondSoundIsHeardWhereThereIsNothingOfTheFirst() throws {
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(6) + ["-map", "0:a", "-map", "0:a", "-c:a", "aac", "two.ts"])
    let bytes = try #require(folder.bytes("two.ts"))
    let network = Streams.serve(folder) { path, _ in
      path == "one.ts" ? .bytes(Streams.withoutFirstSound(bytes)) : nil
    }
    // Some of it goes by before the other is taken.
    let seconds = Double(play("one.ts", network).frames) / 48_000
    #expect((5...6.3).contains(seconds), "\(seconds)")
    #expect(isHeard(play("two.ts", network), seconds: 6))
  }

  /// The table of a file changes in its middle, and names another codec, at the same place or at another.
  @Test(arguments: ["0x100", "0x200"], ["mp2", "ac3"])
  func soundMayBecomeThatOfAnotherCodec(_ place: String, _ codec: String) throws {
    let folder = TemporaryFolder()
    let options = ["-mpegts_pmt_start_pid", "0x1000", "-muxdelay", "0", "-muxpreload", "0"]
    let first = ["-c:a", "aac", "-mpegts_start_pid", "0x100"]
    let second = ["-c:a", codec, "-mpegts_start_pid", place, "-output_ts_offset", "4"]
    try ffmpeg(folder, tones(4) + first + options + ["0.ts"])
    try ffmpeg(folder, tones(4, from: 700) + second + options + ["1.ts"])
    folder.put((folder.bytes("0.ts") ?? []) + (folder.bytes("1.ts") ?? []), "x.ts")
    let listener = play("x.ts", Streams.serve(folder))
    #expect(listener.programme.status.phase == .ended)
    #expect(isHeard(listener, seconds: 8), "\(listener.frames)")
  }

  /// Whatever a server calls it, sound that begins in the midst of a frame, or behind something else, is found.
  @Test(arguments: ["a.mp3", "a.aac", "film.ts"], ["", "application/octet-stream", "audio/x-mpeg", "text/plain"])
  func soundNeedNotBeginWithAFrame(_ name: String, _ type: String) throws {
    let folder = try RadioSounds.folder.get()
    let bytes = try #require(folder.bytes(name))
    for changed in [[UInt8](repeating: 0, count: 1000) + bytes, Array(bytes.dropFirst(301))] {
      let network = Streams.serve(folder) { path, _ in
        path == "x" ? FakeNetwork.Answer(bytes: changed, contentType: type) : nil
      }
      let listener = play("x", network)
      #expect(listener.programme.status.phase == .ended)
      #expect((5.4...6.3).contains(Double(listener.frames) / 48_000), "\(listener.frames)")
    }
  }

  /// Servers that do not know what they have call it text.
  @Test(arguments: ["a.mp3", "a.m4a", "vorbis.ogg", "a.wav"], ["text/plain", "text/html"])
  func soundIsHeardWhateverItIsCalled(_ name: String, _ type: String) throws {
    let bytes = try #require(try RadioSounds.folder.get().bytes(name))
    let network = FakeNetwork()
    network.server = { _, _ in FakeNetwork.Answer(bytes: bytes, contentType: type) }
    #expect(isHeard(play("x", network), seconds: 6))
  }

  /// Old QuickTime files do not say what they are, and begin with whatever is to be passed over.
  @Test(arguments: ["a.mov", "fast.m4a"], ["skip", "wide"])
  func aFilmNeedNotSayThatItIsOne(_ name: String, _ beginning: String) throws {
    var bytes = try #require(try RadioSounds.folder.get().bytes(name))
    bytes.replaceSubrange(4..<8, with: beginning.utf8)
    let network = FakeNetwork()
    network.server = { [bytes] _, _ in .bytes(bytes) }
    let listener = play("x", network)
    #expect(listener.programme.status.phase == .ended)
    #expect(isHeard(listener, seconds: 6), "\(listener.frames)")
  }

  /// A file whose end is missing where it is kept is heard as far as it goes, and is not whole.
  @Test(arguments: ["a.wav", "fast.m4a", "fast.mp4"])
  func aFileWithoutItsEndIsDamaged(_ name: String) throws {
    let bytes = try #require(try RadioSounds.folder.get().bytes(name))
    for (count, code) in [(bytes.count, nil), (bytes.count * 2 / 3, "damaged")] as [(Int, String?)] {
      let network = FakeNetwork()
      network.server = { _, _ in .bytes(Array(bytes.prefix(count))) }
      let listener = play("x", network)
      let status = listener.programme.status
      #expect(status.phase == .ended)
      #expect(status.breaksOff?.code == code, "\(status.breaksOff?.text ?? "whole")")
      #expect(listener.frames > 2 * 48_000)
    }
  }

  /// Sound of a film that begins behind its pictures, or has a hole: all of it is there.
  @Test(arguments: ["asetpts=PTS+0.7/TB", "aselect='not(between(t,3,4.2))'"])
  func soundThatLeavesPicturesAloneIsWhole(_ filter: String) throws {
    let folder = TemporaryFolder()
    let pictures = ["-f", "lavfi", "-i", "testsrc=s=64x48:r=25:d=7", "-c:v", "libx264", "-pix_fmt", "yuv420p"]
    try ffmpeg(folder, tones(6) + pictures + ["-filter:a", filter, "-c:a", "aac", "film.mp4"])
    let network = Streams.serve(folder)
    let begun = Listener(StreamProgramme(url: FakeNetwork.host + "film.mp4", network: network) {}, network)
    begun.isPaced = true
    begun.run(1)
    #expect(abs((begun.programme.status.length ?? 0) - 6 * 48_000) < 9600)
    let listener = play("film.mp4", Streams.serve(folder))
    #expect(listener.programme.status.phase == .ended)
    #expect(listener.programme.status.breaksOff == nil)
    #expect(listener.frames > 4 * 48_000)
  }

  /// What nothing here decodes is another thing than what has no sound: MPEG-H 3D Audio, and what is scrambled.
  @Test func whatCannotBeDecodedIsUnsupported() throws {
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(2) + ["-c:a", "aac", "a.ts"])
    let bytes = try #require(folder.bytes("a.ts"))
    // Its table is in packets of 0x1000; the kind of its only stream follows twelve bytes, which follow five.
    let unknown = Streams.change(0x1000, of: bytes) { $0[$0.startIndex + 17] = 0x2D }
    let scrambled = Streams.change(Streams.firstSound, of: bytes) { $0[$0.startIndex + 3] |= 0x80 }
    for (bytes, code) in [(unknown, "unsupported"), (scrambled, "no-sound")] {
      let network = Streams.serve(folder) { path, _ in path == "x.ts" ? .bytes(bytes) : nil }
      guard case .failed(let fault) = play("x.ts", network).programme.status.phase else {
        #expect(Bool(false), "\(code)")
        continue
      }
      #expect(fault.code == code)
    }
  }

  /// In pieces of any size the same comes out.
  @Test func piecesOfAnySizeGiveTheSame() throws {
    let folder = try RadioSounds.folder.get()
    for (name, _) in RadioSounds.codecs {
      let bytes = try #require(folder.bytes(name))
      var results: [[Float]] = []
      for size in [bytes.count, 997, 64] {
        let kind = try #require(SoundStream.Kind(beginning: bytes, contentType: ""))
        let stream = try SoundStream(kind, name: name, length: bytes.count)
        var (samples, start): ([Float], Int) = ([], 0)
        while start < bytes.count {
          stream.feed(Array(bytes[start..<min(bytes.count, start + size)]))
          while let found = try stream.next() { samples += found }
          start += size
          if let place = stream.wanted {
            stream.move(to: place)
            start = place
          }
        }
        stream.end()
        while let found = try stream.next() { samples += found }
        results.append(samples)
      }
      #expect(results[0].count > 5 * 96_000, "\(name)")
      #expect(results[1] == results[0] && results[2] == results[0], "\(name)")
    }
  }

  /// What claims more than may be held is refused, and not waited for.
  @Test func aFragmentOfAnySizeIsNotWaitedFor() throws {
    let stream = try SoundStream(.movie, name: "x")
    for part in [[0, 0, 0, 8], Array("ftyp".utf8), [0, 0, 0, 1], Array("moof".utf8), [0, 0, 1, 0, 0, 0, 0, 0]] {
      stream.feed(part)
    }
    #expect(throws: MediaError.self) { try stream.next() }
  }

  @Test func anyBytesAreAnswered() throws {
    let folder = try RadioSounds.folder.get()
    var dice = SeededGenerator(seed: 7)
    for (name, _) in RadioSounds.codecs {
      var bytes = try #require(folder.bytes(name))
      let kind = try #require(SoundStream.Kind(beginning: bytes, contentType: ""))
      for _ in 0..<200 {
        bytes[Int.random(in: 0..<bytes.count, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
      }
      let stream = try SoundStream(kind, name: name)
      stream.feed(bytes)
      while let found = try? stream.next() { #expect(!found.isEmpty) }
      if let place = stream.wanted, place < bytes.count {
        stream.move(to: place)
        stream.feed(Array(bytes[place...]))
        while let found = try? stream.next() { #expect(!found.isEmpty) }
      }
    }
  }

  @Test func whatIsNeitherSaysSo() {
    let network = FakeNetwork()
    network.server = { _, _ in .text("<html><body>a page</body></html>") }
    guard case .failed(let fault) = play("x.mp3", network).programme.status.phase else {
      return #expect(Bool(false), "a page was played")
    }
    #expect(fault.code == "not-hls")
  }

  /// What has no end says nothing by it: it is no slow network, and is not asked for again and again.
  @Test(
    arguments: [("a.webm", ["-c:a", "libopus"]), ("a.flv", ["-c:a", "aac"]), ("a.ac3", ["-c:a", "ac3"])],
    [1000.0, 16_000])
  func aStationOfAnotherKindSaysSo(_ of: (name: String, codec: [String]), _ rate: Double) throws {
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(60) + of.codec + ["-b:a", "128k", of.name])
    let bytes = try #require(folder.bytes(of.name))
    let network = FakeNetwork()
    network.server = { _, _ in
      FakeNetwork.Answer(bytes: bytes, hasLength: false, isStation: true, pace: (100, rate))
    }
    let listener = play("x", network, seconds: 20)
    #expect(fault(listener)?.code == "not-hls", "\(listener.programme.status.phase)")
    #expect(network.requests.count == 1)
  }

  /// What comes little by little is no other thing than what comes at once.
  @Test(arguments: ["sound", "list"])
  func whatIsSlowIsNotTakenForAnotherKind(_ what: String) throws {
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(20) + ["-c:a", "libmp3lame", "-b:a", "128k", "-write_xing", "0", "a.mp3"])
    let sound = try #require(folder.bytes("a.mp3"))
    // A list in UTF-16 has two bytes for each letter.
    let words = "\u{FEFF}#EXTM3U\n" + String(repeating: "# nothing that anybody has to know\n", count: 1500)
    let list = (words + "\(FakeNetwork.host)a\n").utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    let padding = [UInt8](repeating: 1, count: 65_024)
    let network = FakeNetwork()
    network.server = { path, _ in
      path == "x" && what == "list"
        ? FakeNetwork.Answer(bytes: list, hasLength: false, pace: (100, 40_000))
        : FakeNetwork.Answer(bytes: padding + sound, hasLength: false, isStation: true, pace: (100, 40_000))
    }
    let listener = play("x", network, seconds: 20)
    #expect(listener.frames > 48_000, "\(listener.programme.status.phase)")
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
      for piece in splitter.split(Array(bytes[start..<min(bytes.count, start + size)])) {
        // It stands behind the second stretch.
        if let title = piece.title {
          #expect(found.count == 500)
          titles.append(title)
        }
        found += piece.sound
      }
    }
    #expect(found == sound)
    #expect(titles == ["It's [2J me"])
    #expect(TitleSplitter.title(Array("StreamTitle='Caf".utf8) + [0xE9, 0x27, 0x3B]) == "Café")
    #expect(TitleSplitter.title(Array("StreamUrl='x'".utf8)) == nil)
  }
}
