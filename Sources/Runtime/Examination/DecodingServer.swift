internal import CLinux
internal import Dictaphone
internal import Glibc
internal import Streaming

/// The other side of `DecodingProcess`: the whole life of the process that decodes one file for the player or for a dub.
public enum DecodingServer {
  /// Enough for days of sound.
  private static let processorSeconds: Int32 = 6 * 3600
  /// One answer may take so long; going back in a long file that has no index takes its time.
  private static let answerSeconds = 40

  /// Confines this process, then answers questions about the file that is open as descriptor 3, until there are no more.
  ///
  /// - Parameter name: of the file.
  public static func run(name: String) {
    confine()
    let server = SoundServer(path: "/proc/self/fd/3", name: name)
    serve(server.opening(), SoundQuestion.bytes) { SoundQuestion($0).map { server.answer(to: $0) } }
  }

  /// The same for a programme: what lies beside the file belongs to it.
  ///
  /// - Parameter pictureBytes: of pictures that may wait; 0: none are wanted.
  public static func run(programme path: String, pictureBytes: Int) {
    confine()
    let server = ProgrammeServer(path: path, pictures: pictureBytes > 0, pictureBytes: pictureBytes)
    serve(server.opening(), ProgrammeQuestion.bytes) { ProgrammeQuestion($0).map { server.answer(to: $0) } }
  }

  private static func confine() {
    // What the kernel refuses, the examiner tells.
    _ = mynah_confine(Confined.memoryBytes, processorSeconds, 0)
    Confined.allow(seconds: answerSeconds)
  }

  private static func serve(_ opening: [UInt8], _ size: Int, _ answer: ([UInt8]) -> [UInt8]?) {
    guard tell(opening) else { return }
    var waiting: [UInt8] = []
    var block = [UInt8](repeating: 0, count: size)
    while true {
      let count = block.withUnsafeMutableBytes { mynah_read(STDIN_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      waiting += block[..<count]
      while waiting.count >= size {
        Confined.allow(seconds: answerSeconds)
        guard let said = answer(Array(waiting.prefix(size))) else { return }
        waiting.removeFirst(size)
        guard tell(said) else { return }
      }
    }
  }

  /// A player that pauses takes its answer later, however late.
  private static func tell(_ answer: [UInt8]) -> Bool {
    Confined.allow(seconds: 0)
    return Confined.put(answer)
  }
}
