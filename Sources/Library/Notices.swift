internal import Hardware

/// Sentences about what went wrong without failing a call: a backup or a line of the catalogue that could not be
/// written. Storage worker only.
final class Notices {
  private var sentences: [String] = []

  /// More than these say nothing new.
  private static let most = 100

  func warn(_ sentence: String) {
    let sentence = sentence.shown
    if sentences.count < Self.most, !sentences.contains(sentence) { sentences.append(sentence) }
  }

  /// All of them; there are none afterwards.
  func drain() -> [String] {
    defer { sentences.removeAll() }
    return sentences
  }

  /// Runs what may fail without failing the caller; a stall is passed on so that the caller's call is made again.
  func attempt(_ what: String, _ body: () throws(LibraryError) -> Void) throws(LibraryError) {
    do {
      try body()
    } catch {
      if error.stalledUntil != nil { throw error }
      warn("\(what): \(error)")
    }
  }
}
