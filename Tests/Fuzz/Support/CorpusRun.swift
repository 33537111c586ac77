import Glibc
import TestSupport

extension FuzzTarget {
  /// Judges every file of a folder, then a number of changes to them. An input that traps ends the process: what is told
  /// last says which it was.
  ///
  /// - Returns: whether all is well.
  public func run(corpus folder: String, seeds: UInt64, tell: (String) -> Void) -> Bool {
    var isWell = true
    var kept: [[UInt8]] = []
    for name in Self.names(in: folder) {
      guard let bytes = Self.content("\(folder)/\(name)") else { continue }
      kept.append(bytes)
      tell(name)
      if let problem = judge(bytes) {
        tell("\(name): \(problem)")
        isWell = false
      }
    }
    let others = kept + (0..<8).compactMap { valid(seed: $0) }
    for seed in 0..<(others.isEmpty ? 0 : seeds) {
      var bytes = others[Int(seed) % others.count]
      mutate(&bytes, seed: seed, others: others)
      tell("seed \(seed)")
      if let problem = judge(bytes) {
        tell("seed \(seed): \(problem)")
        isWell = false
      }
    }
    return isWell
  }

  private static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  private static func content(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
  }
}
