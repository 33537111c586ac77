import JSON

/// What receipts say of clips: each is read once, and kept in the index. Storage worker only.
final class ClipFactsReader {
  private let receipts: Receipts
  private let index: ClipIndex

  init(_ disk: Disk, _ index: ClipIndex) {
    receipts = Receipts(disk)
    self.index = index
  }

  /// As far as they are known, or can be read now.
  func facts(of record: ClipRecord) -> ClipFacts {
    if let known = record.facts { return known }
    do throws(LibraryError) { return try read(record) } catch { return note(error, of: record) }
  }

  func read(_ record: ClipRecord) throws(LibraryError) -> ClipFacts {
    note(try receipts.read(record.id), of: record)
  }

  /// Keeps what a receipt says of a clip, so that it is read once.
  @discardableResult
  func note(_ receipt: JSONValue, of record: ClipRecord) -> ClipFacts {
    // What lies beside one from elsewhere may be others'.
    let isOwn = TakeName.isOurs(record.id) ? !isOfOther(receipt, record.id) : receipt["id"]?.stringValue == record.id
    let facts = isOwn ? ClipFacts(receipt, shape: record.shape) : ClipFacts(withoutReceipt: record.shape)
    index.note(facts, of: record.id)
    return facts
  }

  /// The same of one that cannot be read. A storage that does not answer is asked again.
  @discardableResult
  func note(_ failure: LibraryError, of record: ClipRecord) -> ClipFacts {
    let facts = ClipFacts(withoutReceipt: record.shape)
    if failure.isAboutContent { index.note(facts, of: record.id) }
    return facts
  }

  /// Whether a receipt is that of the clip which somebody has opened, or sealed, beside it.
  func isOfOther(_ receipt: JSONValue, _ id: String) -> Bool {
    guard let other = receipt["id"]?.stringValue,
      other == id + TakeName.sealedSuffix || id == other + TakeName.sealedSuffix
    else { return false }
    return index[other] != nil
  }
}
