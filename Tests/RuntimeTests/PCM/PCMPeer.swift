import Hardware
import JSON
import SimulatedHardware
import Synchronization

@testable import Runtime

/// The other end of a sound socket's connection, that takes all or nothing.
final class PCMPeer: ConsoleConnection {
  private struct Core {
    var line: [UInt8] = []
    var heads: [PCMHead] = []
    var last: Float?
    var largestStep: Float = 0
    var samples: [Float] = []
    var isClosed = false
    var handled = 0
    var room = Int.max
  }

  let name = "peer"
  let isTerminal = false
  private let keeps: Bool
  private let core = Mutex(Core())

  /// - Parameter keeps: whether it keeps the samples, which are `s16`.
  init(keeps: Bool = false) { self.keeps = keeps }

  var room: Int {
    get { core.withLock { $0.room } }
    set { core.withLock { $0.room = newValue } }
  }
  var heads: [PCMHead] { core.withLock { $0.heads } }
  var samples: [Float] { core.withLock { $0.samples } }
  var isClosed: Bool { core.withLock { $0.isClosed } }
  var handled: Int { core.withLock { $0.handled } }
  var answer: JSONValue? { core.withLock { try? JSONValue(parsing: $0.line) } }
  /// The largest step from one sample to the next: between packets, and within one of a hundred.
  var largestStep: Float { core.withLock { $0.largestStep } }

  func discardUnsent() {}
  func handled(_ count: Int) { core.withLock { $0.handled += count } }
  func close() { core.withLock { $0.isClosed = true } }

  func send(_ bytes: [UInt8]) {
    core.withLock { core in
      if bytes.first == UInt8(ascii: "{") {
        core.line = bytes
        return
      }
      func number(_ range: Range<Int>) -> UInt64 { range.reversed().reduce(0) { $0 << 8 | UInt64(bytes[$1]) } }
      let head = PCMHead(
        bytes: Int(number(0..<4)), lost: Int(number(4..<8)), frame: Int(number(8..<16)),
        at: Instant(nanoseconds: Int64(bitPattern: number(16..<24))))
      core.heads.append(head)
      guard head.bytes > 0 else { return }
      let all = keeps || core.heads.count % 100 == 1
      func sample(_ index: Int) -> Float {
        Float(Int16(bitPattern: UInt16(bytes[24 + 2 * index]) | UInt16(bytes[25 + 2 * index]) << 8)) / 32_768
      }
      let count = head.bytes / 2
      for index in all ? Array(0..<count) : [0, count - 1] {
        let value = sample(index)
        if let last = core.last, all || index == 0 { core.largestStep = max(core.largestStep, abs(value - last)) }
        core.last = value
        if keeps { core.samples.append(value) }
      }
    }
  }
}
