import Foundation
import Hardware
import Media
import TestSupport
import Testing

@testable import Streaming

/// What another process reads is heard, seen and read as if it were read here.
@Suite struct ApartProgrammeTests {
  private static let clip: Result<TemporaryFolder, any Error> = Result {
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(4) + ["s.wav"])
    try ffmpeg(folder, tones(4, from: 900) + ["clip.de.wav"])
    try ffmpeg(
      folder,
      [
        "-f", "lavfi", "-i", "testsrc=s=64x48:r=25:d=4", "-i", "s.wav", "-i", "clip.de.wav", "-map", "0:v", "-map",
        "1:a", "-map", "2:a", "-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p", "-c:a",
        "aac", "-aac_pns", "0", "-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=spa", "clip.mp4",
      ])
    folder.put("WEBVTT\n\n00:01.000 --> 00:02.000\nHallo\nzusammen\n\n00:03.000 --> 00:03.500\nTschüs\n", "clip.de.vtt")
    folder.put("WEBVTT\n\n00:01.000 --> 00:02.000\nSalut\n", "clip.fr.vtt")
    return folder
  }

  /// All that comes of a programme within so many steps.
  private struct Found: Equatable {
    var sound: [Float] = []
    var starts: [Int] = []
    var pictures: [String] = []
    var cues: [SubtitleCue] = []

    mutating func take(_ programme: any Programme, steps: Int = 3000, until frames: Int = .max) {
      for _ in 0..<steps where sound.count / 2 < frames {
        _ = programme.step(now: .zero)
        #expect(programme.status.decodedFrames <= 3 * 48_000)
        while let block = programme.nextSound() {
          if starts.last.map({ $0 != block.start }) ?? true { starts.append(block.start) }
          starts[starts.count - 1] = block.start + block.frames
          sound += block.samples
        }
        while let picture = programme.nextPicture() {
          pictures.append("\(picture.epoch) \(picture.start) \(picture.isKeyframe) \(picture.bytes.hashValue)")
        }
        while let cue = programme.nextCue() { cues.append(cue) }
        if programme.status.phase == .ended { return }
      }
    }
  }

  @Test func allOfItIsTheSame() throws {
    let programmes = try hereAndApart(try Self.clip.get().file("clip.mp4"))
    let found = programmes.map { programme in
      var found = Found()
      found.take(programme)
      return found
    }
    #expect(found[0].sound.count > 7 * 48_000)
    #expect(found[0].cues.map(\.text) == ["Hallo\nzusammen", "Tschüs"])
    #expect(found[0].pictures.count == 100)
    let isSame = found[0] == found[1]
    #expect(isSame, "\(found.map { [$0.sound.count, $0.pictures.count, $0.cues.count, $0.starts.count] })")
    #expect(programmes[0].status == programmes[1].status)
    #expect(programmes[1].status.soundLanguages == ["eng", "spa", "de"])
  }

  @Test func `why there is nothing of subtitles beside a clip is said in both`() throws {
    let folder = TemporaryFolder()
    folder.put(try #require(try Self.clip.get().bytes("clip.mp4")), "clip.mp4")
    folder.put("no subtitles", "clip.it.vtt")
    for programme in try hereAndApart(folder.file("clip.mp4")) {
      var found = Found()
      found.take(programme, until: 10_000)
      #expect(programme.status.subtitleProblem == "clip.it.vtt: no subtitles: neither WebVTT nor SRT")
    }
  }

  @Test func `pictures wait in the file while sound is taken seconds ahead, and none is lost`() throws {
    let path = try Self.clip.get().file("clip.mp4")
    // The largest is a keyframe of some kilobytes.
    let most = 8000
    let here = { () throws(MediaError) -> any Programme in
      try FileProgramme(path: path, pictures: true, pictureBytes: most)
    }
    let link = ServedProgramme(ProgrammeServer(path: path, pictures: true, pictureBytes: most))
    for programme in [try here(), ApartProgramme(path: path, link: link, pictureBytes: most, openHere: here)] {
      var (pictures, sound): ([ProgrammePicture], Int) = ([], 0)
      for _ in 0..<2000 where pictures.count < 100 {
        _ = programme.step(now: .zero)
        while let block = programme.nextSound() { sound += block.frames }
        if let picture = programme.nextPicture() { pictures.append(picture) }
      }
      #expect(sound > 3 * 48_000)
      #expect(pictures.count == 100 && pictures.allSatisfy { $0.lostBefore == 0 }, "\(pictures.count)")
    }
  }

  @Test func soItIsFromAnyPlaceAndInOtherLanguages() throws {
    let found = try hereAndApart(try Self.clip.get().file("clip.mp4")).map { programme in
      var found: [Found] = []
      // What is in it is known once it is open.
      _ = programme.step(now: .zero)
      for (place, language) in [(0, "de"), (96_001, "es"), (12_345, "de"), (150_000, "ja")] {
        if place > 0 { programme.seek(to: place) }
        #expect(programme.selectSubtitles(language: place > 0 ? "fra" : "de", from: place))
        #expect(!programme.selectSubtitles(language: "ja", from: place))
        let track = programme.rendition(language: language, from: place)
        #expect((track == nil) == (language == "ja"))
        var (main, other) = (Found(), Found())
        main.take(programme, until: 100_000)
        if let track { other.take(track, until: 30_000) }
        // How much is decoded in one step may differ; and what is here already is taken first.
        main.sound = Array(main.sound.prefix(60_000))
        other.sound = Array(other.sound.prefix(60_000))
        #expect(main.starts.first.map { $0 >= place } ?? false)
        (main.starts, other.starts) = ([], [])
        main.pictures = Array(main.pictures.prefix(10))
        if let track {
          #expect(track.status.isBeside == (language == "de"))
          #expect(track.status.soundLanguages == [language == "de" ? "de" : "spa"])
        }
        found += [main, other]
      }
      #expect(programme.rendition(language: "en", from: 0) == nil)
      programme.close()
      return found
    }
    for (index, one) in found[0].enumerated() {
      let isSame = one == found[1][index]
      #expect(isSame, "\(index): \(one.sound.count) \(found[1][index].sound.count) \(one.cues) \(found[1][index].cues)")
    }
  }

  @Test func whatIsInTheAnswersCostsTheProgrammeAtMost() throws {
    let path = try Self.clip.get().file("clip.mp4")
    let good = ProgrammeServer(path: path, pictures: false, pictureBytes: 0).opening()
    for nonsense: [UInt8] in [
      [UInt8](repeating: 0xFF, count: 64), Words.bytes([8, 1]), Words.bytes([1 << 40]), good + [1],
      Words.bytes([32, 2, 5, 0, .max]), Words.bytes([32, 4, 5, 4, 0]), Words.bytes([32, 9, 0, 0, 0]),
    ] {
      let link = SayingLink([nonsense])
      let programme = ApartProgramme(path: path, link: link, pictureBytes: 1) { () throws(MediaError) in
        throw MediaError(.failed, subject: "", operation: "", reason: "")
      }
      for _ in 0..<4 { _ = programme.step(now: .zero) }
      guard case .failed(let fault) = programme.status.phase else {
        Issue.record("\(nonsense.count) bytes are believed")
        continue
      }
      #expect(fault.code == "internal")
      #expect(programme.nextSound() == nil)
    }
    // Sound that does not follow what came before it.
    let jump = ProgrammeAnswers.answer([.sound(start: 0, [0, 0]), .sound(start: 7, [0, 0])])
    let programme = ApartProgramme(path: path, link: SayingLink([good, jump]), pictureBytes: 1) {
      () throws(MediaError) in throw MediaError(.failed, subject: "", operation: "", reason: "")
    }
    for _ in 0..<4 { _ = programme.step(now: .zero) }
    guard case .failed = programme.status.phase else {
      Issue.record("it is believed")
      return
    }
  }

  @Test func aFileThatCannotBePlayedSaysWhy() throws {
    let folder = TemporaryFolder()
    folder.put("no film", "clip.mp4")
    let path = folder.file("clip.mp4")
    let link = ServedProgramme(ProgrammeServer(path: path, pictures: true, pictureBytes: 4 << 20))
    let programme = ApartProgramme(path: path, link: link, pictureBytes: 4 << 20) { () throws(MediaError) in
      try FileProgramme(path: path)
    }
    _ = programme.step(now: .zero)
    guard case .failed(let fault) = programme.status.phase else {
      Issue.record("it is played")
      return
    }
    #expect(["damaged", "unsupported"].contains(fault.code))
  }

  @Test func whereThereIsNoOtherProcessItIsReadHere() throws {
    let path = try Self.clip.get().file("clip.mp4")
    let link = SayingLink([])
    link.hasNotBegun = true
    let programme = ApartProgramme(path: path, link: link, pictureBytes: 4 << 20) { () throws(MediaError) in
      try FileProgramme(path: path)
    }
    var found = Found()
    found.take(programme)
    #expect(found.sound.count > 7 * 48_000)
    #expect(programme.rendition(language: "de", from: 0) != nil)
  }

  /// Where there is nothing else of the language, they are read.
  @Test(arguments: [
    (["es.forced", "es", "es.sdh"], "es"), (["es.sdh", "es.forced"], "es.sdh"), (["es.forced"], "es.forced"),
    (["es.forced", "es-MX"], "es-MX"), (["es.CC", "es.notes"], "es.CC"),
  ])
  func wholeSubtitlesAreReadBeforeOthers(_ names: [String], _ first: String) throws {
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(1) + ["clip.wav"])
    for name in names { folder.put("1\n00:00:00,100 --> 00:00:00,900\n\(name)\n", "clip.\(name).srt") }
    for programme in try hereAndApart(folder.file("clip.wav")) {
      _ = programme.step(now: .zero)
      #expect(programme.selectSubtitles(language: "es", from: 0))
      var found = Found()
      found.take(programme)
      #expect(found.cues.last?.text == first)
    }
  }

  @Test func onlyLanguagesAreBesideAClip() {
    let folder = TemporaryFolder()
    for name in ["clip.mp4", "clip.es.vtt", "clip.Deutsch.vtt", "clip.holiday.vtt", "clip.pt-BR.vtt", "clip.a b.vtt"] {
      folder.put("WEBVTT\n", name)
    }
    folder.put("WEBVTT\n", "clip.pt_PT.vtt")
    let found = SidecarFiles(beside: folder.file("clip.mp4")).subtitles.map(\.language)
    #expect(Set(found) == ["es", "de", "pt-BR", "pt-PT"])
  }
}

/// One that says something, and then nothing, or ends.
private final class SayingLink: SoundLink {
  let waits = false
  var hasNotBegun = false
  private var answers: [[UInt8]]

  init(_ answers: [[UInt8]]) { self.answers = answers }

  func send(_ question: [UInt8]) {}

  func receive() throws(MediaError) -> [UInt8] {
    if hasNotBegun { throw MediaError(.failed, subject: "", operation: "decode", reason: "ended") }
    return answers.isEmpty ? [] : answers.removeFirst()
  }
}
