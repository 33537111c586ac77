/// What is to be told for the log, in order; the same is told once. Bounded. One thread.
struct Remarks {
  private var waiting: [String] = []
  private var known: [String] = []
  private static let most = 16

  mutating func add(_ text: String) {
    guard !known.contains(text) else { return }
    known = known.suffix(Self.most - 1) + [text]
    waiting = waiting.suffix(Self.most - 1) + [text]
  }

  mutating func next() -> String? { waiting.isEmpty ? nil : waiting.removeFirst() }
}
