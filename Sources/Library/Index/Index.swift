/// The takes that are known, in memory and in the catalogue. Storage worker only.
///
/// The catalogue follows the memory as far as the medium lets it; what it has missed is made anew by `tidy`.
final class Index {
  private let catalogue: Catalogue
  private let notices: Notices
  private var takes = TakeIndex()
  /// Files from elsewhere that are no sound: not listed, and known, so that they are not looked at again.
  private var passed: [String: TakeRecord] = [:]
  /// The catalogue has not been read, and is left as it is.
  private var isSuspended = false

  init(_ disk: Disk, notices: Notices) {
    catalogue = Catalogue(disk)
    self.notices = notices
  }

  deinit { catalogue.close() }

  /// What the catalogue says; nothing of it is listed before `begin`.
  func load() throws(LibraryError) -> (records: [String: TakeRecord], damagedLines: Int) { try catalogue.load() }

  /// Lists these takes and no others.
  func begin(with records: [TakeRecord]) {
    passed = Dictionary(records.filter(\.isNoSound).map { ($0.id, $0) }) { $1 }
    takes = TakeIndex(passed.isEmpty ? records : records.filter { !$0.isNoSound })
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
    passed[record.id] = nil
    try note(.put(record))
  }

  /// Remembers a file from elsewhere that is no sound.
  func pass(_ record: TakeRecord) throws(LibraryError) {
    takes.remove(record.id)
    passed[record.id] = record
    try note(.put(record))
  }

  /// Takes it from the list, for good.
  func forget(_ id: String) throws(LibraryError) {
    passed[id] = nil
    guard takes[id] != nil else { return }
    try note(.remove(id))
    takes.remove(id)
  }

  /// Writes the catalogue anew where dead lines outnumber the living.
  ///
  /// - Returns: whether there was a need to.
  func tidy() throws(LibraryError) -> Bool {
    guard !isSuspended, catalogue.wantsRewrite(living: takes.count + passed.count) else { return false }
    try catalogue.rewrite(takes.records.filter { !$0.inProgress && !$0.isPending } + passed.values)
    return true
  }

  private func note(_ line: CatalogueLine) throws(LibraryError) {
    guard !isSuspended else { return }
    try notices.attempt("The catalogue will be made anew") { () throws(LibraryError) in try catalogue.append(line) }
  }

  // MARK: Asking

  subscript(id: String) -> TakeRecord? { takes[id] }
  var count: Int { takes.count }
  /// Seconds and bytes of all takes.
  var sums: (seconds: Double, bytes: Int) { (takes.totalSeconds, takes.totalBytes) }
  /// Oldest first.
  var ids: [String] { takes.records.map(\.id) }

  func window(offset: Int, limit: Int, query: String, sort: TakeSort, favouritesOnly: Bool) -> TakePage {
    let window = takes.window(offset: offset, limit: limit, query: query, order: sort, favouritesOnly: favouritesOnly)
    return TakePage(takes: window.records.map(\.summary), total: window.total)
  }
}
