import CMallocCount
import Foundation
import Testing

/// The stated numbers of heap allocations, from ceilings.txt beside this file.
enum Ceilings {
  static let stated: [String: Int] = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("ceilings.txt")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    var table: [String: Int] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.split(separator: " ")
      if words.count == 2, let count = Int(words[1]) { table[String(words[0])] = count }
    }
    return table
  }()

  /// Fails if `count` is more than is stated for `name`, or less.
  static func check(_ name: String, _ count: Int, sourceLocation: SourceLocation = #_sourceLocation) {
    guard let stated = stated[name] else {
      Issue.record("ceilings.txt does not state \(name): measured \(count)", sourceLocation: sourceLocation)
      return
    }
    #expect(count <= stated, "\(name) allocates more than ceilings.txt allows", sourceLocation: sourceLocation)
    #expect(count >= stated, "\(name) has become better: lower it in ceilings.txt", sourceLocation: sourceLocation)
  }

  /// Heap allocations of the calling thread during `work`.
  @inline(never)
  static func allocations(_ work: () -> Void) -> Int {
    let before = mynah_thread_allocations()
    work()
    return mynah_thread_allocations() - before
  }
}
