internal import Hardware

/// The name that a file gets on a stick: its own, or with a number where another has it. Storage lane only.
struct NameOnStick {
  /// What is at the name that is tried.
  enum Place {
    case free
    /// A file of the same length, which may be the same.
    case alike(any StoredFile)
  }

  let name: String
  private let folder: StickFolder
  private var number = 1

  private static let mostNumbers = 999

  init(_ name: String, in folder: StickFolder) { (self.name, self.folder) = (name, folder) }

  /// The name that is tried.
  var tried: String { StickName.numbered(name, number) }

  /// Goes on to the next number.
  mutating func next() { number += 1 }

  /// Looks at the name that is tried, and goes on to the next where something else has it.
  ///
  /// - Parameter size: bytes of the file that wants it.
  /// - Returns: nil: call again.
  mutating func look(for size: Int) throws(LibraryError) -> Place? {
    guard number <= Self.mostNumbers else { throw .stick(.blocked(name)) }
    guard let there = try folder.entry(tried) else { return .free }
    guard there.isRegular, there.size == size else {
      next()
      return nil
    }
    return .alike(try folder.open(tried))
  }
}
