internal import Glibc
internal import Hardware

/// Writes 16-bit WAV at given frame positions; what was never written is silence (a hole in the file).
///
/// The header is rewritten once a second of sound and at `finish`, so that the file can be read at any time.
final class WAVFileSink {
  private let file: Int32
  private let format: PCMFormat
  /// Frames in the file.
  private var frames = 0
  private var framesInHeader = -1
  private var bytes: [UInt8] = []

  init(path: String, format: PCMFormat) throws(DeviceError) {
    self.format = format
    file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      throw DeviceError(
        .failed, device: path, operation: "create the speaker's file", code: errno,
        hint: "name a file that can be written"
      )
    }
    finish()
  }

  deinit {
    finish()
    close(file)
  }

  /// Puts frames at a position; a write error (full disk) leaves silence there.
  func write(_ samples: UnsafePointer<Float>, frames count: Int, at position: Int) {
    let size = count * format.channels * 2
    if bytes.count != size { bytes = Array(repeating: 0, count: size) }
    for index in 0..<(count * format.channels) {
      let value = Int16(max(-32_768, min(32_767, (samples[index] * 32_768).rounded(.toNearestOrEven))))
      bytes[index * 2] = UInt8(truncatingIfNeeded: value)
      bytes[index * 2 + 1] = UInt8(truncatingIfNeeded: value >> 8)
    }
    _ = pwrite(file, bytes, size, off_t(44 + position * format.channels * 2))
    frames = max(frames, position + count)
    if frames - framesInHeader >= format.sampleRate { finish() }
  }

  /// Brings the header up to date.
  func finish() {
    guard frames != framesInHeader else { return }
    let frameBytes = format.channels * 2
    let size = min(frames * frameBytes, 0xFFFF_FFFF - 36)
    var header = Array("RIFF".utf8) + little(36 + size, 4) + Array("WAVEfmt ".utf8)
    header += little(16, 4) + little(1, 2) + little(format.channels, 2) + little(format.sampleRate, 4)
    header += little(format.sampleRate * frameBytes, 4) + little(frameBytes, 2) + little(16, 2)
    header += Array("data".utf8) + little(size, 4)
    _ = pwrite(file, header, header.count, 0)
    framesInHeader = frames
  }

  private func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
