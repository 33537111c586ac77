internal import Hardware

/// Gives out session numbers, each of them once, to takes and clips alike.
///
/// Only numbers that the device has given count. A file that is not named as the device names its files has none, and
/// one whose number lies far beyond all others was put there by somebody else: the counter passes it by. Storage
/// worker only.
final class Names {
  private let state: StateStore
  private let notices: Notices
  /// Highest number given or believed.
  private var highest = 0
  /// The number that may have been in hand when the last start ended.
  private var begun: Int?

  /// A state that claims more than this is not believed; it leaves nine tenths of all numbers to be given.
  static let highestBelieved = TakeName.highestNumber / 10
  /// How many files in a row can have been deleted: a larger gap in the numbers of the files that are there means that
  /// what follows it is not ours.
  static let largestGap = 1_000_000

  init(state: StateStore, notices: Notices) {
    self.state = state
    self.notices = notices
  }

  /// Takes up the count where state and files say it was.
  ///
  /// - Parameter found: numbers in the names of files, in any order.
  func resume(found: [Int]) {
    let kept = state.session
    highest = max(highest, kept)
    for number in found.sorted() where number > highest {
      guard number - highest <= Self.largestGap else { break }
      highest = number
    }
    // What has been kept was complete, or is a single file that was being discarded. Numbers are given without holes: what
    // lies beyond one was not in hand.
    let new = Set(found.filter { $0 > kept && $0 <= highest }).count
    let mayBe = highest > kept ? highest - kept <= new : found.count { $0 == highest } == 1
    begun = mayBe ? highest : nil
  }

  /// Whether a file may have got its name right before the last start ended, with nothing in it and nothing beside it.
  func mayHaveBegun(_ fileName: String) -> Bool { begun != nil && TakeName.number(in: fileName) == begun }

  /// Offers one new name after the other until `use` has made something of one.
  ///
  /// - Parameter use: returns nil if the name is taken already; a stall leaves the number free for the next call.
  func give<Use>(
    createdAt: WallTime, fileExtension: String, author: String? = nil, _ use: (TakeName) throws(LibraryError) -> Use?
  ) throws(LibraryError) -> Use {
    // What was left unread may have told of higher ones since.
    highest = max(highest, state.session)
    while highest < TakeName.highestNumber {
      let name = TakeName(number: highest + 1, createdAt: createdAt, fileExtension: fileExtension, author: author)
      let used = try use(name)
      highest += 1
      if let used { return used }
    }
    throw .badArgument("all session numbers are used up")
  }

  /// Makes the counter durable; before a numbered file goes for good, lest its number be given twice.
  func keep() throws(LibraryError) {
    state.note(session: highest)
    try notices.attempt("The session counter could not be saved") { () throws(LibraryError) in try state.save() }
  }
}
