/// A number that a file or a peer claims. Arithmetic on it never traps: what does not fit stays out of reach from then
/// on, and the only ways out are a range that the caller can live with.
///
/// A plain value; any thread.
public struct ClaimedNumber: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// `nil`: nobody claims anything that could be meant.
  private let value: Int?

  public init(_ value: some BinaryInteger) { self.value = Int(exactly: value) }

  /// - Parameter value: `nil` where there was nothing to read.
  public init(_ value: (some BinaryInteger)?) { self.value = value.flatMap { Int(exactly: $0) } }

  public init(integerLiteral value: Int) { self.value = value }

  private init(known value: Int?) { self.value = value }

  public static func + (left: ClaimedNumber, right: ClaimedNumber) -> ClaimedNumber {
    combine(left, right) { $0.addingReportingOverflow($1) }
  }

  public static func - (left: ClaimedNumber, right: ClaimedNumber) -> ClaimedNumber {
    combine(left, right) { $0.subtractingReportingOverflow($1) }
  }

  public static func * (left: ClaimedNumber, right: ClaimedNumber) -> ClaimedNumber {
    combine(left, right) { $0.multipliedReportingOverflow(by: $1) }
  }

  public static func += (left: inout ClaimedNumber, right: ClaimedNumber) { left = left + right }

  /// The number, if it lies in a range.
  public func within(_ range: ClosedRange<Int>) -> Int? { value.flatMap { range.contains($0) ? $0 : nil } }

  /// The number, cut to a range; its end where nothing that could be meant is claimed.
  public func clamped(to range: ClosedRange<Int>) -> Int {
    value.map { min(max($0, range.lowerBound), range.upperBound) } ?? range.upperBound
  }

  private static func combine(
    _ left: ClaimedNumber, _ right: ClaimedNumber, _ body: (Int, Int) -> (partialValue: Int, overflow: Bool)
  ) -> ClaimedNumber {
    guard let left = left.value, let right = right.value else { return ClaimedNumber(known: nil) }
    let result = body(left, right)
    return ClaimedNumber(known: result.overflow ? nil : result.partialValue)
  }
}
