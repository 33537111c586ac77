/// The takes that are known, in memory and in the catalogue. Storage worker only.
///
/// The catalogue follows the memory as far as the medium lets it; what it has missed is made anew by `tidy`.
final class Index {
  private let catalogue: Catalogue
  private let notices: Notices
  private var takes = TakeIndex()

  init(_ disk: Disk, notices: Notices) {
    catalogue = Catalogue(disk)
    self.notices = notices
  }

  deinit { catalogue.close() }

  /// What the catalogue says; nothing of it is listed before `begin`.
  func load() throws(LibraryError) -> (records: [String: TakeRecord], damagedLines: Int) { try catalogue.load() }

  /// Lists these takes and no others.
  func begin(with records: [TakeRecord]) { takes = TakeIndex(records) }

  // MARK: Changing

  /// Lists a take in memory only: one that is being recorded, or that cannot be written about.
  func show(_ record: TakeRecord) { takes.put(record) }

  /// Takes it from the list in memory only: it has never been in the catalogue.
  func hide(_ id: String) { takes.remove(id) }

  /// Puts a take into memory and catalogue.
  func enter(_ record: TakeRecord) throws(LibraryError) {
    takes.put(record)
    try note(.put(record))
  }

  /// Takes it from the list, for good.
  func forget(_ id: String) throws(LibraryError) {
    guard takes[id] != nil else { return }
    try note(.remove(id))
    takes.remove(id)
  }

  /// Writes the catalogue anew where dead lines outnumber the living.
  ///
  /// - Returns: whether there was a need to.
  func tidy() throws(LibraryError) -> Bool {
    guard catalogue.wantsRewrite(living: takes.count) else { return false }
    try catalogue.rewrite(takes.records.filter { !$0.inProgress })
    return true
  }

  private func note(_ line: CatalogueLine) throws(LibraryError) {
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
