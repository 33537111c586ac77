/// The board files inside the program: it needs none on disk.
enum BoardLibrary {
  /// Stands for a directory in the paths of built-in files.
  private static let directory = "<built-in>/"

  /// Names of all built-in files, templates too, in alphabetical order.
  static var names: [String] { EmbeddedBoards.texts.map(\.name) }

  /// The file of a built-in board.
  static func text(ofBoard name: String) -> String? { EmbeddedBoards.texts.first { $0.name == name }?.text }

  /// What messages call the file of a built-in board.
  static func path(ofBoard name: String) -> String { directory + name + ".toml" }

  /// The bytes of a file that is built in; nil for paths of the disk.
  static func bytes(of file: String) throws(BoardReadError) -> [UInt8]? {
    guard file.hasPrefix(directory) else { return nil }
    let name = file.dropFirst(directory.count)
    guard name.hasSuffix(".toml"), let text = text(ofBoard: String(name.dropLast(5))) else {
      throw BoardReadError(reason: "no such built-in board")
    }
    return Array(text.utf8)
  }
}
