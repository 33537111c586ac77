/// One thing that recovery has to look into.
enum RecoveryItem: Hashable {
  /// A salvaged copy was not put in place; the id of its take.
  case finishSalvage(String)
  /// A file that was deleted before the start; its path.
  case discard(String)
  /// A sidecar that an undelete did not bring back: its name, and the path it belongs to.
  case restore(String, to: String)
  /// Numbered sounds that would share one metadata file: its name, and their ids.
  case renumber(String, [String])
  /// A sound that the catalogue does not know as it is; its id.
  case take(String)
  /// A clip that was being written; its id.
  case clipPart(String)
  /// A clip whose receipt may still say that it is being written; its id.
  case clipReceipt(String)
  /// A piece of the ring's copy that a power cut left; its name.
  case ringPiece(String)
  /// Metadata without its sound; its name.
  case orphan(String)
  /// A receipt without its clip; its name.
  case orphanReceipt(String)
  /// A file that nobody will finish; its path.
  case leftover(String)
  /// A take that is listed and whose sound has not been looked at; its id.
  case inspect(String)

  /// What has to come first: what others build on, then what people wait for, then the rest.
  fileprivate var rank: Int {
    switch self {
    case .finishSalvage: 0
    case .discard(let path): path.hasPrefix(Trash.directory) ? 6 : 1
    case .restore: 2
    case .renumber: 3
    case .take: 4
    case .clipPart, .clipReceipt, .ringPiece: 5
    case .orphan, .orphanReceipt: 7
    case .leftover: 8
    case .inspect: 9
    }
  }

  fileprivate static let ranks = 10
}

/// What recovery has yet to do, in order of urgency. Storage worker only.
final class RecoveryQueue {
  private var ranks: [[RecoveryItem]] = Array(repeating: [], count: RecoveryItem.ranks)
  /// Done items at the front of each rank.
  private var done = Array(repeating: 0, count: RecoveryItem.ranks)

  /// The most urgent item; stays until `finish`.
  var next: RecoveryItem? {
    for rank in ranks.indices where done[rank] < ranks[rank].count { return ranks[rank][done[rank]] }
    return nil
  }

  /// Takes that are on the storage and not listed yet.
  var unlisted: [String] {
    ranks.indices.flatMap { rank in
      ranks[rank][done[rank]...].flatMap { item -> [String] in
        switch item {
        case .take(let id): [id]
        case .renumber(_, let ids): ids
        default: []
        }
      }
    }
  }

  /// Clips that were being written and are not complete yet.
  var unfinishedClips: [String] {
    ranks.indices.flatMap { rank in
      ranks[rank][done[rank]...].compactMap { if case .clipPart(let id) = $0 { id } else { nil } }
    }
  }

  /// Items not done yet.
  var count: Int { zip(ranks, done).reduce(0) { $0 + $1.0.count - $1.1 } }

  func add(_ item: RecoveryItem) { ranks[item.rank].append(item) }

  /// Takes out an item that is done or given up.
  func finish(_ item: RecoveryItem) {
    let rank = item.rank
    guard done[rank] < ranks[rank].count, ranks[rank][done[rank]] == item else { return }
    done[rank] += 1
    if done[rank] == ranks[rank].count {
      ranks[rank].removeAll()
      done[rank] = 0
    }
  }

  func removeAll() {
    for rank in ranks.indices {
      ranks[rank].removeAll()
      done[rank] = 0
    }
  }
}
