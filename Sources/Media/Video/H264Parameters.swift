internal import Hardware

/// The parameter sets of an H.264 stream: what a decoder has to know before its first picture.
public struct H264Parameters: Hashable, Sendable {
  /// Sequence parameter sets by their numbers, and picture parameter sets, NAL headers included.
  private var sequences: [Int: [UInt8]] = [:]
  private var pictures: [Int: [UInt8]] = [:]
  /// All sets together: they stand in front of keyframes, and in the description of a track.
  private static let mostBytes = 32 << 10
  /// What the sequence parameter set says that is in use.
  private(set) var sequence: SequenceParameters

  /// The parameter sets in an access unit; `nil` if it lacks some that its picture needs, or holds damaged ones.
  public init?(in accessUnit: UnsafeRawBufferPointer) {
    self.init(AccessUnitHead(accessUnit), after: nil)
  }

  /// Those of an access unit, and of before what it does not say anew.
  init?(_ head: AccessUnitHead, after earlier: H264Parameters?) {
    sequences = earlier?.sequences ?? [:]
    pictures = earlier?.pictures ?? [:]
    var changed: Set<Int> = []
    for unit in head.sequences {
      guard let id = SequenceParameters(unit)?.id else { continue }
      if let known = sequences[id], known != unit { changed.insert(id) }
      sequences[id] = unit
    }
    // What belonged to another sequence says nothing of this one.
    if !changed.isEmpty { pictures = pictures.filter { !changed.contains(Self.numbers(of: $1)?.sequence ?? 0) } }
    for unit in head.pictures where unit.count >= 2 && unit.count < 65_536 {
      if let id = Self.numbers(of: unit)?.picture { pictures[id] = unit }
    }
    guard sequences.values.joined().count + pictures.values.joined().count <= Self.mostBytes else { return nil }
    let wanted = head.slice.map { AnnexB.sliceParameters(of: $0) } ?? pictures.keys.min() ?? 0
    guard let used = pictures[wanted], let id = Self.numbers(of: used)?.sequence, let unit = sequences[id],
      let found = SequenceParameters(unit)
    else { return nil }
    sequence = found
  }

  /// Numbers of a picture parameter set and of the sequence's that it belongs to (H.264, 7.3.2.2).
  private static func numbers(of unit: [UInt8]) -> (picture: Int, sequence: Int)? {
    var bits = BitReader(unit.prefix(16).withUnsafeBytes { AnnexB.unescaped($0) }.dropFirst(1))
    let (picture, sequence) = (bits.exponential(), bits.exponential())
    return bits.isOver || picture > 255 || sequence > 31 ? nil : (picture, sequence)
  }

  /// Pixels across and down that are to be shown.
  public var width: Int { sequence.width }
  public var height: Int { sequence.height }

  /// All of them in the order of their numbers, sequences first.
  public var units: [[UInt8]] { Self.ordered(sequences) + Self.ordered(pictures) }

  private static func ordered(_ sets: [Int: [UInt8]]) -> [[UInt8]] { sets.sorted { $0.key < $1.key }.map(\.value) }

  /// What a slice's number of a picture parameter set means.
  func sequence(ofPicture id: Int) -> SequenceParameters? {
    guard let unit = pictures[id], let number = Self.numbers(of: unit)?.sequence else { return nil }
    return number == sequence.id ? sequence : sequences[number].flatMap { SequenceParameters($0) }
  }

  /// All sets as a byte stream, to be put in front of a keyframe that lacks them.
  public var byteStream: [UInt8] { AnnexB.byteStream(units) }

  /// Whether both describe pictures that can be in one track.
  public func isLike(_ other: H264Parameters) -> Bool { sequence.shape == other.sequence.shape }

  /// The AVCDecoderConfigurationRecord of an `avcC` box (ISO/IEC 14496-15, 5.3.3.1), lengths in four bytes.
  public var configuration: [UInt8] {
    let first = sequences[sequence.id] ?? [0x67, 0, 0, 0]
    func counted(_ sets: [[UInt8]]) -> [UInt8] {
      sets.flatMap { [UInt8(truncatingIfNeeded: $0.count >> 8), UInt8(truncatingIfNeeded: $0.count)] + $0 }
    }
    // The one in use first: readers that only look at one look at that.
    let others = Self.ordered(sequences.filter { $0.key != sequence.id }).prefix(30)
    let (all, shapes) = ([first] + others, Self.ordered(pictures).prefix(255))
    var record: [UInt8] = [1, first[1], first[2], first[3], 0xFF, 0xE0 | UInt8(all.count)] + counted(all)
    record += [UInt8(shapes.count)] + counted(Array(shapes))
    // All but the oldest profiles say chroma and depths again.
    if ![66, 77, 88].contains(sequence.profile) {
      record += [
        0xFC | UInt8(sequence.chroma), 0xF8 | UInt8(sequence.lumaDepth - 8), 0xF8 | UInt8(sequence.chromaDepth - 8), 0,
      ]
    }
    return record
  }
}
