internal import CLinux
internal import Dictaphone
internal import Glibc

/// The other side of `DecodingProcess`: the whole life of the process that decodes one file for the player.
public enum DecodingServer {
  /// Enough for days of sound.
  private static let processorSeconds: Int32 = 6 * 3600
  /// One answer may take so long; going back in a long file that has no index takes its time.
  private static let answerSeconds = 40

  /// Confines this process, then answers questions about the file that is open as descriptor 3, until there are no more.
  ///
  /// - Parameter name: of the file.
  public static func run(name: String) {
    // What the kernel refuses, the examiner tells.
    _ = mynah_confine(Confined.memoryBytes, processorSeconds, 0)
    Confined.allow(seconds: answerSeconds)
    let server = SoundServer(path: "/proc/self/fd/3", name: name)
    guard tell(server.opening()) else { return }
    var waiting: [UInt8] = []
    var block = [UInt8](repeating: 0, count: SoundQuestion.bytes)
    while true {
      let count = block.withUnsafeMutableBytes { mynah_read(STDIN_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      waiting += block[..<count]
      while waiting.count >= SoundQuestion.bytes {
        guard let question = SoundQuestion(Array(waiting.prefix(SoundQuestion.bytes))) else { return }
        waiting.removeFirst(SoundQuestion.bytes)
        Confined.allow(seconds: answerSeconds)
        guard tell(server.answer(to: question)) else { return }
      }
    }
  }

  /// A player that pauses takes its answer later, however late.
  private static func tell(_ answer: [UInt8]) -> Bool {
    Confined.allow(seconds: 0)
    return Confined.put(answer)
  }
}
