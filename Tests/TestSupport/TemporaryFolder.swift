public import Foundation

/// A folder of a test's own, removed with everything in it when its owner goes.
///
/// Its path is short: addresses of sockets have room for 107 bytes.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() {
    let name = "mynah-" + String(UInt64.random(in: 0 ... .max), radix: 36)
    path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  public var url: URL { URL(fileURLWithPath: path) }

  /// The path of a file in it.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The names in it, in order.
  public var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

  /// Whether a name can be reached in it: not so for a link to nowhere.
  public func exists(_ name: String) -> Bool { access(file(name), F_OK) == 0 }

  /// Makes a file, or writes it anew, without any of our code.
  ///
  /// - Returns: its path.
  @discardableResult
  public func put(_ bytes: [UInt8], _ name: String) -> String {
    _ = FileManager.default.createFile(atPath: file(name), contents: Data(bytes))
    return file(name)
  }

  @discardableResult
  public func put(_ text: String, _ name: String) -> String { put(Array(text.utf8), name) }

  /// What is in a file, read without any of our code; `nil` if there is none.
  public func bytes(_ name: String) -> [UInt8]? { FileManager.default.contents(atPath: file(name)).map(Array.init) }

  public func text(of name: String) -> String? { bytes(name).map { String(decoding: $0, as: UTF8.self) } }
}
