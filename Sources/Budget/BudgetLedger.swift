public import Board
internal import Synchronization

/// Why an allocation was refused.
public struct BudgetRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  public var subsystem: Subsystem
  /// What was to be allocated.
  public var name: String
  public var bytes: Int
  /// What the part has already, bytes.
  public var held: Int
  /// What the board grants it, bytes.
  public var granted: Int

  public var description: String {
    "\(subsystem.rawValue): \(name) needs \(bytes) bytes, but \(max(0, granted - held)) of \(granted) are left: "
      + "raise budget.\(subsystem.rawValue).memory_kb in the board file, or ask for less"
  }
}

/// Who has allocated what: rings and arenas are entered here before they are made, and refused when they are larger
/// than their part's line. Any thread; takes a lock, so not on real-time threads (they allocate nothing anyway).
public final class BudgetLedger: Sendable {
  /// One thing that was allocated.
  public struct Entry: Hashable, Sendable {
    public var subsystem: Subsystem
    public var name: String
    public var bytes: Int
  }

  public let plan: BudgetPlan
  private let entries = Mutex<[Entry]>([])
  private let highest = Mutex([Int](repeating: 0, count: Subsystem.allCases.count))

  public init(_ plan: BudgetPlan) { self.plan = plan }

  /// Enters an allocation of `bytes` bytes, before it is made. The same name again replaces the first entry.
  public func register(_ subsystem: Subsystem, _ name: String, bytes: Int) throws(BudgetRefusal) {
    let granted = plan.line(subsystem).memoryKB * 1024
    let refusal = entries.withLock { entries -> BudgetRefusal? in
      let place = entries.firstIndex { $0.subsystem == subsystem && $0.name == name }
      let held = Self.sum(entries, subsystem) - (place.map { entries[$0].bytes } ?? 0)
      guard bytes >= 0, bytes <= granted - held else {
        return BudgetRefusal(subsystem: subsystem, name: name, bytes: bytes, held: held, granted: granted)
      }
      let entry = Entry(subsystem: subsystem, name: name, bytes: bytes)
      if let place { entries[place] = entry } else { entries.append(entry) }
      return nil
    }
    if let refusal { throw refusal }
    guard let place = Subsystem.allCases.firstIndex(of: subsystem) else { return }
    let held = self.bytes(of: subsystem)
    highest.withLock { $0[place] = max($0[place], held) }
  }

  /// Takes an entry back; unknown names are ignored.
  public func release(_ subsystem: Subsystem, _ name: String) {
    entries.withLock { $0.removeAll { $0.subsystem == subsystem && $0.name == name } }
  }

  /// What is allocated now, in the order of entering.
  public var all: [Entry] { entries.withLock { $0 } }

  /// The most bytes that each part has held so far, in the order of `Subsystem.allCases`.
  public var peaks: [Int] { highest.withLock { $0 } }

  /// Bytes that a part holds now.
  public func bytes(of subsystem: Subsystem) -> Int { entries.withLock { Self.sum($0, subsystem) } }

  /// Bytes that a part may still be given.
  public func left(for subsystem: Subsystem) -> Int {
    max(0, plan.line(subsystem).memoryKB * 1024 - bytes(of: subsystem))
  }

  private static func sum(_ entries: [Entry], _ subsystem: Subsystem) -> Int {
    entries.reduce(0) { $0 + ($1.subsystem == subsystem ? $1.bytes : 0) }
  }
}
