/// One thing that recovery has to look into.
enum RecoveryItem: Hashable {
  /// A salvaged copy was not put in place; the id of its take.
  case finishSalvage(String)
  /// A file that was deleted before the start; its path.
  case discard(String)
  /// Metadata that an undelete did not bring back; its name.
  case restore(String)
  /// A sound that the catalogue does not know as it is; its id.
  case take(String)
  /// Numbered sounds that would share one metadata file: its name, and their ids.
  case renumber(String, [String])
  /// Metadata without its sound; its name.
  case orphan(String)
  /// A temporary file; its path.
  case leftover(String)
  /// A take that is listed and whose sound has not been looked at; its id.
  case inspect(String)

  /// What has to come first: what others build on, then what people wait for, then the rest.
  fileprivate var rank: Int {
    switch self {
    case .finishSalvage: 0
    case .discard(let path): path.hasPrefix(TakePath.recordings) ? 1 : 5
    case .restore: 2
    case .renumber: 3
    case .take: 4
    case .orphan: 6
    case .leftover: 7
    case .inspect: 8
    }
  }
}

/// What recovery has yet to do, in order of urgency.
struct RecoveryQueue {
  private var ranks: [[RecoveryItem]] = Array(repeating: [], count: 9)
  /// Done items at the front of each rank.
  private var done = Array(repeating: 0, count: 9)
  private var claimed: Set<String> = []
  /// Takes whose sound is the one that the catalogue knows to be sound.
  private(set) var trusted: Set<String> = []
  /// Takes of which the report already has its sentence.
  private(set) var told: Set<String> = []
  /// Takes on whose sound a repair has begun.
  private(set) var mended: Set<String> = []
  /// Takes that are on their way to `_Corrupted/`, and why.
  private(set) var quarantined: [String: String] = [:]
  /// Takes that are salvaged copies.
  private(set) var salvaged: Set<String> = []

  /// The most urgent item; stays until `finish`.
  var next: RecoveryItem? {
    for rank in ranks.indices where done[rank] < ranks[rank].count { return ranks[rank][done[rank]] }
    return nil
  }

  /// Takes that are on the storage and not listed yet.
  var unlisted: Int {
    ranks.indices.reduce(0) { sum, rank in
      ranks[rank][done[rank]...].reduce(sum) { count, item in
        switch item {
        case .take: count + 1
        case .renumber(_, let names): count + names.count
        default: count
        }
      }
    }
  }

  /// Items not done yet.
  var count: Int { zip(ranks, done).reduce(0) { $0 + $1.0.count - $1.1 } }

  mutating func add(_ item: RecoveryItem) { ranks[item.rank].append(item) }

  /// Takes out an item that is done or given up.
  mutating func finish(_ item: RecoveryItem) {
    let rank = item.rank
    guard done[rank] < ranks[rank].count, ranks[rank][done[rank]] == item else { return }
    done[rank] += 1
    if done[rank] == ranks[rank].count {
      ranks[rank].removeAll()
      done[rank] = 0
    }
  }

  /// Notes that a metadata file is already dealt with by another item.
  mutating func claim(_ name: String) { claimed.insert(name) }
  func handles(_ name: String) -> Bool { claimed.contains(name) }

  mutating func trust(_ id: String) { trusted.insert(id) }
  /// Notes that a take has been reported on.
  ///
  /// - Returns: whether it is the first time.
  mutating func tell(of id: String) -> Bool { told.insert(id).inserted }

  mutating func markMended(_ id: String) { mended.insert(id) }
  /// Forgets what was noted about a take that is in order now.
  mutating func clear(_ id: String) {
    told.remove(id)
    mended.remove(id)
    salvaged.remove(id)
    trusted.remove(id)
  }

  mutating func markQuarantined(_ id: String, reason: String?) { quarantined[id] = reason }
  mutating func markSalvaged(_ id: String) { salvaged.insert(id) }
}
