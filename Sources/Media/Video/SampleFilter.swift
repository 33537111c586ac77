internal import Hardware

/// What of an access unit goes into a sample of MP4 (ISO/IEC 14496-15): each NAL unit behind its length in four bytes,
/// without delimiters and filler. Any thread.
public struct SampleFilter: Hashable, Sendable {
  private let keepsSets: Bool

  /// Leaves every set out, for the description of the track has them; or none.
  public static let withoutSets = SampleFilter(keepsSets: false)
  public static let withSets = SampleFilter(keepsSets: true)

  /// Calls `body` with what is kept.
  public func forEachUnit(in accessUnit: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
    AnnexB.forEachUnit(in: accessUnit) { kind, unit in
      let isKept =
        AnnexB.isParameterSet(kind) ? keepsSets : kind != AnnexB.Kind.delimiter && kind != AnnexB.Kind.filler
      if isKept { body(unit) }
    }
  }

  /// Bytes of an access unit as a sample.
  public func size(of accessUnit: UnsafeRawBufferPointer) -> Int {
    var size = 0
    forEachUnit(in: accessUnit) { size += 4 + $0.count }
    return size
  }

  /// Appends an access unit as a sample.
  ///
  /// - Returns: the bytes appended, as `size` says.
  @discardableResult
  public func append(_ accessUnit: UnsafeRawBufferPointer, to sample: inout [UInt8]) -> Int {
    let before = sample.count
    forEachUnit(in: accessUnit) { unit in
      for shift in [24, 16, 8, 0] { sample.append(UInt8(truncatingIfNeeded: unit.count >> shift)) }
      sample.append(contentsOf: unit)
    }
    return sample.count - before
  }
}
