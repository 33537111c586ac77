internal import CLinux
internal import Glibc
public import Hardware
internal import JSON
internal import Library

/// The other side of `Examiner`: the whole life of the process that looks at files.
public enum ExaminerServer {
  private static let processorSeconds: Int32 = 60
  /// After so much of it the process ends between two files, and another goes on: none of them pays for the others.
  private static let retirementSeconds = 30
  /// One file may take so long.
  private static let fileSeconds = 15
  private static let longestPath = 1 << 16

  /// Confines this process, then answers paths on standard input, each ended by a NUL, until there are no more.
  ///
  /// - Parameter storage: the data directory; nothing in it is changed.
  public static func run(on storage: any Storage) {
    let repairer = MediaRepairer(storage: storage, examiner: nil)
    guard put(ExaminerAnswer.greeting(mynah_confine(Confined.memoryBytes, processorSeconds, 10))) else { return }
    var waiting: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 4096)
    while waiting.count < longestPath {
      let count = block.withUnsafeMutableBytes { mynah_read(STDIN_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      waiting += block[..<count]
      while let end = waiting.firstIndex(of: 0) {
        let path = String(decoding: waiting[..<end], as: UTF8.self)
        waiting.removeFirst(end + 1)
        Confined.allow(seconds: fileSeconds)
        guard put(ExaminerAnswer.json(repairer.look(at: path))) else { return }
        Confined.allow(seconds: 0)
        if usedSeconds() >= retirementSeconds { return }
      }
    }
  }

  private static func usedSeconds() -> Int {
    var usage = rusage()
    return getrusage(RUSAGE_SELF.rawValue, &usage) == 0 ? usage.ru_utime.tv_sec + usage.ru_stime.tv_sec : 0
  }

  private static func put(_ answer: JSONValue) -> Bool { Confined.put(Array("\(answer.text)\n".utf8)) }
}
