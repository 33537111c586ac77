/// What lies in which clusters of a drive: each thing in one run.
struct DriveRuns: Sendable {
  /// Something that begins at a cluster and ends before another one.
  struct Run: Sendable {
    enum Content: Sendable {
      case bytes([UInt8])
      /// So many bits that are set, from the lowest of the first byte on; the others are not.
      case bits(Int)
      case file(Int)
    }
    let clusters: Range<Int>
    let content: Content
    /// Bytes; the rest of the last cluster is zeros.
    let size: Int

    init(_ clusters: Range<Int>, _ content: Content, size: Int) {
      (self.clusters, self.content, self.size) = (clusters, content, size)
    }

    init(_ clusters: Range<Int>, _ bytes: [UInt8]) { self.init(clusters, .bytes(bytes), size: bytes.count) }
  }

  let clusterBytes: Int
  private let runs: [Run]

  /// - Parameter runs: in the order of their clusters, none of them empty.
  init(_ runs: [Run], clusterBytes: Int) {
    self.runs = runs
    self.clusterBytes = clusterBytes
  }

  /// What lies at a byte of the clusters, and how much of it; zeros where nothing is.
  func piece(at place: Int, atMost most: Int) -> (DrivePiece, Int) {
    let cluster = place / clusterBytes + 2
    let index = index(of: cluster)
    guard index < runs.count else { return (.zeros(most), most) }
    let run = runs[index]
    guard run.clusters.lowerBound <= cluster else {
      let length = min(most, (run.clusters.lowerBound - 2) * clusterBytes - place)
      return (.zeros(length), length)
    }
    let within = place - (run.clusters.lowerBound - 2) * clusterBytes
    guard within < run.size else {
      let length = min(most, run.clusters.count * clusterBytes - within)
      return (.zeros(length), length)
    }
    let length = min(most, run.size - within)
    switch run.content {
    case .bytes(let bytes): return (.bytes(Array(bytes[within..<within + length])), length)
    case .bits(let set): return (.bytes((within..<within + length).map { Self.bits(set - 8 * $0) }), length)
    case .file(let number): return (.file(number, offset: within, count: length), length)
    }
  }

  /// Bytes of the table, of which each entry is four.
  func table(at place: Int, _ count: Int, end: UInt32) -> [UInt8] {
    let first = place / 4
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    var index = index(of: first)
    for cluster in first...((place + count - 1) / 4) {
      while index < runs.count, runs[index].clusters.upperBound <= cluster { index += 1 }
      bytes.append(little: entry(cluster, index, end))
    }
    return Array(bytes[(place - first * 4)..<(place - first * 4 + count)])
  }

  private func entry(_ cluster: Int, _ index: Int, _ end: UInt32) -> UInt32 {
    switch cluster {
    // The kind of medium, a fixed disk, in the lowest byte.
    case 0: return end & ~7
    case 1: return end
    default:
      guard index < runs.count, runs[index].clusters.lowerBound <= cluster else { return 0 }
      return cluster + 1 < runs[index].clusters.upperBound ? UInt32(truncatingIfNeeded: cluster + 1) : end
    }
  }

  private static func bits(_ set: Int) -> UInt8 { set >= 8 ? 0xFF : set <= 0 ? 0 : (1 << UInt8(set)) - 1 }

  /// The first run that ends behind a cluster.
  private func index(of cluster: Int) -> Int {
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].clusters.upperBound <= cluster { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
