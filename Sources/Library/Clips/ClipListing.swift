internal import Hardware
internal import JSON

/// A page of the list of clips, whose receipts are read a piece at a time before it is handed out: a card may bring a
/// thousand of them, and what is recorded now waits for none.
///
/// Storage worker only. After a stall the same step is made again.
public final class ClipListing {
  private let clips: ClipLibrary
  private let offset: Int
  private let limit: Int
  private let query: String
  /// Those still to be read, the last first; nil: not looked for yet.
  private var unread: [String]?
  private var reading: ReceiptReading?

  /// Short receipts that a step reads.
  private static let perStep = 8

  init(_ clips: ClipLibrary, offset: Int, limit: Int, query: String) {
    self.clips = clips
    self.offset = offset
    self.limit = limit
    self.query = query
  }

  /// - Returns: the page, once it is known; not to be called again then.
  public func step() throws(LibraryError) -> (clips: [ClipSummary], total: Int)? {
    if unread == nil { unread = clips.unread(offset: offset, limit: limit, query: query).reversed() }
    // A short one takes three pieces: its bytes, whether they are text, and what they say.
    for _ in 0..<4 * Self.perStep {
      guard let id = unread?.last else { return clips.list(offset: offset, limit: limit, query: query) }
      if try read(id) {
        reading = nil
        unread?.removeLast()
      }
    }
    return nil
  }

  /// - Returns: whether nothing is left to do for it.
  private func read(_ id: String) throws(LibraryError) -> Bool {
    guard let record = clips.record(id), record.facts == nil else { return true }
    do throws(LibraryError) {
      if reading == nil { reading = try clips.receiptReading(of: id) }
      guard let receipt = try reading?.step() else { return false }
      clips.reader.note(receipt, of: record)
    } catch {
      if error.stalledUntil != nil { throw error }
      clips.reader.note(error, of: record)
    }
    return true
  }
}
