import Foundation
import Hardware
import TestSupport

@testable import Sealing

/// Keys made by `age-keygen`, and files opened by `age`.
struct AgeTool {
  let folder = TemporaryFolder()
  let recipient: AgeRecipient
  let identities: [AgeIdentity]
  var keyFile: String { folder.file("key") }

  init() throws {
    let made = try Tool.run("age-keygen", ["-o", folder.file("key")])
    let words = made.errors.split(whereSeparator: \.isWhitespace)
    guard let word = words.first(where: { $0.hasPrefix("age1") }), let recipient = AgeRecipient(String(word)),
      let identities = AgeIdentity.list(folder.text(of: "key") ?? "")
    else { throw Tool.Failure(description: "age-keygen: \(made.errors)") }
    self.recipient = recipient
    self.identities = identities
  }

  /// - Returns: what `age` makes of a file; nil if it refuses it.
  func opened(_ bytes: [UInt8]) throws -> [UInt8]? {
    folder.put(bytes, "file.age")
    let made = try Tool.run("age", ["-d", "-i", keyFile, "-o", folder.file("file"), folder.file("file.age")])
    return made.status == 0 ? folder.bytes("file") ?? [] : nil
  }

  /// A file that `age` has sealed.
  func sealed(_ text: [UInt8]) throws -> [UInt8] {
    folder.put(text, "file")
    try Tool.succeed("age", ["-e", "-r", recipient.text, "-o", folder.file("file.age"), folder.file("file")])
    return folder.bytes("file.age") ?? []
  }
}

extension SealedText {
  /// All that a file has for these keys, and what is thought of it.
  static func all(
    _ bytes: [UInt8], _ identities: [AgeIdentity]
  ) throws(SealedFailure) -> (text: [UInt8], condition: Condition) {
    var sealed = try SealedText(MemoryFile(bytes), identities)
    var text: [UInt8] = []
    while let piece = try sealed.next() { text += piece }
    return (text, sealed.condition)
  }
}

/// A file that remembers in which order it was changed, and so every state in which a power cut can leave it.
final class CuttableFile: StoredFile, @unchecked Sendable {
  enum Change {
    case write([UInt8], at: Int)
    case truncate(Int)
    case sync
  }

  let memory = MemoryFile()
  private(set) var changes: [Change] = []
  /// The file after so many changes.
  private var known: (count: Int, bytes: [UInt8]) = (0, [])
  let path = "take"
  var size: Int { memory.size }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    let taken = min(bytes.count, memory.budget ?? .max)
    changes.append(.write(Array(bytes.prefix(taken)), at: offset))
    try memory.write(bytes, at: offset)
  }
  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    try memory.read(into: target, at: offset)
  }
  func truncate(to size: Int) throws(StorageError) {
    changes.append(.truncate(size))
    try memory.truncate(to: size)
  }
  func sync() throws(StorageError) {
    changes.append(.sync)
    try memory.sync()
  }
  func close() {}

  /// The file after the power went at this change: what was synced is there; of what came later some is, some is not, some is
  /// there in part, in no order.
  func cut(at count: Int, _ random: inout SeededGenerator) -> [UInt8] {
    let before = changes.prefix(count)
    let durable = before.lastIndex { if case .sync = $0 { true } else { false } }.map { $0 + 1 } ?? 0
    if durable < known.count { known = (0, []) }
    for change in before.prefix(durable).dropFirst(known.count) { Self.apply(change, to: &known.bytes) }
    known.count = durable
    var bytes = known.bytes
    for change in before.dropFirst(durable) {
      switch (change, random.below(3)) {
      case (_, 0): break
      case (.write(let written, let offset), 1):
        // Sectors, each for itself.
        for sector in stride(from: 0, to: written.count, by: 512) where random.chance(2) {
          Self.apply(.write(Array(written[sector..<min(sector + 512, written.count)]), at: offset + sector), to: &bytes)
        }
      default: Self.apply(change, to: &bytes)
      }
    }
    return bytes
  }

  private static func apply(_ change: Change, to bytes: inout [UInt8]) {
    switch change {
    case .write(let written, let offset):
      let end = offset + written.count
      if end > bytes.count { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
      bytes.replaceSubrange(offset..<end, with: written)
    case .truncate(let size):
      if size < bytes.count { bytes.removeLast(bytes.count - size) }
      if size > bytes.count { bytes += [UInt8](repeating: 0, count: size - bytes.count) }
    case .sync: break
    }
  }
}

/// Whether one text is how another begins, but for its first bytes. Quick, also where nothing is optimised.
func isBeginning(_ beginning: [UInt8], of text: [UInt8], from start: Int = 0) -> Bool {
  guard start <= beginning.count, beginning.count <= text.count else { return false }
  return beginning.withUnsafeBytes { first in
    text.withUnsafeBytes { second in
      guard let mine = first.baseAddress, let whole = second.baseAddress else { return true }
      return memcmp(mine + start, whole + start, first.count - start) == 0
    }
  }
}
