internal import Hardware

/// Takes of this run that began before the wall clock was set: when it is, they are dated by the monotonic clock. Their
/// names stay. Storage worker only.
final class TakeDates {
  private let clock: any DeviceClock
  private let index: Index
  private let editor: TakeEditor
  private let proofs: Proofs
  /// When they began, by the monotonic clock.
  private var undated: [(id: String, began: Instant)] = []
  private var nextLook = Instant.zero

  /// How often the clock is looked at while there are some: the network may set it at any time.
  private static let interval = Duration.seconds(10)

  init(clock: any DeviceClock, index: Index, editor: TakeEditor, proofs: Proofs) {
    self.proofs = proofs
    self.clock = clock
    self.index = index
    self.editor = editor
  }

  /// When the clock is to be looked at next; nil: nothing waits for it.
  var due: Instant? { undated.isEmpty ? nil : nextLook }

  /// A take is complete.
  func note(_ id: String, _ meta: FileMeta) {
    guard !meta.createdAt.isPlausible, let seconds = meta.startedMonotonic else { return }
    undated.removeAll { $0.id == id }
    undated.append((id, Instant(nanoseconds: Int64(seconds * 1e9))))
  }

  /// The clock may have been set: it is looked at with the next step.
  func look() { nextLook = .zero }

  /// Dates one, if the clock is set by now.
  ///
  /// - Returns: whether there was one.
  func step(now: Instant) throws(LibraryError) -> Bool {
    guard let (id, began) = undated.first, now >= nextLook else { return false }
    let wall = clock.wallNow
    guard wall.isPlausible else {
      nextLook = now + Self.interval
      return false
    }
    if index[id] != nil {
      let age = (clock.now - began).nanoseconds
      let date = WallTime(nanosecondsSince1970: wall.nanosecondsSince1970 &- age)
      do throws(LibraryError) {
        try proofs.date(TakePath.sound(id), date.wholeSeconds)
        _ = try editor.date(id, date)
      } catch {
        guard error.storageKind == .full else { throw error }
        nextLook = now + Self.interval
        return false
      }
    }
    undated.removeFirst()
    return true
  }
}
