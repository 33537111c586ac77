internal import Glibc
public import Hardware
internal import Synchronization

/// A WAV file as the microphone's input: its first sample is at the origin, after its end there is silence.
///
/// 16- and 24-bit samples are passed on bit by bit; wider ones are rounded to 24 bits by the microphone.
public final class WAVFileSource: SoundSource {
  public let header: WAVHeader
  private let file: Int32
  private let scratch = Mutex<[UInt8]>([])

  /// Opens the file. Blocks.
  public init(path: String) throws(DeviceError) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw DeviceError(
        .missing, device: path, operation: "open the sound file", code: errno, hint: "name a WAV file that exists")
    }
    var status = stat()
    do throws(WAVError) {
      guard fstat(file, &status) == 0 else { throw WAVError("cannot be examined") }
      header = try WAVHeader(size: Int(status.st_size)) { offset, count in
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
          filled = max(0, pread(file, buffer.baseAddress, count, off_t(offset)))
        }
      }
    } catch {
      Glibc.close(file)
      throw DeviceError(
        .unsupported, device: path, operation: "use it as a microphone", hint: "the file \(error.description)")
    }
    self.file = file
  }

  deinit { Glibc.close(file) }

  public var fixedFormat: PCMFormat? { header.format }

  public var isQuantised: Bool {
    switch header.sampleType {
    case .unsigned8, .signed16, .signed24: true
    case .signed32, .float32: false
    }
  }

  public func fill(_ target: UnsafeMutablePointer<Float>, frames: Int, from position: Int, format: PCMFormat) {
    let channels = header.format.channels
    let frameBytes = header.sampleType.bytes * channels
    let wanted = max(0, min(frames, header.frames - position))
    let got = scratch.withLock { bytes in
      if bytes.count < wanted * frameBytes { bytes = Array(repeating: 0, count: wanted * frameBytes) }
      return bytes.withUnsafeMutableBytes { buffer in
        guard let base = buffer.baseAddress, wanted > 0 else { return 0 }
        let size = pread(file, base, wanted * frameBytes, off_t(header.dataOffset + position * frameBytes))
        let frames = max(0, size) / frameBytes
        decode(UnsafeRawBufferPointer(rebasing: buffer[0..<(frames * frameBytes)]), into: target)
        return frames
      }
    }
    (target + got * channels).update(repeating: 0, count: (frames - got) * channels)
  }

  private func decode(_ bytes: UnsafeRawBufferPointer, into target: UnsafeMutablePointer<Float>) {
    let type = header.sampleType
    let count = bytes.count / type.bytes
    switch type {
    case .unsigned8:
      for index in 0..<count { target[index] = Float(Int(bytes[index]) - 128) / 128 }
    case .signed16:
      for index in 0..<count {
        let value = bytes.loadUnaligned(fromByteOffset: index &* 2, as: Int16.self)
        target[index] = Float(Int16(littleEndian: value)) * (1 / 32_768)
      }
    case .signed24:
      for index in 0..<count {
        let low = Int32(bytes[index &* 3]) | Int32(bytes[index &* 3 &+ 1]) << 8
        target[index] = Float(low | Int32(Int8(bitPattern: bytes[index &* 3 &+ 2])) << 16) * (1 / 8_388_608)
      }
    case .signed32:
      for index in 0..<count {
        let value = bytes.loadUnaligned(fromByteOffset: index &* 4, as: Int32.self)
        target[index] = Float(Double(Int32(littleEndian: value)) / 2_147_483_648)
      }
    case .float32:
      for index in 0..<count {
        let bits = bytes.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self)
        let value = Float(bitPattern: UInt32(littleEndian: bits))
        target[index] = value.isFinite ? value : 0
      }
    }
  }
}
