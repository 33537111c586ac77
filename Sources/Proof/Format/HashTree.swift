/// A hash tree that grows by leaves (RFC 6962, 2.1). It keeps the roots of the whole trees in it: a day of leaves is 17 of them.
struct HashTree: Hashable {
  static let leafPrefix: [UInt8] = [0]
  private static let nodePrefix: [UInt8] = [1]

  private(set) var count = 0
  /// Of whole trees, each smaller than the one before it.
  private var peaks: [[UInt8]] = []

  /// - Parameter data: what the leaf is of.
  mutating func add(data: [UInt8]) { add(Digest.of(Self.leafPrefix + data)) }

  /// - Parameter leaf: the hash of a leaf, with its prefix.
  mutating func add(_ leaf: [UInt8]) {
    var node = leaf
    var whole = count
    while whole & 1 == 1, let left = peaks.popLast() {
      node = Self.node(left, node)
      whole >>= 1
    }
    peaks.append(node)
    count += 1
  }

  /// The hash over all leaves.
  var root: [UInt8] {
    guard let last = peaks.last else { return Digest.of([]) }
    return peaks.dropLast().reversed().reduce(last) { Self.node($1, $0) }
  }

  private static func node(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] { Digest.of(nodePrefix + left + right) }
}
