internal import Glibc
public import Hardware
internal import Synchronization

/// A WAV file as what the microphone hears: its first sample is at the origin, after its end there is silence.
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
    for index in 0..<(bytes.count / type.bytes) {
      let place = index * type.bytes
      switch type {
      case .unsigned8:
        target[index] = Float(Int(bytes[place]) - 128) / 128
      case .signed16:
        target[index] = Float(Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: Int16.self))) / 32768
      case .signed24:
        let low = Int32(bytes[place]) | Int32(bytes[place + 1]) << 8
        target[index] = Float(low | Int32(Int8(bitPattern: bytes[place + 2])) << 16) / 8_388_608
      case .signed32:
        let value = Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: Int32.self))
        target[index] = Float(Double(value) / 2_147_483_648)
      case .float32:
        let value = Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
        target[index] = value.isFinite ? value : 0
      }
    }
  }
}
