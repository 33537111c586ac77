/// The takes in memory: sorted by session number, searched by name and tag.
struct TakeIndex {
  /// Ascending by session number, then date, then id.
  private(set) var records: [TakeRecord] = []
  /// Sound bytes of all takes.
  private(set) var totalBytes = 0
  /// Seconds of all takes.
  private(set) var totalSeconds = 0.0
  /// When the files that are not numbered by us were made, by id: with it they are found by bisection too.
  private var strangers: [String: Int64] = [:]
  /// Orders that have been asked for since the last change.
  private var orders: [TakeSort.Key: [Int32]] = [:]

  init() {}

  /// Takes over many records at once.
  init(_ records: [TakeRecord]) {
    // A directory is listed in the order of names, which is nearly always the order of numbers.
    let isSorted = zip(records, records.dropFirst()).allSatisfy { !Self.precedes($1, $0) }
    self.records = isSorted ? records : records.sorted(by: Self.precedes)
    for record in records {
      count(record, 1)
      if record.session == 0 { strangers[record.id] = record.createdSeconds }
    }
  }

  var count: Int { records.count }

  subscript(id: String) -> TakeRecord? { position(of: id).map { records[$0] } }

  /// Adds a take or replaces the one of the same id.
  mutating func put(_ record: TakeRecord) {
    if let place = position(of: record.id) {
      // Most changes leave a take where it is: ten thousand of them are not to move the others each time.
      if !Self.precedes(records[place], record), !Self.precedes(record, records[place]) {
        count(records[place], -1)
        records[place] = record
        count(record, 1)
        return orders.removeAll(keepingCapacity: true)
      }
      remove(record.id)
    }
    if record.session == 0 { strangers[record.id] = record.createdSeconds }
    let position = partition { Self.precedes($0, record) }
    records.insert(record, at: position)
    count(record, 1)
    orders.removeAll(keepingCapacity: true)
  }

  @discardableResult
  mutating func remove(_ id: String) -> TakeRecord? {
    guard let position = position(of: id) else { return nil }
    let record = records.remove(at: position)
    strangers[id] = nil
    count(record, -1)
    orders.removeAll(keepingCapacity: true)
    return record
  }

  /// A window of what matches `query`, in `order`, and how many match in all.
  ///
  /// - Parameter query: words, each of which must occur in the name or in a tag, without regard to case; empty
  ///   matches all.
  mutating func window(
    offset: Int, limit: Int, query: String, order: TakeSort, favouritesOnly: Bool
  ) -> (records: [TakeRecord], total: Int) {
    let search = WordSearch(query)
    let sequence = positions(in: order.key)
    var window: [TakeRecord] = []
    var total = 0
    let first = max(0, offset)
    let count = max(0, limit)
    for step in sequence.indices {
      let position = Int(sequence[order.isReversed ? sequence.count - 1 - step : step])
      guard !favouritesOnly || records[position].favourite else { continue }
      guard matches(records[position], search) else { continue }
      if total >= first, window.count < count { window.append(records[position]) }
      total += 1
    }
    return (window, total)
  }

  private mutating func positions(in key: TakeSort.Key) -> [Int32] {
    if let known = orders[key] { return known }
    var positions = (0..<Int32(clamping: records.count)).map { $0 }
    switch key {
    // Newest first.
    case .date: positions.reverse()
    case .name:
      let keys = records.map { $0.searchKey.isEmpty ? $0.stem.lowercased() : $0.searchKey }
      positions.sort { (keys[Int($0)], $1) < (keys[Int($1)], $0) }
    case .duration:
      let seconds = records.map(\.summary.duration)
      positions.sort { (seconds[Int($1)], $1) < (seconds[Int($0)], $0) }
    case .size: positions.sort { (records[Int($1)].size, $1) < (records[Int($0)].size, $0) }
    }
    orders[key] = positions
    return positions
  }

  /// Whether all words occur in a take's name or tags.
  private func matches(_ record: TakeRecord, _ search: WordSearch) -> Bool {
    guard record.searchKey.isEmpty else { return search.matches(lowercased: record.searchKey) }
    // The name is the file's: digits, `T`, `Z` and what other programs put into names.
    let stem = record.stem
    return search.matches(lowercased: stem.utf8.contains { $0 >= 0x41 } ? stem.lowercased() : stem)
  }

  private mutating func count(_ record: TakeRecord, _ sign: Int) {
    // Sizes come from files that anything may have happened to: wrap rather than trap.
    totalBytes &+= sign &* record.size
    totalSeconds = max(0, totalSeconds + Double(sign) * Double(record.frames) / Double(max(1, record.sampleRate)))
  }

  /// Where a take is.
  private func position(of id: String) -> Int? {
    let session = TakeName.number(in: id) ?? 0
    if session == 0 {
      guard let created = strangers[id] else { return nil }
      let place = partition { ($0.session, $0.createdSeconds, $0.id) < (0, created, id) }
      return place < records.count && records[place].id == id ? place : nil
    }
    var position = partition { $0.session < session }
    while position < records.count, records[position].session == session {
      if records[position].id == id { return position }
      position += 1
    }
    return nil
  }

  /// The first position for which `isBefore` is false.
  private func partition(_ isBefore: (TakeRecord) -> Bool) -> Int {
    var low = 0
    var high = records.count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(records[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func precedes(_ left: TakeRecord, _ right: TakeRecord) -> Bool {
    if left.session != right.session { return left.session < right.session }
    if left.createdSeconds != right.createdSeconds { return left.createdSeconds < right.createdSeconds }
    return left.id < right.id
  }
}
