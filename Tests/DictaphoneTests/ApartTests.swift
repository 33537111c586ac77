import Dictaphone
import Foundation
import Hardware
import Media
import SimulatedHardware
import Synchronization
import TestSupport
import Testing

/// What another process decodes, heard as if it were decoded here.
@Suite struct ApartTests {
  /// Files as other programs make them; AAC without the noise that a decoder makes up anew wherever it begins.
  static let kinds = [
    "mp3", "ogg -c:a libvorbis", "opus", "m4a -aac_pns 0", "flac", "wav", "aac -aac_pns 0",
    "m4a -c:a alac", "mka -c:a libvorbis", "wav -ac 6",
  ]

  private static func file(_ folder: TemporaryFolder, _ kind: String, rate: Int = 44_100) throws -> String {
    let words = kind.split(separator: " ").map(String.init)
    let path = folder.file("talk.\(words[0])")
    let noise = "anoisesrc=color=pink:amplitude=0.3:seed=3:sample_rate=\(rate):duration=4"
    try Tool.succeed(
      "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", noise, "-ac", "2"] + words.dropFirst() + ["-y", path])
    return path
  }

  /// Does the same with a file that is decoded here and one that is decoded elsewhere.
  private static func both(
    _ path: String, granting format: PCMFormat? = nil, settings: PlaybackSettings = PlaybackSettings(),
    _ what: (PlayerBench) throws -> Void
  ) rethrows -> [PlayerBench] {
    try [false, true].map { isForeign in
      let bench = PlayerBench(granting: format, links: MemoryLink.links(waits: true))
      bench.player.configure(settings)
      bench.player.load(
        [PlayerFile(id: "talk", path: path, isForeign: isForeign)], frame: 0, playing: true)
      try what(bench)
      return bench
    }
  }

  private static func expectSame(_ benches: [PlayerBench], _ what: String) throws {
    let (here, apart) = (benches[0], benches[1])
    #expect(!here.heard.sound.isEmpty && here.heard.peak > 0.05, "\(what)")
    let (wanted, heard) = (here.heard.sound, apart.heard.sound)
    // Arrays are not handed to the expectation: it would look for all that differs.
    let other = zip(wanted, heard).enumerated().first { $1.0 != $1.1 }.map { "\($0)" }
    #expect(other == nil && wanted.count == heard.count, "\(what): \(wanted.count), \(heard.count)")
    #expect(here.news == apart.news, "\(what)")
    #expect(here.player.status == apart.player.status, "\(what)")
  }

  @Test(arguments: kinds)
  func `All of it is heard sample for sample, and its picture is the same`(kind: String) throws {
    let folder = TemporaryFolder()
    let benches = Self.both(try Self.file(folder, kind)) { $0.run(for: .seconds(5)) }
    #expect(benches[1].news.last == "ended")
    #expect(benches[1].player.status.codec.isEmpty == false)
    try Self.expectSame(benches, kind)
  }

  /// Recordings of radio whose codec changes: what there is of the first is heard, and then it is said.
  @Test(arguments: [("ogg -c:a libvorbis", "opus"), ("opus", "oga -c:a flac"), ("oga -c:a flac", "ogg -c:a libvorbis")])
  func `Sound that goes on in another codec is heard up to there, and that is said`(first: String, then: String) throws
  {
    let folder = TemporaryFolder()
    let other = TemporaryFolder()
    let one = try Self.file(folder, first, rate: 48_000)
    let two = try Self.file(other, then, rate: 48_000)
    let bytes = [one, two].map { FileManager.default.contents(atPath: $0) ?? Data() }
    let benches = Self.both(folder.put(Array(bytes[0] + bytes[1]), "both.ogg")) { $0.run(for: .seconds(6)) }
    for bench in benches {
      let said = "broke off: talk: cannot read (unsupported): what follows is in another codec or at another rate"
      #expect(Array(bench.news.suffix(2)) == [said, "ended"], "\(bench.news)")
    }
    try Self.expectSame(benches, first)
    // Alone it ends as all do.
    let alone = Self.both(one) { $0.run(for: .seconds(6)) }
    #expect(alone.allSatisfy { !$0.news.contains { $0.hasPrefix("broke off") } && $0.news.last == "ended" })
  }

  @Test(arguments: kinds)
  func `So it is from any place, and over and over between two`(kind: String) throws {
    let folder = TemporaryFolder()
    let benches = Self.both(try Self.file(folder, kind)) { bench in
      bench.run(for: .milliseconds(300))
      bench.player.go(to: 100_001)
      bench.run(for: .milliseconds(400))
      bench.player.seek(bySeconds: -1.5)
      bench.run(for: .milliseconds(200))
      for loop in [0.5...0.7, 1...2.2, 0...0.3] {
        bench.player.loop(seconds: loop)
        bench.run(for: .seconds(3))
      }
      bench.player.loop(seconds: nil)
      bench.player.scrub(direction: -1, now: bench.clock.now)
      bench.run(for: .milliseconds(700))
      bench.player.scrub(direction: 0, now: bench.clock.now)
      bench.run(for: .seconds(5))
    }
    try Self.expectSame(benches, kind)
  }

  @Test func `So it is at another rate, speed and with pauses left out`() throws {
    let folder = TemporaryFolder()
    let path = try Self.file(folder, "mp3", rate: 22_050)
    let settings = PlaybackSettings(rate: 1.5, pitchCents: 300, leftDb: -3, skipsSilence: true)
    for format in [PCMFormat(sampleRate: 48_000, channels: 2), PCMFormat(sampleRate: 8000, channels: 1)] {
      try Self.expectSame(
        Self.both(path, granting: format, settings: settings) { $0.run(for: .seconds(5)) }, "\(format)")
    }
  }

  @Test func `A copy that was cut off is heard as far as it goes, and says where that is`() throws {
    let folder = TemporaryFolder()
    let sine = ["-f", "lavfi", "-i", "sine=440:r=48000:d=6", "-movflags", "+faststart"]
    for name in ["talk.m4a", "talk.flac", "talk.mp3"] {
      try Tool.succeed("ffmpeg", ["-v", "error", "-y"] + sine + [folder.file(name)])
      let whole = try #require(folder.bytes(name))
      folder.put(Array(whole.prefix(whole.count / 2)), "cut-\(name)")
      for skips in [false, true] {
        let benches = Self.both(folder.file("cut-\(name)"), settings: PlaybackSettings(skipsSilence: skips)) {
          $0.run(for: .seconds(8))
        }
        for bench in benches {
          #expect(bench.news.count == 3 && bench.news.last == "ended", "\(bench.news)")
          let text = bench.news.dropFirst().first ?? ""
          #expect(
            text.hasPrefix("broke off: talk: cannot read (damaged): no sound from ")
              && text.contains(" s on, of 6."), "\(name): \(text)")
        }
      }
    }
  }

  /// In real time nothing waits: what is not there yet is played later, and orders before it is open are kept.
  @Test func `What comes late is played late, and nothing of it is lost`() throws {
    let folder = TemporaryFolder()
    let path = try Self.file(folder, "mp3", rate: 48_000)
    let bench = PlayerBench(links: MemoryLink.links(waits: false, delay: 3))
    bench.player.load([PlayerFile(id: "talk", path: path, isForeign: true)], frame: 0, playing: false)
    bench.player.go(to: 48_000)
    bench.player.play()
    #expect(bench.news == [] && bench.player.status == Player.Status())
    bench.run(for: .seconds(5))
    #expect(bench.news == ["loaded talk 0/192000", "ended"])
    let here = PlayerBench()
    here.player.load(id: "talk", path: path, frame: 48_000, playing: true)
    here.run(for: .seconds(5))
    // Fades at both ends may fall elsewhere.
    let (wanted, heard) = (here.heard.sound, bench.heard.sound)
    let start = try #require(heard.indices.first { heard[$0...].starts(with: wanted[1000..<1100]) })
    let isSame = heard[start...].starts(with: wanted[1000..<140_000])
    #expect(isSame)
  }

  @Test func `Another file while one is being opened ends that`() throws {
    let folder = TemporaryFolder()
    let path = try folder.ramp(frames: 9600)
    let bench = PlayerBench(links: MemoryLink.links(waits: false, delay: .max))
    bench.player.load([PlayerFile(id: "never", path: path, isForeign: true)], frame: 0, playing: true)
    bench.run(for: .seconds(1))
    bench.player.load(id: "own", path: path, frame: 0, playing: true)
    bench.run(for: .seconds(1))
    #expect(bench.news == ["loaded own 0/9600", "ended"])
  }

  @Test func `What does not come for three seconds is an error with its reason, and can be played again`() throws {
    let folder = TemporaryFolder()
    let path = try folder.ramp(frames: 480_000)
    let starts = Mutex(0)
    let bench = PlayerBench(links: { file throws(MediaError) in
      let isFirst = starts.withLock { count in
        count += 1
        return count == 1
      }
      return MemoryLink(file, waits: false, delay: 0, saying: nil, afterOpening: false, most: isFirst ? 8 : .max)
    })
    bench.player.load([PlayerFile(id: "talk", path: path, isForeign: true)], frame: 0, playing: true)
    bench.run(for: .seconds(3))
    #expect(bench.news == ["loaded talk 0/480000"] && bench.player.status.isPlaying)
    bench.run(for: .seconds(4))
    #expect(bench.news == ["loaded talk 0/480000", "failed internal", "ended"])
    #expect(!bench.player.status.isPlaying && bench.heard.sound.count > 4000)
    bench.player.play()
    bench.run(for: .seconds(12))
    #expect(bench.news.dropFirst(3) == ["ended"] && starts.withLock { $0 } == 2)
  }

  @Test func `Of what is never said what is in it there is an error, too`() throws {
    let folder = TemporaryFolder()
    let path = try folder.ramp(frames: 9600)
    let bench = PlayerBench(links: MemoryLink.links(waits: false, delay: .max))
    bench.player.load([PlayerFile(id: "never", path: path, isForeign: true)], frame: 0, playing: true)
    bench.run(for: .seconds(9))
    #expect(bench.news == [])
    bench.run(for: .seconds(2))
    #expect(bench.news == ["failed unsupported"])
  }

  /// What a process says that a file has taken over.
  @Test(arguments: [
    [UInt8](repeating: 0xFF, count: 100), Array("nonsense, and more than a head of it".utf8),
    SoundAnswer.peak(1).encoded, SoundAnswer.sound(from: 0, [1, 1]).encoded,
    SoundAnswer.failed(.damaged, operation: "open", reason: "it is no sound\u{1B}[2J").encoded,
  ])
  func `Nonsense is an error of that file, and the next one plays`(bytes: [UInt8]) throws {
    let folder = TemporaryFolder()
    let path = try folder.ramp(frames: 9600)
    for isOpen in [false, true] {
      let bench = PlayerBench(links: MemoryLink.links(waits: true, saying: bytes, afterOpening: isOpen))
      bench.player.load([PlayerFile(id: "bad", path: path, isForeign: true)], frame: 0, playing: true)
      bench.run(for: .seconds(1))
      #expect(bench.news.first == (isOpen ? "loaded bad 0/9600" : "failed unsupported"))
      if isOpen { #expect(bench.news.contains("failed internal")) }
      bench.player.load(id: "own", path: path, frame: 0, playing: true)
      bench.run(for: .seconds(1))
      #expect(bench.news.suffix(2) == ["loaded own 0/9600", "ended"])
    }
  }

  @Test func `Where it turns out that there is no process, the file is decoded in this one`() throws {
    let folder = TemporaryFolder()
    let path = try folder.ramp(frames: 9600)
    for waits in [false, true] {
      let bench = PlayerBench(links: { _ throws(MediaError) in MissingLink(waits: waits) })
      bench.player.load([PlayerFile(id: "talk", path: path, isForeign: true)], frame: 0, playing: true)
      bench.run(for: .seconds(1))
      #expect(bench.news == ["loaded talk 0/9600", "ended"])
    }
  }

  @Test func `Numbers that are none are not heard`() throws {
    var answers = SoundAnswers()
    answers.feed(SoundAnswer.sound(from: 7, [.nan, .infinity, 0.5, 1e30]).encoded)
    #expect(try answers.next() == .sound(from: 7, [0, 0, 0.5, 0]))
    #expect(try answers.next() == nil && answers.isEmpty)
  }
}

/// A process that could not be started, which was not known at once.
private final class MissingLink: SoundLink {
  let waits: Bool
  let hasNotBegun = true

  init(waits: Bool) { self.waits = waits }

  func send(_ question: [UInt8]) {}
  func receive() throws(MediaError) -> [UInt8] {
    throw MediaError(.failed, subject: "", operation: "decode", reason: "gave up (127)")
  }
}

/// The other process, without one.
private final class MemoryLink: SoundLink {
  let waits: Bool
  let hasNotBegun = false
  /// So many calls find nothing before an answer comes, and it comes in two pieces.
  private let delay: Int
  private let saying: [UInt8]?
  /// After so many questions nothing is answered.
  private var left: Int
  private var calls = 0
  private let server: SoundServer
  private var answers: [[UInt8]]

  init(_ file: PlayerFile, waits: Bool, delay: Int, saying: [UInt8]?, afterOpening: Bool, most: Int = .max) {
    (self.waits, self.delay, self.saying, left) = (waits, delay, saying, most)
    server = SoundServer(path: file.path, name: file.id)
    answers = saying != nil && !afterOpening ? [saying ?? []] : Self.halves(server.opening())
  }

  static func links(
    waits: Bool, delay: Int = 0, saying: [UInt8]? = nil, afterOpening: Bool = false
  ) -> SoundLinks {
    { file throws(MediaError) in
      MemoryLink(file, waits: waits, delay: delay, saying: saying, afterOpening: afterOpening)
    }
  }

  private static func halves(_ bytes: [UInt8]) -> [[UInt8]] {
    [Array(bytes[..<(bytes.count / 2)]), Array(bytes[(bytes.count / 2)...])]
  }

  func send(_ question: [UInt8]) {
    calls = 0
    left -= 1
    guard left >= 0 else { return answers = [] }
    answers = saying.map { [$0] } ?? SoundQuestion(question).map { Self.halves(server.answer(to: $0)) } ?? []
  }

  func receive() throws(MediaError) -> [UInt8] {
    calls += 1
    guard calls > delay, !answers.isEmpty else {
      guard !waits else { throw MediaError(.failed, subject: "", operation: "decode", reason: "nothing comes") }
      return []
    }
    return answers.removeFirst()
  }
}
