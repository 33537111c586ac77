import Dictaphone
import Foundation
import Hardware
import Media
import Recording
import SimulatedHardware
import TestSupport
import Testing

/// A take that goes on in another file.
@Suite struct SplitTests {
  @Test("The files of a split take are the take, frame by frame, whatever came up to the seams")
  func samples() throws {
    for seed in 0..<8 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var settings = RecordingSettings.counted(preRecordSeconds: Int.random(in: 0...5, using: &random))
      settings.splitSeconds = 2
      let bench = Bench(settings: settings, period: Int.random(in: 16...160, using: &random))
      let stop = Double(Int.random(in: 15_000...19_000, using: &random)) / 1000
      bench.run(until: .at(6))
      bench.recorder.start(at: .at(6))
      bench.run(until: .at(stop))
      bench.recorder.stop(at: .at(stop), reason: .user)
      bench.finish()
      let takes = bench.store.takes
      let first = 48_000 - settings.preRecordSeconds * Bench.rate
      let end = Int((stop * 8000).rounded())
      #expect(takes.count == (end - first + 15_999) / 16_000, "seed \(seed)")
      #expect(takes.flatMap { bench.samples(of: $0) } == Array((first + 1)...end), "seed \(seed)")
      for (index, take) in takes.enumerated() {
        let isLast = index == takes.count - 1
        #expect(take.ending?.reason == (isLast ? .user : .split))
        #expect(take.ending?.frames == (isLast ? end - first - index * 16_000 : 16_000))
        #expect(take.ending?.receipt.part == index + 1)
        #expect(take.opening.continues == (index == 0 ? nil : takes[index - 1].opening.number))
        // Each says when its own first frame was.
        let start = take.opening.receipt.start - takes[0].opening.receipt.start
        #expect(abs(start.inSeconds - Double(2 * index)) < 0.001)
      }
    }
  }

  @Test("No file of a split take is dated before the press, or before the file that it goes on from")
  func dates() throws {
    var settings = RecordingSettings.counted(preRecordSeconds: 5)
    settings.splitSeconds = 2
    let bench = Bench(settings: settings)
    bench.run(until: .at(6))
    bench.recorder.start(at: .at(6))
    bench.run(until: .at(9))
    bench.recorder.stop(at: .at(9), reason: .user)
    bench.finish()
    // From 1, 3, 5 and 7 s on.
    let takes = bench.store.takes.compactMap(\.opening.take)
    #expect(takes.map(\.preRecordedFrames) == [16_000, 16_000, 8000, 0])
    let first = try #require(takes.first)
    for (take, late) in zip(takes, [0.0, 0, 0, 1]) {
      let wall = take.pressedAt.nanosecondsSince1970 - first.pressedAt.nanosecondsSince1970
      #expect(abs(Double(wall) / 1e9 - late) < 0.001)
      #expect(abs((take.pressedInstant - first.pressedInstant).inSeconds - late) < 0.001)
    }
  }

  @Test("Marks, pauses and gaps are in the file that they lie in")
  func places() throws {
    var settings = RecordingSettings.counted()
    settings.splitSeconds = 2
    let bench = Bench(settings: settings)
    bench.run(until: .at(1))
    bench.recorder.start(at: .at(1))
    bench.run(until: .at(2))
    bench.recorder.mark(at: .at(2), title: nil)
    bench.run(until: .at(2.5))
    // From 1.5 s to 2.5 s of the take.
    bench.microphone.overrun(.seconds(1), at: .at(2.5))
    bench.run(until: .at(4))
    bench.recorder.mark(at: .at(3.9), title: nil)
    bench.recorder.pause(at: .at(4))
    bench.run(until: .at(5))
    bench.recorder.resume(at: .at(5))
    bench.run(until: .at(7))
    bench.recorder.stop(at: .at(7), reason: .user)
    bench.finish()
    let takes = bench.store.takes
    #expect(takes.map { $0.ending?.frames } == [16_000, 16_000, 8000])
    #expect(takes.map(\.marks) == [[8000], [7200], []])
    #expect(takes[0].gaps == [CaptureGap(frame: 12_000, frames: 4000, reason: "overrun")])
    #expect(takes[1].gaps == [CaptureGap(frame: 0, frames: 4000, reason: "overrun")])
    #expect(takes.map { $0.ending?.receipt.sound.lostFrames } == [4000, 4000, 0])
  }

  @Test("Decoded one after the other, the AAC files of a split take are what the take in one file is")
  func decoded() throws {
    let folder = TemporaryFolder()
    let whole = try Self.decode(Self.record(splitSeconds: 0), in: folder)
    let parts = try Self.decode(Self.record(splitSeconds: 3), in: folder)
    #expect(whole.count == 1 && parts.count == 4)
    let joined = parts.flatMap { $0 }
    #expect(whole.first?.count == 11 * 16_000 + 123)
    #expect(joined.count == whole.first?.count)
    let largest = zip(joined, whole.first ?? []).map { abs($0 - $1) }.max() ?? .max
    #expect(largest <= 1)
  }

  @Test("The Opus files of a split take go on where one ends, and sound as the take in one file does")
  func decodedOpus() throws {
    let folder = TemporaryFolder()
    func decode(_ bench: Bench) throws -> [Float] {
      try bench.store.takes.flatMap { take in
        let (file, raw) = (folder.file("take.opus"), folder.file("take.raw"))
        try Data(try bench.memory.read(take.id, limit: 1 << 30)).write(to: URL(fileURLWithPath: file))
        try folder.tool("opusdec", ["--quiet", "--rate", "48000", "--float", "--force-stereo", file, raw])
        let samples = try Data(contentsOf: URL(fileURLWithPath: raw))
        return samples.withUnsafeBytes { buffer in
          stride(from: 0, to: buffer.count, by: 8).map { buffer.loadUnaligned(fromByteOffset: $0, as: Float.self) }
        }
      }
    }
    let whole = try decode(Self.record(splitSeconds: 0, encoding: .opus, sampleRate: 48_000))
    let split = Self.record(splitSeconds: 3, encoding: .opus, sampleRate: 48_000)
    let joined = try decode(split)
    #expect(split.store.takes.count == 4)
    #expect(whole.count == 11 * 48_000 + 369)
    #expect(joined.count == whole.count)
    // The decoder has settled when the first frame of a file is heard: at most a hundredth is left between them.
    let largest = zip(joined, whole).map { abs($0 - $1) }.max() ?? .infinity
    #expect(largest < 0.01, "\(largest)")
  }

  @Test(
    "A take whose next file cannot be begun ends with the one before, which says why, and it is told",
    arguments: [TakeEncoding.wav, .aac], [false, true])
  func brokenOff(encoding: TakeEncoding, isCreated: Bool) throws {
    let rate = encoding == .wav ? Bench.rate : 16_000
    let bench = Bench(
      settings: RecordingSettings(
        encoding: encoding, bitrateKbps: 64, sampleRate: rate, channels: 1, bits: encoding == .wav ? 24 : 16,
        preRecordSeconds: 0, splitSeconds: 2), period: rate / 100,
      source: encoding == .wav ? nil : ToneSource(frequencies: [440]))
    let storage = bench.storage
    // No room for the file, or none for what stands at its beginning.
    let fill: (RecordingOpening) -> Void = { if $0.continues != nil { storage.setFull(true) } }
    if isCreated { bench.store.hasCreated = fill } else { bench.store.willCreate = fill }
    bench.run(until: .at(1))
    bench.recorder.start(at: .at(1))
    bench.run(until: .at(6))
    #expect(!bench.recorder.isRecording)
    bench.finish()
    #expect(bench.store.takes.count == 1)
    let ending = try #require(bench.store.takes.first?.ending)
    #expect(ending.reason == .storageFull && ending.receipt.stopReason == "storage-full")
    // In AAC the last packets of a file come after the next is begun.
    #expect(encoding == .wav ? ending.frames == 2 * rate : ending.frames > rate && ending.frames <= 2 * rate)
    #expect(ending.unfinished == nil)
    #expect(bench.log.saved.map(\.reason) == [.storageFull])
    try #require(bench.log.failures.count == 1, "\(bench.log.failures)")
    #expect(bench.log.failures[0].hasPrefix("storage-full: the take ends here"), "\(bench.log.failures)")
    if encoding == .wav { #expect(bench.samples(of: bench.store.takes[0]) == Array(8001...24_000)) }
    let file = try bench.memory.open(bench.store.takes[0].id, writable: false)
    #expect(try MediaRepair.inspect(file).frames == ending.frames)
    // The device goes on.
    storage.setFull(false)
    bench.recorder.start(at: bench.clock.now)
    bench.run(for: .seconds(1))
    bench.recorder.stop(at: bench.clock.now, reason: .user)
    bench.finish()
    #expect(bench.log.saved.map(\.reason) == [.storageFull, .user])
  }

  @Test("A split while the past is encoded, and a stop right at a seam, leave no empty file")
  func seams() throws {
    var settings = RecordingSettings.counted(preRecordSeconds: 10)
    settings.splitSeconds = 1
    let bench = Bench(settings: settings)
    bench.run(until: .at(11))
    bench.recorder.start(at: .at(11))
    bench.run(until: .at(13))
    bench.recorder.stop(at: .at(13), reason: .user)
    bench.finish()
    #expect(bench.store.takes.map { $0.ending?.frames } == Array(repeating: 8000, count: 12))
    #expect(bench.store.takes.flatMap { bench.samples(of: $0) } == Array(8001...104_000))
    #expect(bench.log.failures.isEmpty)
  }

  /// 11 s and a bit of a tone that glides.
  private static func record(splitSeconds: Int, encoding: TakeEncoding = .aac, sampleRate: Int = 16_000) -> Bench {
    let source = FunctionSource(format: PCMFormat(sampleRate: sampleRate, channels: 1, bits: 16)) { frame, _ in
      let time = Double(frame) / Double(sampleRate)
      return Float(0.5 * sin(2 * .pi * (300 * time + 40 * time * time)))
    }
    let bench = Bench(
      settings: RecordingSettings(
        encoding: encoding, bitrateKbps: 128, sampleRate: sampleRate, channels: 1, bits: 16, preRecordSeconds: 0,
        splitSeconds: splitSeconds), period: sampleRate / 100, source: source)
    bench.run(until: .at(1))
    bench.recorder.start(at: .at(1))
    let end = Instant.at(12 + 123 / 16_000)
    bench.run(until: end)
    bench.recorder.stop(at: end, reason: .user)
    bench.finish()
    return bench
  }

  /// What players that keep to the length of the file hear. ffmpeg decodes the last packet to its end, so what is behind
  /// the length that ffprobe reads is left out here.
  static func decode(_ bench: Bench, in folder: TemporaryFolder) throws -> [[Int]] {
    try bench.store.takes.map { take in
      let (file, raw) = (folder.file(take.id), folder.file("\(take.id).raw"))
      let bytes = try bench.memory.read(take.id, limit: 1 << 30)
      try Data(bytes).write(to: URL(fileURLWithPath: file))
      try folder.tool(
        "ffmpeg", ["-v", "error", "-y", "-i", file, "-f", "s16le", "-acodec", "pcm_s16le", raw])
      let samples = try Data(contentsOf: URL(fileURLWithPath: raw))
      let length = folder.file("\(take.id).length")
      try folder.tool(
        "ffprobe", ["-v", "error", "-show_entries", "stream=duration_ts", "-of", "csv=p=0", "-o", length, file])
      let text = try String(contentsOfFile: length, encoding: .utf8)
      let frames = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
      return samples.withUnsafeBytes { buffer in
        (0..<min(frames, buffer.count / 2)).map { Int(buffer.loadUnaligned(fromByteOffset: 2 * $0, as: Int16.self)) }
      }
    }
  }
}
