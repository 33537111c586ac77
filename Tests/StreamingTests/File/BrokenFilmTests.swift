import Foundation
import Hardware
import Media
import TestSupport
import Testing

@testable import Streaming

/// Films whose sound ends before their pictures do, or before they say: what there is is played, and the end says why.
@Suite struct BrokenFilmTests {
  /// Seconds of pictures and of sound, as many as asked for; what is needed to read it comes first.
  private static func film(
    _ name: String, sound seconds: Double, pictures: Double = 3, in folder: TemporaryFolder
  ) throws {
    try ffmpeg(
      folder,
      [
        "-f", "lavfi", "-i", "testsrc=s=64x48:r=25:d=\(pictures)", "-f", "lavfi", "-i", "sine=440:r=48000:d=\(seconds)",
        "-c:v",
        "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac", "-movflags", "+faststart",
        name,
      ])
  }

  /// All that a programme gives to somebody who takes all of it at once.
  private struct Heard {
    var frames = 0
    var silentFrom = 0
    var pictures = 0
    var remarks: [String] = []
    var status = ProgrammeStatus()

    init(_ programme: any Programme) {
      for _ in 0..<5000 where status.phase != .ended {
        _ = programme.step(now: .zero)
        while let block = programme.nextSound() {
          #expect(block.start == frames)
          frames += block.frames
          if let last = block.samples.lastIndex(where: { abs($0) > 0.001 }) { silentFrom = block.start + last / 2 }
        }
        while programme.nextPicture() != nil { pictures += 1 }
        while let remark = programme.nextRemark() { remarks.append(remark) }
        status = programme.status
      }
    }
  }

  private func both(_ path: String, pictures: Bool = true) throws -> [Heard] {
    try hereAndApart(path, pictures: pictures).map { Heard($0) }
  }

  @Test func `a film whose sound is shorter than its pictures is silent for the rest`() throws {
    let folder = TemporaryFolder()
    try Self.film("film.mp4", sound: 1, in: folder)
    for heard in try both(folder.file("film.mp4")) {
      #expect(heard.status.phase == .ended && heard.status.breaksOff == nil)
      #expect(heard.frames == 3 * 48_000 && heard.status.length == 3 * 48_000)
      #expect(abs(heard.silentFrom - 48_000) < 2048)
      #expect(heard.pictures == 75)
      #expect(heard.remarks == [])
    }
    // Nobody sees it: it ends with its sound.
    for heard in try both(folder.file("film.mp4"), pictures: false) {
      #expect(heard.status.phase == .ended && heard.status.breaksOff == nil)
      #expect(abs(heard.frames - 48_000) < 2048)
    }
  }

  @Test func `sound that goes on in another codec ends there, and that is said`() throws {
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(2) + ["-c:a", "libvorbis", "a.ogg"])
    try ffmpeg(folder, tones(2) + ["-c:a", "libopus", "b.ogg"])
    folder.put((folder.bytes("a.ogg") ?? []) + (folder.bytes("b.ogg") ?? []), "both.ogg")
    for heard in try both(folder.file("both.ogg")) {
      #expect(heard.status.phase == .ended && heard.status.breaksOff?.code == "unsupported")
      #expect(abs(heard.frames - 96_000) < 2048, "\(heard.frames)")
    }
    for heard in try both(folder.file("a.ogg")) { #expect(heard.status.breaksOff == nil) }
  }

  @Test func `one may go to where only pictures are left, and back`() throws {
    let folder = TemporaryFolder()
    try Self.film("film.mp4", sound: 1, in: folder)
    for programme in try hereAndApart(folder.file("film.mp4")) {
      _ = Heard(programme)
      for (place, isSilent) in [(96_000, true), (12_000, false)] {
        programme.seek(to: place)
        var blocks: [SoundBlock] = []
        for _ in 0..<200 {
          _ = programme.step(now: .zero)
          while let block = programme.nextSound() { blocks.append(block) }
          while programme.nextPicture() != nil {}
        }
        #expect(blocks.first?.start == place)
        #expect(blocks.last.map { $0.start + $0.frames } == 3 * 48_000)
        #expect(blocks.first?.samples.allSatisfy { abs($0) < 0.001 } == isSilent)
        #expect(programme.status.phase == .ended)
      }
    }
  }

  @Test func `a copy that was cut off plays what it has, and says where it ends`() throws {
    let folder = TemporaryFolder()
    let path = try Self.cutOff(in: folder)
    for pictures in [true, false] {
      for heard in try both(path, pictures: pictures) {
        #expect(heard.status.phase == .ended)
        #expect(heard.frames > 48_000 && heard.frames < 5 * 24_000, "\(heard.frames)")
        let fault = try #require(heard.status.breaksOff)
        #expect(fault.code == "damaged")
        #expect(fault.text.contains("cut.mp4: cannot read (damaged): no sound from"), "\(fault)")
        #expect(fault.text.contains(" s on, of 3.0 s; copy it anew"), "\(fault)")
      }
    }
  }

  /// Two thirds of a film, with the whole of what says how long it is.
  private static func cutOff(in folder: TemporaryFolder) throws -> String {
    try film("film.mp4", sound: 3, in: folder)
    let whole = try #require(folder.bytes("film.mp4"))
    return folder.put(Array(whole.prefix(whole.count * 2 / 3)), "cut.mp4")
  }

  /// A film in which one sample of a track claims 2 GiB: libavformat reads that track's table up to there.
  private static func crafted(
    _ track: Int, sample: Int, seconds: Double = 3, in folder: TemporaryFolder
  ) throws -> String {
    try film("film.mp4", sound: seconds, pictures: seconds, in: folder)
    var bytes = try #require(folder.bytes("film.mp4"))
    let tables = bytes.indices.dropLast(4).filter { Array(bytes[$0..<$0 + 4]) == Array("stsz".utf8) }
    try #require(tables.count == 2)
    let place = tables[track] + 16 + 4 * sample
    bytes.replaceSubrange(place..<place + 4, with: [0x7F, 0xFF, 0xFF, 0xFF])
    return folder.put(bytes, "crafted.mp4")
  }

  @Test func `a sample of sound that claims 2 GiB costs the sound behind it, not the pictures`() throws {
    let folder = TemporaryFolder()
    let path = try Self.crafted(1, sample: 40, in: folder)
    for heard in try both(path) {
      #expect(heard.status.phase == .ended)
      #expect(abs(heard.frames - 3 * 48_000) < 2048 && heard.pictures == 75)
      #expect(heard.silentFrom < 48_000 && heard.silentFrom > 24_000)
      let fault = try #require(heard.status.breaksOff)
      #expect(fault.code == "damaged" && heard.remarks == [fault.text])
    }
    for heard in try both(path, pictures: false) {
      #expect(heard.frames < 48_000 && heard.status.breaksOff != nil && heard.status.phase == .ended)
    }
  }

  @Test func `a picture that claims 2 GiB costs the pictures behind it, not the sound`() throws {
    let folder = TemporaryFolder()
    for heard in try both(try Self.crafted(0, sample: 50, seconds: 6, in: folder)) {
      #expect(heard.status.phase == .ended)
      #expect(abs(heard.frames - 6 * 48_000) < 2048 && heard.silentFrom > 280_000)
      #expect(heard.pictures == 50)
      // The last one is shown for a second.
      let text = heard.status.breaksOff?.text ?? ""
      #expect(text.contains("no pictures from 2.") && text.contains(" s on, of 6.0 s"), "\(text)")
    }
  }

  @Test func `a round of what is broken is played round and round, which is said once`() throws {
    let folder = TemporaryFolder()
    let path = try Self.cutOff(in: folder)
    let programme = LoopedProgramme(try FileProgramme(path: path))
    var (frames, remarks): (Int, [String]) = (0, [])
    while frames < 10 * 48_000 {
      _ = programme.step(now: .zero)
      while let block = programme.nextSound() { frames += block.frames }
      while let remark = programme.nextRemark() { remarks.append(remark) }
    }
    #expect(remarks.count == 1)
  }
}
