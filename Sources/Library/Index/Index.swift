/// The takes that are known, in memory and in the catalogue. Storage worker only.
///
/// The catalogue follows the memory as far as the medium lets it; what it has missed is made anew by `tidy`.
final class Index {
  private let catalogue: Catalogue
  private let notices: Notices
  private var takes = TakeIndex()
  /// Files from elsewhere that are no sound: not listed, and known, so that they are not looked at again.
  private var passed: [String: TakeRecord] = [:]
  /// Takes whose files have other chapters than their metadata has marks.
  private var unwritten: Set<String> = []
  /// The catalogue has not been read, and is left as it is.
  private var isSuspended = false

  init(_ disk: Disk, notices: Notices) {
    catalogue = Catalogue(disk)
    self.notices = notices
  }

  deinit { catalogue.close() }

  /// What the catalogue says of the files that there are; nothing of it is listed before `begin`.
  func load(_ listing: Listing) throws(LibraryError) -> (records: [String: TakeRecord], damagedLines: Int) {
    let there = listing.ids
    return try catalogue.load(there.contains)
  }

  /// Lists these takes and no others.
  func begin(with records: [TakeRecord]) {
    passed = Dictionary(records.filter(\.isNoTake).map { ($0.id, $0) }) { $1 }
    takes = TakeIndex(passed.isEmpty ? records : records.filter { !$0.isNoTake })
    unwritten = Set(records.filter(\.hasNewMarks).map(\.id))
  }

  /// Lists these takes without regard to the catalogue, which stays as it is.
  func begin(uncatalogued records: [TakeRecord]) {
    isSuspended = true
    begin(with: records)
  }

  // MARK: Changing

  /// Lists a take in memory only: one that is being recorded, or that cannot be written about.
  func show(_ record: TakeRecord) { takes.put(record) }

  /// Takes it from the list in memory only: it has never been in the catalogue.
  func hide(_ id: String) { takes.remove(id) }

  /// Puts a take into memory and catalogue.
  func enter(_ record: TakeRecord) throws(LibraryError) {
    takes.put(record)
    if record.hasNewMarks { unwritten.insert(record.id) } else { unwritten.remove(record.id) }
    passed[record.id] = nil
    try note(.put(record))
  }

  /// Remembers a file from elsewhere that is no sound.
  func pass(_ record: TakeRecord) throws(LibraryError) {
    takes.remove(record.id)
    passed[record.id] = record
    try note(.put(record))
  }

  /// A take whose chapters are to be written, if there is one.
  var newMarks: String? { unwritten.min() }
  func hasNewMarks(_ id: String) -> Bool { unwritten.contains(id) }
  /// There is nothing to be written of it.
  func settleMarks(_ id: String) { unwritten.remove(id) }

  /// Takes it from the list, for good.
  func forget(_ id: String) throws(LibraryError) {
    unwritten.remove(id)
    passed[id] = nil
    guard takes[id] != nil else { return }
    try note(.remove(id))
    takes.remove(id)
  }

  /// Writes the catalogue anew where dead lines outnumber the living.
  ///
  /// - Returns: whether there was a need to.
  func tidy() throws(LibraryError) -> Bool {
    guard !isSuspended, catalogue.wantsRewrite(living: takes.all.count + passed.count) else { return false }
    try catalogue.rewrite(takes.all.filter { !$0.inProgress && !$0.isPending } + passed.values)
    return true
  }

  private func note(_ line: CatalogueLine) throws(LibraryError) {
    guard !isSuspended else { return }
    try notices.attempt("The catalogue will be made anew") { () throws(LibraryError) in try catalogue.append(line) }
  }

  // MARK: Asking

  /// All that is known of files, listed or not.
  var known: [String: TakeRecord] {
    passed.merging(takes.all.lazy.map { ($0.id, $0) }) { $1 }
  }

  subscript(id: String) -> TakeRecord? { takes[id] }
  /// A take, with those in which it goes on, as the list has it.
  func summary(_ id: String) -> TakeSummary? {
    let parts = takes.parts(from: id)
    var summary = TakeSummary(parts: parts.map(\.summary))
    if takes.hasSafeties { summary?.safety = parts.compactMap { takes.safety(of: $0.id)?.summary.files.first } }
    return summary
  }
  /// A take and those in which it goes on.
  func parts(from id: String) -> [TakeRecord] { Array(takes.parts(from: id)) }
  /// All parts of the take that a file is a part of.
  func parts(with id: String) -> [TakeRecord] { Array(takes.parts(with: id)) }
  /// The same, each followed by its safety take.
  func files(with id: String) -> [TakeRecord] { takes.withSafeties(takes.parts(with: id)) }
  /// The safety take beside a file of a take.
  func safety(of id: String) -> TakeRecord? { takes.safety(of: id) }
  /// Rows of the list.
  var count: Int { takes.count - takes.followers }
  /// Seconds and bytes of all takes.
  var sums: (seconds: Double, bytes: Int) { (takes.totalSeconds, takes.totalBytes) }
  /// All files, oldest first.
  var ids: [String] { takes.all.map(\.id) }

  /// All tags, and how many takes have them.
  var tags: [(tag: String, takes: Int)] { takes.tags }

  func window(offset: Int, limit: Int, filter: TakeFilter, sort: TakeSort) -> TakePage {
    let window = takes.window(offset: offset, limit: limit, filter: filter, order: sort)
    let hasParts = takes.followers > 0 || takes.hasSafeties
    return TakePage(
      takes: window.records.map { hasParts ? summary($0.id) ?? $0.summary : $0.summary }, total: window.total)
  }
}
