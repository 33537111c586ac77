internal import Hardware
#if canImport(Glibc)
  internal import Glibc
#endif

/// Where board descriptions come from: files, and the ones inside the program.
public enum Boards {
  /// The most bytes that a board file may have.
  public static let maximumBytes = 65536

  /// Reads a file, or says why it cannot.
  public typealias Reader = (_ path: String) throws(BoardReadError) -> [UInt8]

  /// The board of a file and all that it inherits.
  ///
  /// Pure but for `reader`. Built-in boards that are inherited are not asked of the reader.
  ///
  /// - Parameters:
  ///   - path: path of the file, as `reader` takes it; also how messages call it.
  ///   - reader: reads a file. Paths of inherited files are put together from the inheriting file's.
  /// - Throws: every problem of every file, not only the first.
  public static func load(path: String, reader: Reader) throws(BoardError) -> BoardDescription {
    let (board, problems) = draft(path: path, reader: reader)
    guard problems.isEmpty else { throw BoardError(problems: problems) }
    return board
  }

  /// A board as far as its file describes one, and what is wrong with that.
  static func draft(path: String, reader: Reader) -> (board: BoardDescription, problems: [BoardProblem]) {
    var assembler = BoardAssembler(BoardChain(path, reader: reader))
    let board = assembler.board()
    return (board, assembler.problems)
  }

  /// Whether this is a file's path, not the name of a built-in board: it has `/` or `.toml` in it.
  static func isPath(_ nameOrPath: String) -> Bool { nameOrPath.contains("/") || nameOrPath.hasSuffix(".toml") }

  /// The built-in board of this name, or the board of this file: a name has neither `/` nor `.toml` in it.
  public static func load(_ nameOrPath: String, reader: Reader) throws(BoardError) -> BoardDescription {
    if isPath(nameOrPath) { return try load(path: nameOrPath, reader: reader) }
    return try load(builtIn: nameOrPath)
  }

  /// A built-in board by its name.
  public static func load(builtIn name: String) throws(BoardError) -> BoardDescription {
    guard BoardLibrary.text(ofBoard: name) != nil else {
      let hint =
        Suggestion.nearest(to: name, among: builtInNames).map { "did you mean \"\($0)\"?" }
        ?? "there are \(builtInNames.joined(separator: ", ")); for a file, give its path with .toml"
      let place = SourcePlace(file: name.oneLine(limit: 60), line: 1)
      throw BoardError(problems: [BoardProblem(place, "there is no built-in board of this name; \(hint)")])
    }
    return try load(path: BoardLibrary.path(ofBoard: name)) { (_) throws(BoardReadError) in
      throw BoardReadError(reason: "a built-in board inherits built-in boards only")
    }
  }

  /// Names of the built-in boards, templates left out, in alphabetical order.
  public static let builtInNames: [String] = BoardLibrary.names.filter { name in
    (try? load(path: BoardLibrary.path(ofBoard: name)) { (_) throws(BoardReadError) in
      throw BoardReadError(reason: "not built in")
    })?.isTemplate == false
  }

  /// The file of a built-in board, template or not, as its author wrote it.
  public static func text(ofBuiltIn name: String) -> String? { BoardLibrary.text(ofBoard: name) }

  /// The built-in board that recognises a model string, as found in `/proc/device-tree/model`.
  public static func board(forModel model: String) -> BoardDescription? {
    for name in builtInNames {
      guard let board = try? load(builtIn: name) else { continue }
      if board.models.contains(where: { model.hasPrefix($0) }) { return board }
    }
    return nil
  }

  /// Reads a file of the disk, up to `maximumBytes`. Blocks. The usual reader of `load`.
  public static func readFile(_ path: String) throws(BoardReadError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure() }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        throw failure()
      }
      bytes += chunk[..<count]
      guard bytes.count <= maximumBytes else { throw BoardReadError(reason: "it is larger than 64 KiB") }
    }
  }

  private static func failure() -> BoardReadError {
    let code = errno
    return BoardReadError(reason: strerror(code).map { String(cString: $0) } ?? "errno \(code)")
  }
}
