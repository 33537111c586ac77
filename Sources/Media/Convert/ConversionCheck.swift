public import Hardware

/// Reads a converted file back, a piece at a time, beside the sound that it was made of: of a lossless or raw one every
/// sample has to be the same, of others the length, and all of it has to be readable. Owned by one thread at a time; every
/// call blocks on the medium.
public final class ConversionCheck {
  private let source: JoinedSound?
  /// `nil`: there is no head by which it could be decoded, and its bytes are compared.
  private let converted: JoinedSound?
  private let file: any StoredFile
  private let law: G711?
  private var bytes = 0
  private let target: PCMFormat
  private let frames: Int
  private var one: [Float]
  private var other: [Float]

  private static let piece = 4096
  /// Frames by which a lossy file may be longer or shorter: a packet of MP3. Some decoders do not know where it ends.
  private static let tolerance = 1152

  /// - Parameters:
  ///   - paths: what it was made of.
  ///   - path: of the new file.
  ///   - file: the same, open.
  ///   - name: by which its kind is told.
  ///   - conversion: that made it.
  public init(
    _ paths: [String], is path: String, _ file: any StoredFile, name: String, as format: ConvertedFormat,
    of conversion: SoundConversion
  ) throws(MediaError) {
    target = conversion.target
    frames = conversion.frames
    (self.file, law) = (file, format.law)
    converted = law == nil ? try JoinedSound([path], name: name) : nil
    source = format.isLossless || law != nil ? try JoinedSound(paths, output: law == nil ? nil : target) : nil
    one = [Float](repeating: 0, count: Self.piece * target.channels)
    other = one
  }

  /// Frames that have been read.
  public var position: Int { converted?.position ?? bytes }

  /// Reads the next piece.
  ///
  /// - Returns: nil while there is more to do; else whether the file is what it has to be.
  public func step() throws(MediaError) -> Bool? {
    guard let converted else { return try compareBytes() }
    guard converted.format.sampleRate == target.sampleRate, converted.format.channels == target.channels else {
      return false
    }
    let got = try Self.fill(&one, from: converted, target.channels)
    guard let source else {
      guard got == 0 else { return nil }
      return abs(converted.position - frames) <= Self.tolerance && converted.damagedPackets == 0
    }
    let wanted = try Self.fill(&other, from: source, target.channels)
    guard got == wanted else { return false }
    guard got > 0 else { return converted.position == frames && converted.damagedPackets == 0 }
    for index in 0..<got * target.channels where !isSame(one[index], other[index]) { return false }
    return nil
  }

  private func compareBytes() throws(MediaError) -> Bool? {
    guard let source, let law else { return false }
    let wanted = try Self.fill(&other, from: source, target.channels)
    guard wanted > 0 else { return bytes == frames && file.size == bytes }
    var read = [UInt8](repeating: 0, count: wanted)
    do {
      guard try read.withUnsafeMutableBytes({ try file.read(into: $0, at: bytes) }) == wanted else { return false }
    } catch {
      return false
    }
    bytes += wanted
    return read == law.encoded(other, count: wanted) ? nil : false
  }

  private func isSame(_ read: Float, _ meant: Float) -> Bool {
    target.bits > 24
      ? read.bitPattern == meant.bitPattern || read.isNaN && meant.isNaN
      : SampleRounding.integer(read, bits: target.bits) == SampleRounding.integer(meant, bits: target.bits)
  }

  private static func fill(
    _ samples: inout [Float], from sound: JoinedSound, _ channels: Int
  ) throws(MediaError) -> Int {
    try samples.withUnsafeMutableBufferPointer { buffer throws(MediaError) -> Int in
      guard let start = buffer.baseAddress else { return 0 }
      var done = 0
      while done < piece {
        let got = try sound.read(into: start + done * channels, frames: piece - done)
        if got == 0 { break }
        done += got
      }
      return done
    }
  }
}
