import Board
import Foundation

/// Files that exist only in a test.
struct MemoryFiles {
  var files: [String: String]

  func load(_ path: String) throws(BoardError) -> BoardDescription {
    try Boards.load(path: path) { (path) throws(BoardReadError) in try read(path) }
  }

  func read(_ path: String) throws(BoardReadError) -> [UInt8] {
    guard let text = files[path] else { throw BoardReadError(reason: "no such file") }
    return Array(text.utf8)
  }

  /// The problems of a file, as they are printed; empty if there are none.
  func problems(_ path: String) -> [String] {
    do {
      _ = try load(path)
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }
}

/// The problems of one file.
func problems(in text: String) -> [String] { MemoryFiles(files: ["b/x.toml": text]).problems("b/x.toml") }

/// A file of the repository this test was built from.
func repositoryFile(_ path: String) -> URL {
  URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: path)
}
