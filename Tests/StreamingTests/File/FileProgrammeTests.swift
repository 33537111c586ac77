import Foundation
import Glibc
import Hardware
import TestSupport
import Testing

@testable import Streaming

@Suite struct FileProgrammeTests {
  private static let clip: Result<TemporaryFolder, any Error> = Result {
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(4) + ["s.wav"])
    try ffmpeg(folder, tones(4, from: 900) + ["clip.de.wav"])
    try ffmpeg(
      folder,
      [
        "-f", "lavfi", "-i", "testsrc=s=64x48:r=25:d=4", "-i", "s.wav", "-i", "clip.de.wav", "-map", "0:v", "-map",
        "1:a",
        "-map", "2:a", "-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac",
        "-aac_pns", "0",
        "-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=spa", "clip.mp4",
      ])
    folder.put("WEBVTT\n\n00:01.000 --> 00:02.000\nHallo\n\n00:03.000 --> 00:03.500\nTschüs\n", "clip.de.vtt")
    folder.put("WEBVTT\n\n00:01.000 --> 00:02.000\nSalut\n", "clip.fr.vtt")
    folder.put("no subtitles", "clip.it.vtt")
    folder.put(Array("WEBVTT\n\n00:01.000 --> 00:02.000\nPr".utf8) + [0xEE, 0x74, 0x0A], "clip.ro.vtt")
    folder.put("another clip's", "clip2.es.vtt")
    try ffmpeg(
      folder, ["-f", "lavfi", "-i", "testsrc=s=64x48:r=25:d=2", "-c:v", "libx264", "-pix_fmt", "yuv420p", "mute.mp4"])
    return folder
  }

  @Test func aPipeBesideAClipIsNotOpened() throws {
    let folder = TemporaryFolder()
    folder.put("x", "clip.mp4")
    folder.put("WEBVTT\n", "clip.de.vtt")
    folder.put("1\n00:00:01,000 --> 00:00:02,000\nHallo\n", "clip.de.srt")
    folder.put("1\n00:00:01,000 --> 00:00:02,000\nSalut\n", "clip.fr.srt")
    try #require(mkfifo(folder.file("clip.es.vtt"), 0o600) == 0)
    #expect(SidecarFiles(beside: folder.file("clip.mp4")).subtitles.map(\.language) == ["de", "de", "fr"])
    #expect(SidecarFiles(beside: folder.file("clip.mp4")).subtitles.first?.path.hasSuffix("clip.de.vtt") == true)
  }

  @Test func subtitlesOfNoLanguageAreTold() throws {
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(1) + ["-c:a", "aac", "film.m4a"])
    folder.put("1\n00:00:00,100 --> 00:00:00,900\nHola\n", "film.srt")
    let programme = try FileProgramme(path: folder.file("film.m4a"))
    #expect(programme.status.subtitleProblem == "film.srt: its name says no language, as NAME.es.srt does")
    folder.put("1\n00:00:00,100 --> 00:00:00,900\nHola\n", "film.es.srt")
    #expect(try FileProgramme(path: folder.file("film.m4a")).status.subtitleProblem == nil)
  }

  /// As a Mac writes it: é in two.
  @Test func subtitlesAreThoseOfTheVeryName() throws {
    let folder = TemporaryFolder()
    for name in ["Cafe\u{301}.mp4", "Cafe\u{301}.de.vtt", "Caf\u{E9}.fr.vtt"] {
      let file = open(folder.file(name), O_CREAT | O_WRONLY, 0o600)
      #expect(write(file, name, name.utf8.count) == name.utf8.count)
      close(file)
    }
    for path in ["Cafe\u{301}.mp4", #"Cafe\xCC\x81.mp4"#] {
      let subtitles = SidecarFiles(beside: folder.file(path)).subtitles
      #expect(subtitles.map(\.language) == ["de"])
      #expect(subtitles.map { SidecarFiles.read($0.path, most: 100) ?? [] } == [Array("Cafe\u{301}.de.vtt".utf8)])
    }
    #expect(SidecarFiles(beside: folder.file("Caf\u{E9}.mp4")).subtitles.map(\.language) == ["fr"])
  }

  @Test(arguments: ["film", "Film Ж"])
  func aLanguageIsReadAsAMacWritesIt(name: String) {
    let folder = TemporaryFolder()
    folder.put("x", "\(name).mp4")
    let file = open(folder.file("\(name).Espan\u{303}ol.srt"), O_CREAT | O_WRONLY, 0o600)
    close(file)
    #expect(SidecarFiles(beside: folder.file("\(name).mp4")).subtitles.map(\.language) == ["es"])
  }

  private func drain(_ programme: any Programme) -> [SoundBlock] {
    var blocks: [SoundBlock] = []
    for _ in 0..<10_000 {
      _ = programme.step(now: .zero)
      #expect(programme.status.decodedFrames <= 2 * 48_000 + 2048)
      while let block = programme.nextSound() { blocks.append(block) }
      if programme.status.phase == .ended { break }
    }
    #expect(zip(blocks, blocks.dropFirst()).allSatisfy { $0.start + $0.frames == $1.start })
    return blocks
  }

  /// A recording of television whose table names another sound from the middle on.
  @Test(arguments: ["mp2", "ac3"], [4.0, 0])
  func soundMayMoveWithinAFile(_ codec: String, _ offset: Double) throws {
    let folder = TemporaryFolder()
    let options = ["-mpegts_pmt_start_pid", "0x1000", "-muxdelay", "0", "-muxpreload", "0"]
    let first = ["-c:a", "aac", "-mpegts_start_pid", "0x100"]
    let second = ["-c:a", codec, "-mpegts_start_pid", "0x200", "-output_ts_offset", "\(offset)"]
    try ffmpeg(folder, tones(4) + first + options + ["0.ts"])
    try ffmpeg(folder, tones(4, from: 700) + second + options + ["1.ts"])
    folder.put((folder.bytes("0.ts") ?? []) + (folder.bytes("1.ts") ?? []), "x.ts")
    let programme = try FileProgramme(path: folder.file("x.ts"))
    for start in [0, 48_000] {
      if start > 0 { programme.seek(to: start) }
      let blocks = drain(programme)
      let samples = blocks.flatMap(\.samples)
      #expect(blocks.first?.start == start)
      #expect(abs(samples.count / 2 - 8 * 48_000 + start) < 19_200, "\(samples.count / 2)")
      for part in [samples.prefix(2 * 96_000), samples.suffix(3 * 96_000)] {
        #expect((part.reduce(0) { $0 + $1 * $1 } / Float(max(1, part.count))).squareRoot() > 0.2)
      }
    }
  }

  /// Two languages, one of which begins later or has a hole: the first is heard throughout.
  @Test(arguments: [
    ("anull", "asetpts=PTS+2/TB"), ("asetpts=PTS+2/TB", "anull"), ("aselect='lt(t,4)+gt(t,7)'", "asetpts=PTS+2/TB"),
  ])
  func aLanguageThatBeginsLaterIsNoneThatFollows(_ first: String, _ second: String) throws {
    let folder = TemporaryFolder()
    let inputs = [440, 1500].flatMap { ["-f", "lavfi", "-i", "sine=frequency=\($0):duration=8:sample_rate=48000"] }
    let both = ["-map", "[a]", "-map", "[b]", "-c:a", "aac", "-metadata:s:a:0", "language=deu"]
    try ffmpeg(folder, inputs + ["-filter_complex", "[0:a]\(first)[a];[1:a]\(second)[b]"] + both + ["x.ts"])
    let samples = drain(try FileProgramme(path: folder.file("x.ts"))).flatMap(\.samples)
    #expect(samples.count / 2 >= 7 * 48_000)
    // Crossings of a second of it: 880, or 3000 of the other.
    for begin in stride(from: 0, to: samples.count - 96_000, by: 96_000) {
      let second = stride(from: begin, to: begin + 96_000, by: 2).map { samples[$0] >= 0 }
      #expect(zip(second, second.dropFirst()).count { $0 != $1 } < 1000, "at \(begin / 96_000) s")
    }
  }

  /// Sounds of a film that do not begin together, or not with its pictures, are heard where the film has them.
  @Test(arguments: ["mkv", "mp4", "ts"], [true, false])
  func aSoundThatBeginsLaterIsHeardInItsPlace(_ kind: String, _ isFirst: Bool) throws {
    let folder = TemporaryFolder()
    let inputs = ["-f", "lavfi", "-i", "testsrc=s=64x48:r=25:d=6"] + tones(6) + tones(6, from: 900)
    let late = isFirst ? "[1:a]atrim=2.5[a];[2:a]anull[b]" : "[1:a]anull[a];[2:a]atrim=2.5[b]"
    let languages = ["-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=spa"]
    let streams = ["-filter_complex", late, "-map", "0:v", "-map", "[a]", "-map", "[b]"] + languages
    let codecs = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac"]
    try ffmpeg(folder, inputs + streams + codecs + ["film.\(kind)"])
    let programme = try FileProgramme(path: folder.file("film.\(kind)"))
    let other = try #require(programme.rendition(language: "es", from: 0))
    for start in [0, 48_000, 4 * 48_000] {
      if start > 0 { programme.seek(to: start) }
      let blocks = drain(programme)
      #expect(blocks.first?.start == start)
      let samples = blocks.flatMap(\.samples)
      let heard = start + (samples.firstIndex { abs($0) > 0.05 } ?? 0) / 2
      let begins = try #require(drain(other).first).start
      #expect(abs(heard - max(start, isFirst ? 120_000 : 0)) < 4800, "\(heard)")
      #expect(abs(begins - max(start, isFirst ? 0 : 120_000)) < 4800, "\(begins)")
    }
  }

  /// Pictures are shown of MP4 and MOV; of other films the sound is heard.
  @Test(arguments: ["film.ts", "film.mkv"])
  func ofFilmsInOtherContainersTheSoundIsHeard(_ name: String) throws {
    let folder = TemporaryFolder()
    let pictures = ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=3"]
    try ffmpeg(folder, pictures + tones(3) + ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac", name])
    let programme = try FileProgramme(path: folder.file(name), pictures: true)
    #expect(abs(drain(programme).flatMap(\.samples).count / 2 - 3 * 48_000) < 9600)
  }

  /// What goes on at another rate is heard up to there, and it is said.
  @Test func soundThatCannotGoOnWithinAFileSaysSo() throws {
    let folder = TemporaryFolder()
    let options = ["-mpegts_pmt_start_pid", "0x1000", "-muxdelay", "0", "-muxpreload", "0"]
    let second = ["-ar", "44100", "-c:a", "mp2", "-output_ts_offset", "4"]
    try ffmpeg(folder, tones(4) + ["-c:a", "aac", "-mpegts_start_pid", "0x100"] + options + ["0.ts"])
    try ffmpeg(folder, tones(4) + second + ["-mpegts_start_pid", "0x200"] + options + ["1.ts"])
    folder.put((folder.bytes("0.ts") ?? []) + (folder.bytes("1.ts") ?? []), "x.ts")
    let programme = try FileProgramme(path: folder.file("x.ts"))
    #expect(abs(drain(programme).flatMap(\.samples).count / 2 - 4 * 48_000) < 9600)
    #expect(programme.status.breaksOff?.text.contains("another codec or at another rate") == true)
  }

  /// So does what goes on in another codec at the same place of the table, where libavformat finds no more.
  @Test(arguments: [("aac", "mp2"), ("mp2", "aac"), ("aac", "ac3"), ("aac", "aac"), ("ac3", "ac3")])
  func soundOfAnotherCodecAtTheSamePlaceSaysSo(_ codecs: (String, String)) throws {
    let folder = TemporaryFolder()
    let options = [
      "-mpegts_pmt_start_pid", "0x1000", "-mpegts_start_pid", "0x100", "-muxdelay", "0", "-muxpreload", "0",
    ]
    try ffmpeg(folder, tones(4) + ["-c:a", codecs.0] + options + ["0.ts"])
    try ffmpeg(folder, tones(4) + ["-c:a", codecs.1, "-output_ts_offset", "4"] + options + ["1.ts"])
    folder.put((folder.bytes("0.ts") ?? []) + (folder.bytes("1.ts") ?? []), "x.ts")
    let programme = try FileProgramme(path: folder.file("x.ts"))
    let isSame = codecs.0 == codecs.1
    #expect(abs(drain(programme).flatMap(\.samples).count / 2 - (isSame ? 8 : 4) * 48_000) < 9600)
    #expect((programme.status.breaksOff == nil) == isSame)
  }

  @Test func aClipIsHeardSeenAndRead() throws {
    let folder = try Self.clip.get()
    let programme = try FileProgramme(path: folder.file("clip.mp4"), pictures: true, subtitleLanguages: ["de"])
    let expected = try reference(folder, "clip.mp4", [])
    let blocks = drain(programme)
    #expect(
      difference(
        blocks.flatMap(\.samples).prefix(expected.count), expected.prefix(blocks.reduce(0) { $0 + $1.samples.count }))
        < 1e-5)
    #expect(abs(blocks.reduce(0) { $0 + $1.frames } - 4 * 48_000) <= 1024)
    #expect(programme.status.soundLanguages == ["eng", "spa", "de"])
    #expect(programme.status.subtitleLanguages == ["de", "fr", "it", "ro"])
    var cues: [SubtitleCue] = []
    while let cue = programme.nextCue() { cues.append(cue) }
    #expect(cues.map(\.text) == ["Hallo", "Tschüs"])
    #expect(cues.map(\.start) == [48_000, 144_000])
    var pictures: [ProgrammePicture] = []
    while let picture = programme.nextPicture() { pictures.append(picture) }
    #expect(pictures.count == 100)
    #expect(pictures.first?.start == 0 && pictures.first?.isKeyframe == true)
    #expect(!programme.selectSubtitles(language: "it", from: 0))
    #expect(programme.nextRemark()?.contains("clip.it.vtt") == true && programme.nextRemark() == nil)
    #expect(programme.status.subtitleProblem?.hasPrefix("clip.it.vtt: no subtitles") == true)
    #expect(programme.selectSubtitles(language: "fra", from: 0))
    #expect(programme.nextRemark() == nil && programme.status.subtitleProblem == nil)
    #expect(programme.selectSubtitles(language: "ro", from: 0))
    let remark = programme.nextRemark() ?? ""
    #expect(remark.contains("clip.ro.vtt") && remark.contains("UTF-8"), "\(remark)")
  }

  /// Which of them is heard does not depend on how many bits it has, and each of the others can be had.
  @Test(arguments: ["0", "default"], ["0", "default"])
  func eachSoundOfAFilmCanBeHad(_ first: String, _ second: String) throws {
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(4) + ["low.wav"])
    try ffmpeg(folder, tones(4, from: 900) + ["high.wav"])
    try ffmpeg(
      folder,
      [
        "-i", "low.wav", "-i", "high.wav", "-map", "0", "-map", "1", "-c:a:0", "aac", "-c:a:1", "ac3", "-b:a:1", "448k",
        "-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=spa", "-disposition:a:0", first,
        "-disposition:a:1", second, "film.mkv",
      ])
    let isSecond = first == "0" && second != "0"
    for programme in try hereAndApart(folder.file("film.mkv")) {
      _ = programme.step(now: .zero)
      #expect((programme.rendition(language: "es", from: 0) == nil) == isSecond)
      #expect((programme.rendition(language: "en", from: 0) == nil) == !isSecond)
    }
  }

  @Test func whatCannotBeReadBesideAFilmIsNotAllThereIs() throws {
    let folder = TemporaryFolder()
    for name in ["film.wav", "film.es.mp3"] { try ffmpeg(folder, tones(2) + [name]) }
    folder.put("no sound", "film.es.m4a")
    folder.put("<tt/>", "film.es.vtt")
    folder.put("1\n00:00:01,000 --> 00:00:02,000\nHola\n", "film.es.srt")
    let programme = try FileProgramme(path: folder.file("film.wav"))
    #expect(programme.rendition(language: "es", from: 0) != nil)
    #expect(programme.selectSubtitles(language: "es", from: 0) && programme.nextCue()?.text == "Hola")
  }

  /// They are told by name, as long as there are none beside it.
  @Test(arguments: [("film.mkv", "srt", "subrip"), ("film.mp4", "mov_text", "mov_text"), ("film.mkv", "ass", "ass")])
  func subtitlesWithinAFilmAreToldNotToBeRead(_ name: String, _ codec: String, _ known: String) throws {
    let folder = TemporaryFolder()
    folder.put("1\n00:00:00,500 --> 00:00:01,000\nHola\n", "s.srt")
    let maps = ["-i", "s.srt", "-map", "0", "-map", "1", "-c:a", "aac", "-c:s", codec]
    try ffmpeg(folder, tones(2) + maps + ["-metadata:s:s:0", "language=spa", name])
    for programme in try hereAndApart(folder.file(name)) {
      for _ in 0..<10 { _ = programme.step(now: .zero) }
      #expect(programme.status.subtitleProblem?.contains("\(known) (spa)") == true)
      #expect(programme.nextRemark()?.contains("\(known) (spa)") == true)
    }
    folder.put("1\n00:00:00,500 --> 00:00:01,000\nHola\n", "film.es.srt")
    #expect(try FileProgramme(path: folder.file(name)).status.subtitleProblem == nil)
  }

  /// Crossings of zero in a second of it: twice the pitch.
  private func crossings(_ programme: any Programme) -> Int {
    var samples: [Float] = []
    for _ in 0..<1000 where samples.count < 4 * 48_000 {
      _ = programme.step(now: .zero)
      while let block = programme.nextSound() { samples += block.samples }
    }
    let second = stride(from: 96_000, to: min(samples.count, 192_000), by: 2).map { samples[$0] >= 0 }
    return zip(second, second.dropFirst()).count { $0 != $1 }
  }

  /// Nor is it first, where it is the original's language; and a track's name is its language, where nothing else says it.
  @Test(arguments: ["visual_impaired", "comment"])
  func whatDescribesTheFilmComesBehindItsSound(_ kind: String) throws {
    let folder = TemporaryFolder()
    let inputs = [440, 1000, 2000, 3000].flatMap {
      ["-f", "lavfi", "-i", "sine=frequency=\($0):duration=3:sample_rate=48000"]
    }
    let maps = (0..<4).flatMap { ["-map", "\($0)"] }
    try ffmpeg(
      folder,
      inputs + maps + [
        "-c:a", "aac", "-metadata:s:a:0", "language=spa", "-disposition:a:0", kind, "-metadata:s:a:1", "language=eng",
        "-disposition:a:1", "default", "-metadata:s:a:2", "title=Español", "-disposition:a:2", "0",
        "-metadata:s:a:3", "language=eng", "-disposition:a:3", kind, "film.mkv",
      ])
    for programme in try hereAndApart(folder.file("film.mkv")) {
      _ = programme.step(now: .zero)
      #expect(programme.rendition(language: "en", from: 0) == nil)
      let spanish = try #require(programme.rendition(language: "es", from: 0))
      #expect((3900...4100).contains(crossings(spanish)))
      #expect((1900...2100).contains(crossings(programme)))
    }
  }

  /// The next of its language is heard, and why the first is not is said.
  @Test func aTrackThatCannotBeReadDoesNotHideTheNext() throws {
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(3) + ["film.wav"])
    folder.put("no sound", "film.es.m4a")
    let path = folder.file("film.wav")
    let programme = try hereAndApart(path)[1]
    _ = programme.step(now: .zero)
    let first = try #require(programme.rendition(language: "es", from: 0))
    for _ in 0..<10 { _ = first.step(now: .zero) }
    guard case .failed(let fault) = first.status.phase else { return #expect(Bool(false), "\(first.status.phase)") }
    #expect(fault.text.contains("film.es.m4a") && !first.status.hasOther, "\(fault)")
    try ffmpeg(folder, tones(3) + ["film.es.mp3"])
    let again = try hereAndApart(path)[1]
    _ = again.step(now: .zero)
    let broken = try #require(again.rendition(language: "es", from: 0))
    for _ in 0..<10 { _ = broken.step(now: .zero) }
    #expect(broken.status.hasOther)
    let next = try #require(again.rendition(language: "es", from: 0))
    #expect(next !== broken)
    #expect(crossings(next) > 0)
    // Their tracks do not hold them.
    for one in [programme, again] { one.close() }
  }

  @Test func sidecarsAndFurtherTracksAreRenditions() throws {
    let folder = try Self.clip.get()
    let programme = try FileProgramme(path: folder.file("clip.mp4"))
    let german = try #require(programme.rendition(language: "de", from: 0))
    let wave = try reference(folder, "clip.de.wav")
    #expect(difference(drain(german).flatMap(\.samples), wave) < 1e-6)
    let spanish = try #require(programme.rendition(language: "es", from: 0))
    let expected = try reference(folder, "clip.mp4", []).count
    let decoded = try ffmpeg(folder, ["-i", "clip.mp4", "-map", "0:a:1", "-f", "f32le", "-"])
    let samples = decoded.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    let heard = drain(spanish).flatMap(\.samples)
    let common = min(heard.count, samples.count)
    #expect(common > expected - 4096)
    #expect(difference(heard.prefix(common), samples.prefix(common)) < 1e-5)
    #expect(programme.rendition(language: "en", from: 0) == nil)
    #expect(programme.rendition(language: "ja", from: 0) == nil)
    // They go where the clip goes.
    programme.seek(to: 96_001)
    _ = german.step(now: .zero)
    let block = try #require(german.nextSound())
    #expect(block.start == 96_001)
    #expect(difference(block.samples, wave[(2 * 96_001)...].prefix(block.samples.count)) < 1e-6)
    _ = programme.step(now: .zero)
    let main = try #require(programme.nextSound())
    #expect(main.start == 96_001)
    #expect(main.epoch == block.epoch)
    // One that is asked for again, or for the first time, begins where it is asked to.
    let again = try #require(programme.rendition(language: "de", from: 120_000))
    #expect(again === german)
    _ = again.step(now: .zero)
    #expect(again.nextSound()?.start == 120_000)
    #expect(german.status.isBeside && !spanish.status.isBeside)
    let late = try FileProgramme(path: folder.file("clip.mp4"))
    late.seek(to: 48_000)
    let track = try #require(late.rendition(language: "es", from: 60_000))
    _ = late.step(now: .zero)
    _ = track.step(now: .zero)
    let first = try #require(track.nextSound())
    #expect(first.start == 60_000)
    #expect(first.epoch == late.nextSound()?.epoch)
  }

  @Test func aClipWithoutSoundIsSilentForItsLength() throws {
    let folder = try Self.clip.get()
    let blocks = drain(try FileProgramme(path: folder.file("mute.mp4")))
    #expect(blocks.reduce(0) { $0 + $1.frames } == 96_000)
    #expect(throws: (any Error).self) { try FileProgramme(path: folder.file("clip.de.vtt")) }
    #expect(throws: (any Error).self) { try FileProgramme(path: folder.file("none.mp4")) }
  }
}
