/// The takes in memory: sorted by session number, searched by name, tag and title of a mark. The parts of a split take are
/// records each, and one row of the list; a safety take is no row, unless the take is gone that it lies beside.
struct TakeIndex {
  /// Ascending by session number, then date, then id.
  private(set) var records: [TakeRecord] = []
  /// Sound bytes of all takes.
  private(set) var totalBytes = 0
  /// Seconds of all takes.
  private(set) var totalSeconds = 0.0
  /// Records that go on from the one before them.
  private(set) var followers = 0
  /// When the files that are not numbered by us were made, by id: with it they are found by bisection too.
  private var strangers: [String: Int64] = [:]
  /// Safety takes, by the takes that they lie beside.
  private var safeties: [String: TakeRecord] = [:]
  /// Orders that have been asked for since the last change.
  private var orders: [TakeSort.Key: [Int32]] = [:]

  init() {}

  /// Takes over many records at once.
  init(_ given: [TakeRecord]) {
    let beside = given.filter { TakeName.isSafety($0.id) }
    let records = beside.isEmpty ? given : given.filter { !TakeName.isSafety($0.id) }
    // A directory is listed in the order of names, which is nearly always the order of numbers.
    let isSorted = zip(records, records.dropFirst()).allSatisfy { !Self.precedes($1, $0) }
    self.records = isSorted ? records : records.sorted(by: Self.precedes)
    for record in records {
      count(record, 1)
      if record.session == 0 { strangers[record.id] = record.createdSeconds }
    }
    followers = self.records.indices.reduce(0) { $0 + (follows($1) ? 1 : 0) }
    for record in beside { put(record) }
  }

  var count: Int { records.count }
  var hasSafeties: Bool { !safeties.isEmpty }
  /// All records, safety takes behind those that they lie beside.
  var all: [TakeRecord] { hasSafeties ? withSafeties(records[...]) : records }

  subscript(id: String) -> TakeRecord? { position(of: id).map { records[$0] } ?? bound(id) }

  /// Adds a take or replaces the one of the same id.
  mutating func put(_ record: TakeRecord) {
    if let main = TakeName.main(of: record.id), position(of: main) != nil {
      remove(record.id)
      count(record, 1)
      safeties[main] = record
      return orders.removeAll(keepingCapacity: true)
    }
    insert(record)
    // Its safety take may have come before it.
    guard record.session > 0, let own = neighbours(of: record).first(where: { TakeName.main(of: $0) == record.id }),
      let safety = remove(own)
    else { return }
    put(safety)
  }

  private mutating func insert(_ record: TakeRecord) {
    if let place = position(of: record.id) {
      // Most changes leave a take where it is: ten thousand of them are not to move the others each time.
      if !Self.precedes(records[place], record), !Self.precedes(record, records[place]) {
        count(records[place], -1)
        change(place...place + 1, place...place + 1) { $0[place] = record }
        count(record, 1)
        return orders.removeAll(keepingCapacity: true)
      }
      remove(record.id)
    }
    if record.session == 0 { strangers[record.id] = record.createdSeconds }
    let position = partition { Self.precedes($0, record) }
    change(position...position, position...position + 1) { $0.insert(record, at: position) }
    count(record, 1)
    orders.removeAll(keepingCapacity: true)
  }

  @discardableResult
  mutating func remove(_ id: String) -> TakeRecord? {
    guard let position = position(of: id) else {
      guard let safety = bound(id), let main = TakeName.main(of: id) else { return nil }
      safeties[main] = nil
      count(safety, -1)
      orders.removeAll(keepingCapacity: true)
      return safety
    }
    let record = records[position]
    change(position...position + 1, position...position) { $0.remove(at: position) }
    strangers[id] = nil
    count(record, -1)
    orders.removeAll(keepingCapacity: true)
    // Now it is a take itself.
    if let safety = safeties.removeValue(forKey: id) {
      count(safety, -1)
      insert(safety)
    }
    return record
  }

  // MARK: Safety takes

  /// A safety take that is no row.
  private func bound(_ id: String) -> TakeRecord? {
    safeties.isEmpty ? nil : TakeName.main(of: id).flatMap { safeties[$0] }
  }

  /// The safety take beside a take.
  func safety(of id: String) -> TakeRecord? { safeties[id] }

  /// These records, each followed by the safety take that lies beside it.
  func withSafeties(_ records: ArraySlice<TakeRecord>) -> [TakeRecord] {
    records.flatMap { record in [record] + (safeties[record.id].map { [$0] } ?? []) }
  }

  /// The other rows of the same number.
  private func neighbours(of record: TakeRecord) -> [String] {
    let first = partition { $0.session < record.session }
    return records[first...].prefix { $0.session == record.session }.map(\.id).filter { $0 != record.id }
  }

  // MARK: Parts

  /// A take and those in which it goes on; none if there is no take of this name.
  func parts(from id: String) -> ArraySlice<TakeRecord> {
    position(of: id).map { records[parts(at: $0)] } ?? besides(id) { parts(from: $0) }
  }

  /// All parts of the take that a file is a part of.
  func parts(with id: String) -> ArraySlice<TakeRecord> {
    guard var first = position(of: id) else { return besides(id) { parts(with: $0) } }
    while follows(first) { first -= 1 }
    return records[parts(at: first)]
  }

  /// The safety takes of the same files of a take as those that are asked for.
  private func besides(_ id: String, _ parts: (String) -> ArraySlice<TakeRecord>) -> ArraySlice<TakeRecord> {
    guard bound(id) != nil, let main = TakeName.main(of: id) else { return [] }
    return ArraySlice(parts(main).compactMap { safeties[$0.id] })
  }

  private func parts(at first: Int) -> Range<Int> {
    var end = first + 1
    while follows(end) { end += 1 }
    return first..<end
  }

  private func follows(_ position: Int) -> Bool {
    position > 0 && position < records.count && records[position].isLinked
      && records[position].goesOn(from: records[position - 1])
  }

  /// Changes the records; only at these positions, before and after it, can others go on than did.
  private mutating func change(
    _ old: ClosedRange<Int>, _ new: ClosedRange<Int>, _ work: (inout [TakeRecord]) -> Void
  ) {
    followers -= old.count { follows($0) }
    work(&records)
    followers += new.count { follows($0) }
  }

  /// A window of what the filter lets through, in `order`, and how many that is in all.
  mutating func window(
    offset: Int, limit: Int, filter: TakeFilter = TakeFilter(), order: TakeSort = TakeSort()
  ) -> (records: [TakeRecord], total: Int) {
    let sequence = positions(in: order.key)
    let first = max(0, offset)
    let count = max(0, limit)
    func position(_ step: Int) -> Int { Int(sequence[order.isReversed ? sequence.count - 1 - step : step]) }
    if filter == TakeFilter() {
      let steps = sequence.indices.dropFirst(first).prefix(count)
      return (steps.map { records[position($0)] }, sequence.count)
    }
    let search = WordSearch(filter.query)
    let tag = filter.tag?.lowercased()
    var window: [TakeRecord] = []
    var total = 0
    for step in sequence.indices {
      let place = position(step)
      guard !filter.favouritesOnly || records[place].favourite,
        tag.map({ tag in records[place].tags.contains { $0.lowercased() == tag } }) ?? true,
        !filter.markedOnly || isMarked(place), search.matchesAll || matches(place, search)
      else { continue }
      if total >= first, window.count < count { window.append(records[place]) }
      total += 1
    }
    return (window, total)
  }

  /// All tags, each once whatever its case, A to Z, and how many takes have them.
  var tags: [(tag: String, takes: Int)] {
    var found: [String: (tag: String, takes: Int)] = [:]
    for position in records.indices where !records[position].tags.isEmpty && (followers == 0 || !follows(position)) {
      for tag in records[position].tags { found[tag.lowercased(), default: (tag, 0)].takes += 1 }
    }
    return found.sorted { $0.key < $1.key }.map(\.value)
  }

  private func isMarked(_ position: Int) -> Bool {
    followers == 0
      ? records[position].bookmarks > 0 : records[parts(at: position)].contains { $0.bookmarks > 0 }
  }

  private mutating func positions(in key: TakeSort.Key) -> [Int32] {
    if let known = orders[key] { return known }
    var positions = (0..<Int32(clamping: records.count)).map { $0 }
    if followers > 0 { positions.removeAll { follows(Int($0)) } }
    switch key {
    // Newest first.
    case .date: positions.reverse()
    case .name:
      let keys = records.map { $0.searchKey.isEmpty ? $0.stem.lowercased() : $0.searchKey }
      positions.sort { (keys[Int($0)], $1) < (keys[Int($1)], $0) }
    case .duration:
      let seconds = sums(\.summary.duration)
      positions.sort { (seconds[Int($1)], $1) < (seconds[Int($0)], $0) }
    case .size:
      let sizes = sums { Double($0.size) }
      positions.sort { (sizes[Int($1)], $1) < (sizes[Int($0)], $0) }
    }
    orders[key] = positions
    return positions
  }

  /// Of each record, with those that go on from it.
  private func sums(_ value: (TakeRecord) -> Double) -> [Double] {
    var sums = records.map(value)
    guard followers > 0 else { return sums }
    for position in sums.indices.reversed() where follows(position) { sums[position - 1] += sums[position] }
    return sums
  }

  private func matches(_ position: Int, _ search: WordSearch) -> Bool {
    guard followers > 0 else { return matches(records[position], search) }
    return records[parts(at: position)].contains { matches($0, search) }
  }

  /// Whether all words occur in a take's name, tags and titles of marks.
  private func matches(_ record: TakeRecord, _ search: WordSearch) -> Bool {
    // The name may be the file's: digits, `T`, `Z` and what other programs put into names.
    let stem = record.stem
    let text =
      !record.searchKey.isEmpty ? record.searchKey : stem.utf8.contains { $0 >= 0x41 } ? stem.lowercased() : stem
    if search.matches(lowercased: text) { return true }
    return search.asksForTakes && record.displayName.isEmpty && TakeName.isOurs(record.id)
      && search.matches(take: record.session, or: text)
  }

  private mutating func count(_ record: TakeRecord, _ sign: Int) {
    // Sizes come from files that anything may have happened to: wrap rather than trap.
    totalBytes &+= sign &* record.size
    guard !TakeName.isSafety(record.id) else { return }
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
