internal import Hardware

/// A window of the list.
public struct TakePage: Hashable, Sendable {
  public var takes: [TakeSummary]
  /// How many takes match in all.
  public var total: Int
}

/// The library in numbers.
public struct LibraryTotals: Hashable, Sendable {
  public var takes: Int
  /// Seconds of sound.
  public var seconds: Double
  /// Bytes of sound files.
  public var bytes: Int
  /// Bytes that may still be written, the reserve not counted.
  public var freeBytes: Int
  /// Size of the file system.
  public var totalBytes: Int
}

extension TakeLibrary {
  /// Takes in memory, those being recorded included. Never blocks.
  public var count: Int { index.count }

  /// Takes that are there and not listed yet: after a crash the library looks at those that were being changed, one
  /// after the other. Never blocks.
  public var pending: Int { work.unlisted }

  /// A window of the takes that match `query`; memory only, never blocks or throws.
  ///
  /// - Parameter query: words, each of which must occur in name or tags, without regard to case; empty matches all.
  public func list(
    offset: Int = 0, limit: Int = .max, query: String = "", sort: TakeSort = TakeSort(),
    favouritesOnly: Bool = false
  ) -> TakePage {
    let window = index.window(
      offset: offset, limit: limit, query: query, order: sort, favouritesOnly: favouritesOnly)
    return TakePage(takes: window.records.map(\.summary), total: window.total)
  }

  /// A take as the list has it; memory only, never blocks.
  public func summary(_ id: String) -> TakeSummary? { index[id]?.summary }

  /// All that is known of a take; reads its metadata file.
  public func show(_ id: String) throws(LibraryError) -> FileMeta {
    guard index[id] != nil else { throw .notFound(id) }
    return try metadata(of: id)
  }

  public func totals() throws(LibraryError) -> LibraryTotals {
    let space = try disk.space()
    return LibraryTotals(
      takes: index.count, seconds: index.totalSeconds, bytes: index.totalBytes, freeBytes: space.free,
      totalBytes: space.total)
  }

  /// How long one can still record at this rate before the reserve is touched.
  ///
  /// - Parameter bytesPerSecond: of the sound file; 0 or less gives `nil`.
  /// - Returns: seconds.
  public func timeLeft(bytesPerSecond: Int) throws(LibraryError) -> Double? {
    guard bytesPerSecond > 0 else { return nil }
    return Double(max(0, try disk.space().free)) / Double(bytesPerSecond)
  }
}
