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
  /// A take of the device's that the catalogue does not know as it is; its id.
  case take(String)
  /// A file from elsewhere that the catalogue does not know as it is; its path.
  case look(String)
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
  /// The last start has ended while this was examined: another process looks at it first.
  indirect case suspected(RecoveryItem)

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
    case .look: 9
    case .inspect: 10
    case .suspected(let item): item.rank
    }
  }

  fileprivate static let ranks = 11
  /// After these all takes and clips of the device's are listed.
  fileprivate static let listingRanks = 6

  /// The path of the file whose contents are read; nil where only names and metadata are.
  var examined: String? {
    switch self {
    case .take(let id), .inspect(let id): TakePath.sound(id)
    case .look(let path): path
    case .clipPart(let id): ClipPath.part(id)
    case .clipReceipt(let id): ClipPath.clip(id)
    default: nil
    }
  }
}

/// What recovery has yet to do, in order of urgency. Storage worker only.
final class RecoveryQueue {
  private var ranks: [[RecoveryItem]] = Array(repeating: [], count: RecoveryItem.ranks)
  /// Done items at the front of each rank.
  private var done = Array(repeating: 0, count: RecoveryItem.ranks)
  /// Paths of files from elsewhere that have not been looked at.
  private var unseen: Set<String> = []
  /// A longer page is nobody's screen.
  private static let mostWanted = 200
  /// Those of them that people have before them.
  private var wanted: [String] = []

  /// The most urgent item; stays until `finish`.
  var next: RecoveryItem? {
    for rank in ranks.indices where done[rank] < ranks[rank].count {
      let item = ranks[rank][done[rank]]
      if case .look = item, let path = wanted.first { return .look(path) }
      return item
    }
    return nil
  }

  /// Whether somebody waits for the next item with a list before him.
  var isNextWanted: Bool { !wanted.isEmpty && next.map { if case .look = $0 { true } else { false } } == true }

  /// Has these files looked at before the others, in this order; of another folder what was wanted is wanted still.
  func want(_ paths: some Sequence<String>, in folder: String) {
    guard !unseen.isEmpty else { return }
    let others = wanted.filter { !$0.utf8.starts(with: "\(folder)/".utf8) }
    wanted = paths.prefix(Self.mostWanted).filter(unseen.contains) + others
  }

  /// Items that come next, the most urgent first.
  func upcoming(_ limit: Int) -> [RecoveryItem] {
    ranks.indices.lazy.flatMap { [self] in ranks[$0][done[$0]...].prefix(limit) }.prefix(limit).map { $0 }
  }

  /// Takes that are on the storage and not listed yet.
  var unlisted: [String] {
    ranks.indices.flatMap { rank in
      ranks[rank][done[rank]...].flatMap { item -> [String] in
        switch item {
        case .take(let id), .suspected(.take(let id)): [id]
        case .look(let path): unseen.contains(path) ? TakePath.id(path).map { [$0] } ?? [] : []
        case .renumber(_, let ids): ids
        default: []
        }
      }
    }
  }

  /// Clips that were being written and are not complete yet.
  var unfinishedClips: [String] {
    ranks.indices.flatMap { rank in
      ranks[rank][done[rank]...].compactMap { item -> String? in
        switch item {
        case .clipPart(let id), .suspected(.clipPart(let id)): id
        default: nil
        }
      }
    }
  }

  /// Takes that a start has died of, for all that is known.
  var suspects: [String] {
    ranks.indices.flatMap { rank in
      ranks[rank][done[rank]...].compactMap { if case .suspected(.take(let id)) = $0 { id } else { nil } }
    }
  }

  /// Whether takes and clips of the device's may be there that are not listed yet.
  var isListing: Bool { (0..<RecoveryItem.listingRanks).contains { done[$0] < ranks[$0].count } }

  /// Items not done yet.
  var count: Int { zip(ranks, done).reduce(0) { $0 + $1.0.count - $1.1 } }

  func add(_ item: RecoveryItem) {
    ranks[item.rank].append(item)
    if case .look(let path) = item { unseen.insert(path) }
  }

  /// Takes out an item that is done or given up.
  func finish(_ item: RecoveryItem) {
    let rank = item.rank
    if case .look(let path) = item {
      unseen.remove(path)
      wanted.removeAll { $0 == path }
      // Some have been looked at out of turn.
      while done[rank] < ranks[rank].count, case .look(let path) = ranks[rank][done[rank]], !unseen.contains(path) {
        done[rank] += 1
      }
    } else if done[rank] < ranks[rank].count, ranks[rank][done[rank]] == item {
      done[rank] += 1
    }
    if done[rank] == ranks[rank].count {
      ranks[rank].removeAll()
      done[rank] = 0
    }
  }

  func removeAll() {
    unseen.removeAll()
    wanted.removeAll()
    for rank in ranks.indices {
      ranks[rank].removeAll()
      done[rank] = 0
    }
  }
}
