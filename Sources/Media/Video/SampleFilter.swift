internal import Hardware

/// What of an access unit goes into a sample of MP4 (ISO/IEC 14496-15): each NAL unit behind its length in four bytes,
/// without delimiters and filler, and without the parameter sets that the sample's description has. Any thread.
public struct SampleFilter: Hashable, Sendable {
  /// Sets that are left out; `nil`: all of them.
  private let known: [[UInt8]]?

  /// - Parameter parameters: those in the track's description.
  public init(describing parameters: H264Parameters) { known = parameters.units }

  private init(known: [[UInt8]]?) { self.known = known }

  /// Leaves every set out, or none: behind a change each keyframe has to say its own.
  public static let withoutSets = SampleFilter(known: nil)
  public static let withSets = SampleFilter(known: [])

  /// Calls `body` with what is kept.
  public func forEachUnit(in accessUnit: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
    AnnexB.forEachUnit(in: accessUnit) { kind, unit in if keeps(kind, unit) { body(unit) } }
  }

  private func keeps(_ kind: UInt8, _ unit: UnsafeRawBufferPointer) -> Bool {
    guard AnnexB.isParameterSet(kind) else { return kind != AnnexB.Kind.delimiter && kind != AnnexB.Kind.filler }
    return known.map { !$0.contains { $0.elementsEqual(unit) } } ?? false
  }

  /// Bytes of an access unit as a sample.
  public func size(of accessUnit: UnsafeRawBufferPointer) -> Int {
    var size = 0
    forEachUnit(in: accessUnit) { size += 4 + $0.count }
    return size
  }

  /// Whether an access unit says sets that it does not leave out.
  public func isChanged(by accessUnit: UnsafeRawBufferPointer) -> Bool {
    let head = AccessUnitHead(accessUnit)
    guard let known else { return false }
    return (head.sequences + head.pictures).contains { !known.contains($0) }
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
