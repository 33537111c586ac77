/// What recovery tells, and what it has to remember of a take from one attempt to the next: a stall begins the work on
/// it again. Storage worker only.
final class RecoveryLog {
  private(set) var report = RecoveryReport()
  /// Sentences of the work in hand.
  private var notes: [String] = []
  /// Takes whose sound is the one that the catalogue knows to be sound.
  private var trusted: Set<String> = []
  /// Takes of which the report already has its sentence.
  private var told: Set<String> = []
  /// Takes on whose sound a repair has begun.
  private var mended: Set<String> = []
  /// Takes that are salvaged copies.
  private var salvaged: Set<String> = []
  /// Takes that are on their way to `_Corrupted/`, and why.
  private var quarantined: [String: String] = [:]

  // MARK: Telling

  func begin(known: Int, sentences: [String]) {
    report = RecoveryReport()
    report.known = known
    for sentence in sentences { report.say(sentence) }
  }

  /// Changes the counts and lists of the report.
  func count(_ change: (inout RecoveryReport) -> Void) { change(&report) }

  /// Says it once, however often a stalled item is begun again.
  ///
  /// - Returns: whether it is said for the first time.
  @discardableResult
  func note(_ sentence: String) -> Bool {
    guard !notes.contains(sentence) else { return false }
    notes.append(sentence)
    return true
  }

  /// The work in hand is done: its sentences go into the report.
  func publishNotes() {
    for note in notes { report.say(note) }
    notes.removeAll()
  }

  /// The sentences of the work in hand, for whoever asked for it.
  func drainNotes() -> [String] {
    defer { notes.removeAll() }
    return notes
  }

  // MARK: Remembering

  func trust(_ id: String) { trusted.insert(id) }
  func isTrusted(_ id: String) -> Bool { trusted.contains(id) }

  /// Notes that a take is reported on.
  ///
  /// - Returns: whether it is the first time.
  func tell(of id: String) -> Bool { told.insert(id).inserted }

  func markMended(_ id: String) { mended.insert(id) }
  func markSalvaged(_ id: String) { salvaged.insert(id) }
  func isSalvaged(_ id: String) -> Bool { salvaged.contains(id) }
  /// Whether its sound is another than was recorded.
  func isChanged(_ id: String) -> Bool { mended.contains(id) || salvaged.contains(id) }

  func markQuarantined(_ id: String, reason: String?) { quarantined[id] = reason }
  func quarantineReason(_ id: String) -> String? { quarantined[id] }

  /// Forgets what was noted about a take that is in order now.
  func clear(_ id: String) {
    told.remove(id)
    mended.remove(id)
    salvaged.remove(id)
    trusted.remove(id)
  }
}
