internal import Hardware

/// What a decoder has to know of an H.264 stream before its first picture.
public struct H264Parameters: Hashable, Sendable {
  /// The sequence parameter set, its NAL header included.
  public let sequence: [UInt8]
  /// The picture parameter set, its NAL header included.
  public let picture: [UInt8]
  /// Pixels across and down that are to be shown.
  public let width: Int
  public let height: Int

  /// - Returns: `nil` if the sets are damaged, or of a size that no camera has.
  public init?(sequence: [UInt8], picture: [UInt8]) {
    guard picture.count >= 2, sequence.count >= 4, sequence.count < 65_536, picture.count < 65_536,
      let size = Self.size(of: sequence)
    else { return nil }
    self.sequence = sequence
    self.picture = picture
    (width, height) = size
  }

  /// The last parameter sets in an access unit; `nil` if it holds none, or damaged ones.
  public init?(in accessUnit: UnsafeRawBufferPointer) {
    var sequence: [UInt8] = []
    var picture: [UInt8] = []
    // Parameter sets come before the slices, so looking stops there.
    var isOver = false
    AnnexB.forEachUnit(in: accessUnit) { kind, unit in
      guard !isOver else { return }
      switch kind {
      case AnnexB.Kind.sequenceParameters: sequence = Array(unit)
      case AnnexB.Kind.pictureParameters: picture = Array(unit)
      case 1...5: isOver = true
      default: break
      }
    }
    self.init(sequence: sequence, picture: picture)
  }

  /// Both sets as a byte stream, to be put in front of a keyframe that lacks them.
  public var byteStream: [UInt8] { [0, 0, 0, 1] + sequence + [0, 0, 0, 1] + picture }

  /// The AVCDecoderConfigurationRecord of an `avcC` box (ISO/IEC 14496-15, 5.3.3.1), lengths in four bytes.
  public var configuration: [UInt8] {
    var record: [UInt8] = [1, sequence[1], sequence[2], sequence[3], 0xFF, 0xE1]
    record += [UInt8(sequence.count >> 8), UInt8(sequence.count & 255)] + sequence
    record += [1, UInt8(picture.count >> 8), UInt8(picture.count & 255)] + picture
    // High profiles say chroma format and depths again; cameras have 4:2:0 in 8 bits.
    if [100, 110, 122, 144].contains(sequence[1]) { record += [0xFD, 0xF8, 0xF8, 0] }
    return record
  }

  /// Size to be shown, from a sequence parameter set (H.264, 7.3.2.1.1 and 7.4.2.1.1).
  private static func size(of unit: [UInt8]) -> (Int, Int)? {
    var bits = BitReader(unit.withUnsafeBytes { AnnexB.unescaped($0) }.dropFirst(4))
    let profile = unit[1]
    _ = bits.exponential()
    var chroma = 1
    if [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].contains(profile) {
      chroma = bits.exponential()
      if chroma == 3 { bits.skip(1) }
      _ = bits.exponential()
      _ = bits.exponential()
      bits.skip(1)
      if bits.next() == 1 { for list in 0..<(chroma == 3 ? 12 : 8) where bits.next() == 1 { skipList(&bits, list) } }
    }
    _ = bits.exponential()
    let order = bits.exponential()
    if order == 0 {
      _ = bits.exponential()
    } else if order == 1 {
      bits.skip(1)
      _ = bits.exponential()
      _ = bits.exponential()
      for _ in 0..<min(255, bits.exponential()) { _ = bits.exponential() }
    }
    _ = bits.exponential()
    bits.skip(1)
    let columns = bits.exponential() + 1
    let mapRows = bits.exponential() + 1
    let isFrames = bits.next()
    if isFrames == 0 { bits.skip(1) }
    bits.skip(1)
    var (left, right, top, bottom) = (0, 0, 0, 0)
    if bits.next() == 1 {
      left = bits.exponential()
      right = bits.exponential()
      top = bits.exponential()
      bottom = bits.exponential()
    }
    guard !bits.isOver, chroma <= 3, columns <= 1024, mapRows <= 1024 else { return nil }
    let cropX = chroma == 1 || chroma == 2 ? 2 : 1
    let cropY = (chroma == 1 ? 2 : 1) * (2 - isFrames)
    let width = columns * 16 - cropX * (min(left, 16_384) + min(right, 16_384))
    let height = (2 - isFrames) * mapRows * 16 - cropY * (min(top, 16_384) + min(bottom, 16_384))
    guard width > 0, height > 0, width <= 16_384, height <= 16_384 else { return nil }
    return (width, height)
  }

  /// Steps over a scaling list (H.264, 7.3.2.1.1.1).
  private static func skipList(_ bits: inout BitReader, _ list: Int) {
    var last = 8
    var next = 8
    for _ in 0..<(list < 6 ? 16 : 64) {
      if next != 0 { next = (last + bits.signedExponential()) & 255 }
      last = next == 0 ? last : next
    }
  }
}

/// Bits of a NAL unit, most significant first. What lies behind the end is 0, and `isOver` tells.
private struct BitReader {
  private let bytes: ArraySlice<UInt8>
  private var place: Int
  private let end: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    place = bytes.startIndex * 8
    end = bytes.endIndex * 8
  }

  var isOver: Bool { place > end }

  mutating func next() -> Int {
    defer { place = min(place + 1, end + 1) }
    guard place < end else { return 0 }
    return Int(bytes[place / 8] >> UInt8(7 - place % 8)) & 1
  }

  mutating func skip(_ count: Int) { for _ in 0..<count { _ = next() } }

  /// ue(v) of H.264, 9.1, at most 32 bits.
  mutating func exponential() -> Int {
    var zeros = 0
    while zeros < 32, next() == 0 {
      zeros += 1
      if isOver { return 0 }
    }
    var value = 1
    for _ in 0..<zeros { value = value << 1 | next() }
    return value - 1
  }

  /// se(v) of H.264, 9.1.1.
  mutating func signedExponential() -> Int {
    let code = exponential()
    return code % 2 == 1 ? (code + 1) / 2 : -(code / 2)
  }
}
