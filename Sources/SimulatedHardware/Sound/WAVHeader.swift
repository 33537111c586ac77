public import Hardware

/// What is wrong with a WAV file, as a clause that follows its name.
public struct WAVError: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String

  init(_ description: String) { self.description = description }
}

/// Where the samples of a WAV file are and what they look like (Microsoft/IBM "Multimedia Programming Interface
/// and Data Specifications 1.0"; RF64 after EBU Tech 3306).
public struct WAVHeader: Hashable, Sendable {
  /// How one sample is stored.
  public enum SampleType: Hashable, Sendable {
    case unsigned8
    case signed16
    case signed24
    case signed32
    case float32

    /// Bytes a sample.
    public var bytes: Int {
      switch self {
      case .unsigned8: 1
      case .signed16: 2
      case .signed24: 3
      case .signed32, .float32: 4
      }
    }
  }

  /// Rate and channels of the file; 16 bits up to 16, else 24.
  public var format: PCMFormat
  public var sampleType: SampleType
  /// Byte offset of the first sample.
  public var dataOffset: Int
  /// Frames in the file.
  public var frames: Int

  /// Reads the chunks of a file. A data chunk that claims more than the file has (a recording that was cut off,
  /// a stream) ends with the file.
  ///
  /// - Parameters:
  ///   - size: bytes in the file.
  ///   - read: bytes at an offset; fewer than asked only at the end.
  public init(size: Int, read: (_ offset: Int, _ count: Int) -> [UInt8]) throws(WAVError) {
    let start = read(0, 12)
    guard start.count == 12, start[8...11].elementsEqual("WAVE".utf8) else { throw WAVError("is not a WAV file") }
    let isLong = start[0...3].elementsEqual("RF64".utf8) || start[0...3].elementsEqual("BW64".utf8)
    guard isLong || start[0...3].elementsEqual("RIFF".utf8) else { throw WAVError("is not a WAV file") }
    var offset = 12
    var longDataSize: Int?
    var shape: (PCMFormat, SampleType)?
    // A header of more chunks than this is not a recording.
    for _ in 0..<1000 {
      let head = read(offset, 8)
      guard head.count == 8 else { break }
      let length = Int(Self.little(head[4...7]))
      let body = offset + 8
      if head[0...3].elementsEqual("ds64".utf8), length >= 16 {
        let sizes = read(body, 16)
        if sizes.count == 16 { longDataSize = Int(clamping: Self.little(sizes[8...15])) }
      } else if head[0...3].elementsEqual("fmt ".utf8) {
        shape = try Self.shape(of: read(body, min(length, 40)))
      } else if head[0...3].elementsEqual("data".utf8) {
        guard let (format, type) = shape else { throw WAVError("has its data before its format") }
        let claimed = isLong && length == 0xFFFF_FFFF ? longDataSize ?? .max : length == 0 ? .max : length
        self.format = format
        sampleType = type
        dataOffset = body
        frames = max(0, min(claimed, size - body)) / (type.bytes * format.channels)
        return
      }
      offset = body + length + length % 2
      guard offset < size else { break }
    }
    throw WAVError(shape == nil ? "has no format chunk" : "has no data chunk")
  }

  private static func shape(of body: [UInt8]) throws(WAVError) -> (PCMFormat, SampleType) {
    guard body.count >= 16 else { throw WAVError("has a format chunk that is cut off") }
    var tag = little(body[0...1])
    let bits = little(body[14...15])
    if tag == 0xFFFE, body.count >= 26 { tag = little(body[24...25]) }
    let type: SampleType
    switch (tag, bits) {
    case (1, 8): type = .unsigned8
    case (1, 16): type = .signed16
    case (1, 24): type = .signed24
    case (1, 32): type = .signed32
    case (3, 32): type = .float32
    default:
      throw WAVError("has samples of type \(tag) with \(bits) bits; integers of 8 to 32 or 32-bit floats are read")
    }
    let channels = Int(little(body[2...3]))
    guard channels == 1 || channels == 2 else { throw WAVError("has \(channels) channels; 1 or 2 are read") }
    let rate = Int(little(body[4...7]))
    guard (8000...192_000).contains(rate) else {
      throw WAVError("has a rate of \(rate) Hz; 8000 to 192000 are read")
    }
    return (PCMFormat(sampleRate: rate, channels: channels, bits: type.bytes <= 2 ? 16 : 24), type)
  }

  private static func little(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
