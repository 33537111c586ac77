public import Hardware
public import JSON

/// The receipts of what was played with a dub: `dubs/000007_2026-11-20T21-54-00Z.json`, the newest two hundred.
///
/// Storage worker only; every call may block, and may throw a stall: make the same call again then.
public final class DubReceipts {
  private let disk: Disk
  /// Written, and older ones are still to go.
  private var pending: String?

  private static let directory = "dubs"
  private static let suffix = ".json"
  private static let most = 200
  /// A card may bring thousands: so many go with each that comes.
  private static let mostAtOnce = 16

  init(_ disk: Disk) { self.disk = disk }

  /// Names, the newest first. Other files are none of ours.
  public func list() throws(LibraryError) -> [String] {
    let found = try disk.files(Self.directory).compactMap { entry -> (number: Int, name: String)? in
      guard entry.name.hasSuffix(Self.suffix) else { return nil }
      return TakeName.number(in: entry.name).map { ($0, entry.name) }
    }
    return Self.ours(found.sorted { $0 < $1 }).reversed().map(\.name)
  }

  /// Those whose numbers the device can have given: the largest group without a gap that nobody leaves. A stranger's number
  /// far from ours is not counted on from, nor does it take a place among the newest.
  private static func ours(_ found: [(number: Int, name: String)]) -> ArraySlice<(number: Int, name: String)> {
    var best = found[..<0]
    var start = 0
    for end in found.indices.map({ $0 + 1 })
    where end == found.count || found[end].number - found[end - 1].number > Names.largestGap {
      let group = found[start..<end]
      start = end
      if group.count > best.count, group[group.startIndex].number <= Names.highestBelieved { best = group }
    }
    return best
  }

  /// What reads one a piece at a time.
  ///
  /// - Throws: `notFound` if it is not in the list.
  public func reading(of id: String) throws(LibraryError) -> ReceiptReading {
    guard try list().contains(id) else { throw .notFound(id) }
    return ReceiptReading(disk, "\(Self.directory)/\(id)")
  }

  /// Keeps a receipt, which gets its `id` and `path` here, and lets the oldest go. Durable on return.
  public func keep(_ receipt: JSONValue, begunAt: WallTime) throws(LibraryError) {
    let kept = try list()
    if pending == nil {
      try disk.makeDirectory(Self.directory)
      let number = min(TakeName.highestNumber, (kept.first.flatMap { TakeName.number(in: $0) } ?? 0) + 1)
      let name = TakeName(number: number, createdAt: begunAt, fileExtension: "json").file
      var receipt = receipt
      receipt["id"] = .string(name)
      receipt["path"] = .string("\(Self.directory)/\(name)")
      try disk.replace("\(Self.directory)/\(name)", with: Array("\(receipt.text)\n".utf8))
      pending = name
    }
    for old in kept.drop(while: { $0 == pending }).dropFirst(Self.most - 1).suffix(Self.mostAtOnce) {
      try disk.removeIfPresent("\(Self.directory)/\(old)")
    }
    pending = nil
  }
}
