internal import Console
internal import Hardware
internal import JSON
internal import Operators

/// `operators.json` and its backup: read at the start, before there are threads, and written by the storage lane.
///
/// What cannot be read is no reason to let everybody in: then nobody can log in, until somebody with the card in a computer
/// takes both files away.
final class OperatorFile: Sendable {
  static let path = "operators.json"
  static let backup = "operators.json.bak"
  private static let largest = 64 << 10

  enum Found {
    case book(OperatorBook, remark: String?)
    case damaged(String)
  }

  private let storage: any Storage

  init(_ storage: any Storage) { self.storage = storage }

  func load() -> Found {
    let first = read(Self.path)
    if case .success(let book?) = first { return .book(book, remark: nil) }
    switch (first, read(Self.backup)) {
    case (.success(nil), .success(nil)): return .book(OperatorBook(), remark: nil)
    case (_, .success(let book?)):
      return .book(book, remark: "\(Self.path) was missing or damaged; its backup was used")
    case (.failure(let refusal), _), (_, .failure(let refusal)): return .damaged(refusal.reason)
    default: return .book(OperatorBook(), remark: nil)
    }
  }

  /// nil: there is no such file.
  private func read(_ path: String) -> Result<OperatorBook?, OperatorBook.Refusal> {
    do throws(StorageError) {
      let bytes = try storage.read(path, limit: Self.largest)
      guard
        let document = try? JSONValue(parsing: bytes, limits: JSONLimits(bytes: Self.largest, depth: 8, values: 1000))
      else { return .failure(OperatorBook.Refusal(code: .internal, reason: "\(path) is no JSON")) }
      return Result { () throws(OperatorBook.Refusal) in try OperatorBook(document) }
    } catch {
      guard error.kind != .notFound else { return .success(nil) }
      return .failure(OperatorBook.Refusal(code: .internal, reason: "\(error)"))
    }
  }

  /// Durable on return; one of the two is whole at every instant. Storage lane.
  func save(_ book: OperatorBook) throws(StorageError) {
    let bytes = Array((book.document.text + "\n").utf8)
    for path in [Self.path, Self.backup] { try storage.replace(path, with: bytes, isSecret: true) }
  }
}
