import Foundation
import Hardware
import Media
import Synchronization
import TestSupport

/// A real file. Large writes can be left as holes, so that gigabytes cost nothing.
final class DiskFile: StoredFile, @unchecked Sendable {
  let path: String
  /// Writes of at least this size only extend the file.
  var hollowFrom = Int.max
  private let descriptor: Int32
  private(set) var size = 0

  init(_ path: String) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o644)
  }

  deinit { Glibc.close(descriptor) }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    if bytes.count >= hollowFrom {
      if offset + bytes.count > size { ftruncate(descriptor, offset + bytes.count) }
    } else {
      guard pwrite(descriptor, bytes.baseAddress, bytes.count, offset) == bytes.count else {
        throw StorageError(.failed, operation: "write", path: path, code: errno)
      }
    }
    size = max(size, offset + bytes.count)
  }

  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    max(0, pread(descriptor, target.baseAddress, target.count, offset))
  }

  func truncate(to size: Int) throws(StorageError) {
    ftruncate(descriptor, size)
    self.size = size
  }

  func sync() throws(StorageError) {}
  func close() {}
}

/// One value that ffprobe shows of a file's stream or container.
func probe(_ path: String, _ entry: String) throws -> String {
  let result = try Tool.run("ffprobe", ["-v", "error", "-show_entries", entry, "-of", "default=nw=1:nk=1", path])
  return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
}

/// All samples of a file as ffmpeg decodes it, interleaved, its own rate and channels.
func decodeWithFFmpeg(_ path: String) throws -> [Float] {
  let result = try Tool.run("ffmpeg", ["-v", "error", "-i", path, "-f", "f32le", "-"])
  return result.data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
}

/// Sound with no two stretches alike: gliding tones with a changing envelope, another one in each channel.
func glide(frames: Int, channels: Int, sampleRate: Int) -> [Float] {
  var samples = [Float](repeating: 0, count: frames * channels)
  samples.withUnsafeMutableBufferPointer { buffer in
    for frame in 0..<frames {
      let time = Double(frame) / Double(sampleRate)
      for channel in 0..<channels {
        let phase = 2 * Double.pi * (300 * time + (170 + 90 * Double(channel)) * time * time)
        let envelope = 0.3 + 0.2 * sin(2 * .pi * (3.1 + Double(channel)) * time)
        buffer[frame * channels + channel] = Float(envelope * sin(phase))
      }
    }
  }
  return samples
}

/// Normalised correlation of two stretches of equal length.
func correlation(_ left: ArraySlice<Float>, _ right: ArraySlice<Float>) -> Double {
  var (ab, aa, bb) = (0.0, 0.0, 0.0)
  for (a, b) in zip(left, right) {
    ab += Double(a) * Double(b)
    aa += Double(a) * Double(a)
    bb += Double(b) * Double(b)
  }
  return aa > 0 && bb > 0 ? ab / (aa * bb).squareRoot() : 0
}

/// Encodes samples and writes them as a take.
///
/// - Parameter flushEvery: frames between flushes.
/// - Returns: frames of whole access units that were on the medium after each flush, with the file's size then.
@discardableResult
func writeM4A(
  _ samples: [Float], pcm: PCMFormat, to file: any StoredFile, bitrate: Int = 128, flushEvery: Int = 9600,
  finish: Bool = true, marks: [TakeMark] = []
) throws -> [(frames: Int, bytes: Int)] {
  let encoder = try AACEncoder(format: pcm, bitrateKbps: bitrate)
  var take = MovieWriter(
    file: file, scratch: MemoryFile(path: "scratch"),
    description: FileDescription(
      sound: SoundTrack(
        pcm: pcm, configuration: encoder.configuration, primingFrames: encoder.primingFrames, bitrateKbps: bitrate),
      createdAt: WallTime(nanosecondsSince1970: 1_795_000_000 << 30), title: "A title", originator: "Mynah 1.0"))
  take.summary.marks = marks
  try take.begin()
  var flushed = [(0, take.fileBytes)]
  var units = 0
  let frames = samples.count / pcm.channels
  var fed = 0
  while fed < frames {
    let count = min(flushEvery, frames - fed)
    try samples.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return }
      try encoder.encode(start + fed * pcm.channels, frames: count) {
        take.append($0, to: 0)
        units += 1
      }
    }
    fed += count
    try take.flush()
    flushed.append((units * 1024, take.fileBytes))
  }
  guard finish else { return flushed }
  try encoder.finish { take.append($0, to: 0) }
  try take.finish(at: [frames])
  return flushed
}

/// Writes samples as a WAV take, with a flush every `flushEvery` frames.
@discardableResult
func writeWave(
  _ samples: [Float], pcm: PCMFormat, to file: any StoredFile, flushEvery: Int = 9600, finish: Bool = true,
  summary: FileSummary = FileSummary(), codec: SoundCodec = .pcm
) throws -> [(frames: Int, bytes: Int)] {
  var take = WaveWriter(
    file: file, scratch: nil,
    description: FileDescription(
      sound: SoundTrack(codec, pcm: pcm), createdAt: WallTime(nanosecondsSince1970: 1_795_000_000 << 30),
      title: "A title", originator: "Mynah 1.0"))
  take.summary = summary
  try take.begin()
  var flushed = [(0, take.fileBytes)]
  let frames = samples.count / pcm.channels
  var fed = 0
  while fed < frames {
    let count = min(flushEvery, frames - fed)
    let part = samples[fed * pcm.channels..<(fed + count) * pcm.channels]
    // Of companded sound any byte is a sample.
    let bytes = codec == .pcm ? pcmBytes(part, bits: pcm.bits) : part.map { UInt8(clamping: Int($0 * 127) + 128) }
    bytes.withUnsafeBytes { take.append($0, to: 0) }
    fed += count
    try take.flush()
    flushed.append((fed, take.fileBytes))
  }
  if finish { try take.finish(at: [frames]) }
  return flushed
}

/// Samples as a WAV file has them: little-endian two's complement, or float.
func pcmBytes(_ samples: ArraySlice<Float>, bits: Int) -> [UInt8] {
  if bits == 32 {
    return samples.flatMap { sample in withUnsafeBytes(of: sample.bitPattern.littleEndian) { Array($0) } }
  }
  let scale: Float = bits > 16 ? 8_388_608 : 32_768
  return samples.flatMap { sample in
    let value = Int32(min(max((sample * scale).rounded(.toNearestOrEven), -scale), scale - 1))
    return stride(from: 0, to: bits > 16 ? 24 : 16, by: 8).map { UInt8(truncatingIfNeeded: value >> Int32($0)) }
  }
}

/// Everything that `SoundFile` gives from where it stands.
func readAll(_ file: SoundFile, block: Int = 4096) throws -> [Float] {
  var samples: [Float] = []
  var buffer = [Float](repeating: 0, count: block * file.outputFormat.channels)
  while true {
    let count = try file.read(into: &buffer, frames: block)
    if count == 0 { return samples }
    samples.append(contentsOf: buffer.prefix(count * file.outputFormat.channels))
  }
}
