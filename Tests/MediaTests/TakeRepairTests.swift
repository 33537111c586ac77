import Foundation
import Hardware
import Media
import TestSupport
import Testing

struct TakeRepairTests {
  let pcm = PCMFormat(sampleRate: 16_000, channels: 1)

  private func take(finish: Bool) throws -> (bytes: [UInt8], flushed: [(frames: Int, bytes: Int)], samples: [Float]) {
    let file = MemoryFile()
    let samples = glide(frames: 32_000, channels: 1, sampleRate: 16_000)
    let flushed = try writeM4A(samples, pcm: pcm, to: file, bitrate: 32, flushEvery: 3200, finish: finish)
    return (file.bytes, flushed, samples)
  }

  private func repaired(_ bytes: [UInt8]) throws -> (MediaInspection, MemoryFile) {
    let file = MemoryFile(bytes)
    return (try MediaRepair.repair(file, scratch: MemoryFile(path: "scratch")), file)
  }

  @Test func `an unfinished take cut at any byte is finished with every flushed frame`() throws {
    let (bytes, flushed, _) = try take(finish: false)
    for length in flushed[0].bytes...bytes.count {
      let (inspection, file) = try repaired(Array(bytes.prefix(length)))
      let expected = flushed.last { $0.bytes <= length }?.frames ?? 0
      #expect(inspection.condition == .finished)
      #expect(inspection.frames >= expected - 1024)
      #expect(
        try MediaRepair.inspect(file)
          == MediaInspection(
            .finished, format: .aac, pcm: pcm, frames: inspection.frames))
    }
  }

  @Test func `a repaired take is an ordinary file with the sound in its place`() throws {
    let folder = TemporaryFolder()
    let (bytes, _, samples) = try take(finish: false)
    #expect(try MediaRepair.inspect(MemoryFile(bytes)).condition == .unfinished("The recording was interrupted."))
    let (inspection, file) = try repaired(Array(bytes.dropLast(100)))
    let path = folder.put(file.bytes, "take.m4a")
    #expect(try probe(path, "stream=duration_ts") == "\(inspection.frames)")
    #expect(try probe(path, "format_tags=title") == "A title")
    let decoded = try decodeWithFFmpeg(path)
    #expect(correlation(samples.prefix(inspection.frames), decoded.prefix(inspection.frames)) > 0.99)
  }

  @Test func `a finished take that was cut off or has a damaged index is rebuilt from its fragments`() throws {
    let (bytes, flushed, samples) = try take(finish: true)
    let (unchanged, untouched) = try repaired(bytes)
    #expect(unchanged.condition == .finished && unchanged.frames == samples.count)
    #expect(untouched.writes.isEmpty)
    for length in stride(from: flushed[0].bytes, to: bytes.count, by: 13) {
      let (inspection, file) = try repaired(Array(bytes.prefix(length)))
      #expect(inspection.condition == .finished)
      #expect(inspection.frames >= (flushed.last { $0.bytes <= length }?.frames ?? 0) - 1024)
      #expect(try MediaRepair.inspect(file).condition == .finished)
    }
  }

  @Test func `damage in the middle becomes a gap, and what follows stays in its place`() throws {
    let folder = TemporaryFolder()
    var (bytes, flushed, samples) = try take(finish: false)
    // The head of the fourth fragment.
    for place in flushed[3].bytes..<flushed[3].bytes + 200 { bytes[place] = 0xFF }
    let (inspection, file) = try repaired(bytes)
    #expect(inspection.condition == .finished)
    #expect(inspection.unreadableBytes > 0)
    #expect(inspection.frames == (flushed.last?.frames ?? 0) - 1024)
    let sound = try SoundFile(path: folder.put(file.bytes, "take.m4a"))
    #expect(sound.totalFrames == inspection.frames)
    let decoded = try readAll(sound)
    #expect(decoded.count == inspection.frames)
    let hole = flushed[3].frames..<flushed[4].frames
    #expect(inspection.gaps.map(\.range) == [hole.lowerBound - 1024..<hole.upperBound - 1024])
    #expect(decoded[(hole.lowerBound + 1024)..<(hole.upperBound - 2048)].allSatisfy { $0.magnitude < 0.01 })
    let after = (hole.upperBound + 1024)..<inspection.frames
    #expect(correlation(samples[after], decoded[after]) > 0.99)
  }

  @Test func `a take whose beginning is lost keeps what follows in its place`() throws {
    let folder = TemporaryFolder()
    var (bytes, flushed, samples) = try take(finish: false)
    // The heads of the first two fragments.
    for index in 0..<2 {
      for place in flushed[index].bytes..<flushed[index].bytes + 200 { bytes[place] = 0xFF }
    }
    let (inspection, file) = try repaired(bytes)
    #expect(inspection.condition == .finished)
    #expect(inspection.frames == (flushed.last?.frames ?? 0) - 1024)
    #expect(inspection.gaps.map(\.range) == [0..<flushed[2].frames - 1024])
    let path = folder.put(file.bytes, "take.m4a")
    let sound = try SoundFile(path: path)
    #expect(sound.totalFrames == inspection.frames)
    let decoded = try readAll(sound)
    #expect(decoded.count == inspection.frames)
    #expect(decoded[..<(flushed[2].frames - 2048)].allSatisfy { $0.magnitude < 0.01 })
    let after = (flushed[2].frames + 1024)..<inspection.frames
    #expect(correlation(samples[after], decoded[after]) > 0.99)
    // Also from a place in the middle, and backwards.
    try sound.seek(toFrame: after.lowerBound + 5_000)
    let part = try readAll(sound)
    #expect(part.elementsEqual(decoded[(after.lowerBound + 5_000)...]))
    try sound.seek(toFrame: 100)
    #expect(try readAll(sound).elementsEqual(decoded[100...]))
    // Other players agree: the edit list begins with nothing.
    #expect(try probe(path, "stream=start_time").hasPrefix("0.") == true)
  }

  @Test func `blocks that a power cut left as zeros are left out`() throws {
    var (bytes, flushed, _) = try take(finish: false)
    for place in (flushed[8].bytes + 150)..<bytes.count { bytes[place] = 0 }
    let (inspection, _) = try repaired(bytes)
    #expect(inspection.condition == .finished)
    #expect(inspection.frames >= flushed[8].frames - 1024)
    #expect(inspection.frames < flushed[9].frames)
  }

  @Test func `repair can be broken off at any write and run again`() throws {
    let (bytes, _, _) = try take(finish: false)
    let (_, whole) = try repaired(bytes)
    for budget in stride(from: 0, to: 1200, by: 5) {
      let file = MemoryFile(bytes)
      file.budget = budget
      _ = try? MediaRepair.repair(file, scratch: MemoryFile())
      file.budget = nil
      #expect(try MediaRepair.repair(file, scratch: MemoryFile()).condition == .finished)
      #expect(file.bytes == whole.bytes)
    }
  }

  @Test func `a take whose header is lost is salvaged with what is known of it`() throws {
    let (bytes, _, samples) = try take(finish: true)
    let damaged = MemoryFile([UInt8](repeating: 0x55, count: 700) + bytes.dropFirst(700))
    guard case .damaged = try MediaRepair.inspect(damaged).condition else { Issue.record("not damaged"); return }
    let folder = TemporaryFolder()
    let target = MemoryFile()
    let template = FileDescription(
      sound: SoundTrack(pcm: pcm, configuration: [], primingFrames: 1024, bitrateKbps: 32),
      createdAt: WallTime(nanosecondsSince1970: 0), title: "B")
    let inspection = try MediaRepair.salvage(
      from: damaged, into: target, scratch: MemoryFile(), template: template)
    #expect(inspection.condition == .finished)
    let decoded = try decodeWithFFmpeg(folder.put(target.bytes, "take.m4a"))
    #expect(correlation(samples[...], decoded.prefix(samples.count)) > 0.99)
    #expect(damaged.writes.isEmpty)
  }

  @Test func `ordinary files of others are left alone`() throws {
    let folder = TemporaryFolder()
    for name in ["a.m4a", "b.wav", "c.mp3"] {
      let path = folder.file(name)
      try Tool.run("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=d=1", path])
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      let (inspection, file) = try repaired(bytes)
      #expect(file.writes.isEmpty)
      if name == "c.mp3" {
        guard case .damaged = inspection.condition else { Issue.record("\(inspection)"); continue }
      } else {
        #expect(inspection.condition == .foreign)
      }
    }
  }

  @Test func `a WAV take cut at any byte is finished with all the frames that are there`() throws {
    let pcm = PCMFormat(sampleRate: 48_000, channels: 1, bits: 24)
    let file = MemoryFile()
    let samples = glide(frames: 1_000, channels: 1, sampleRate: 48_000)
    let flushed = try writeWave(samples, pcm: pcm, to: file, flushEvery: 250)
    let head = flushed[0].bytes
    for length in head...file.bytes.count {
      let (inspection, cut) = try repaired(Array(file.bytes.prefix(length)))
      #expect(inspection.condition == .finished, "\(length)")
      #expect(inspection.frames == min(1_000, (length - head) / 3))
      #expect(try MediaRepair.inspect(cut).condition == .finished)
    }
    // Sizes that are stale, zero or too large.
    for claimed: [UInt8] in [[0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0xFF, 0xFF, 0xFF, 0x7F], [30, 0, 0, 0]] {
      let unfinished = MemoryFile()
      try writeWave(samples, pcm: pcm, to: unfinished, flushEvery: 250, finish: false)
      unfinished.bytes.replaceSubrange(head - 4..<head, with: claimed)
      let (inspection, _) = try repaired(unfinished.bytes)
      #expect(inspection.condition == .finished)
      #expect(inspection.frames == 1_000)
    }
  }

  @Test func `no number of its head costs an unfinished WAV take its sound`() throws {
    let pcm = PCMFormat(sampleRate: 8_000, channels: 1)
    let file = MemoryFile()
    let samples = glide(frames: 8_000, channels: 1, sampleRate: 8_000)
    try writeWave(samples, pcm: pcm, to: file, flushEvery: 250, finish: false)
    // As a power cut leaves it: the last sound is not claimed yet.
    file.bytes += [UInt8](repeating: 1, count: 500)
    let format = try #require(file.bytes.firstRange(of: Array("fmt ".utf8))).upperBound + 4
    for place in stride(from: format, to: format + 16, by: 2) {
      for value: [UInt8] in [[0, 0], [1, 0], [3, 0], [0xFF, 0x7F], [0xFF, 0xFF]] {
        var bytes = file.bytes
        bytes.replaceSubrange(place..<place + 2, with: value)
        let (_, repaired) = try repaired(bytes)
        #expect(repaired.bytes.count + 2 >= bytes.count, "\(place - format) \(value)")
      }
    }
    // A file that claims more than there is, and a byte of sound.
    var bytes = file.bytes
    bytes.replaceSubrange(4..<8, with: [0xFE, 0xFF, 0xFF, 0xFF])
    bytes.replaceSubrange(format + 20..<format + 24, with: [1, 0, 0, 0])
    #expect(try repaired(bytes).1.bytes.count + 2 >= bytes.count)
  }

  @Test func `the broken headers of other recorders are mended`() throws {
    let folder = TemporaryFolder()
    let path = folder.file("a.wav")
    try Tool.run("sox", ["-n", "-r", "48000", "-b", "16", path, "synth", "1", "sine", "440"])
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    bytes.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0x7F])
    bytes.replaceSubrange(40..<44, with: [0xDB, 0xFF, 0xFF, 0x7F])
    let (inspection, file) = try repaired(bytes)
    #expect(inspection.condition == .finished && inspection.frames == 48_000)
    #expect(try probe(folder.put(file.bytes, "b.wav"), "stream=duration_ts") == "48000")
  }
}
