internal import Hardware
internal import JSON

/// What is known of a finished clip without opening it.
struct ClipRecord: Hashable {
  var id: String
  var bytes: Int
  /// From the receipt, once somebody has asked.
  var facts: ClipFacts?
  /// What was found in one without a receipt.
  var shape: TakeShape?
  /// Nothing can be made of it; the device has not made it, and leaves it as it is.
  var isUnreadable = false
  /// No more than its name is known yet.
  var isPending = false
  private let hasOwnName: Bool

  init(id: String, bytes: Int) {
    self.id = id
    self.bytes = bytes
    hasOwnName = TakeName.isOurs(id)
  }

  /// One that somebody has looked at, now or before the start.
  init(_ seen: TakeRecord) {
    self.init(id: ClipPath.name(seen.id), bytes: seen.size)
    isUnreadable = seen.isUnreadable
    guard !isUnreadable else { return }
    shape = TakeShape(
      frames: seen.frames, sampleRate: Int(seen.sampleRate), channels: Int(seen.channels), format: seen.format)
  }

  /// Whether it is a film, or called one.
  var isListed: Bool { !isUnreadable || ClipPath.isFilm(id) }

  /// Whether the device may have made it, as far as is known: what has no receipt of its own is no more than called so, and
  /// one that begins with its protection says nothing of it.
  var mayBeOwn: Bool {
    hasOwnName && shape == nil && !isUnreadable && facts.map { $0.stopReason != nil } != false
  }

  /// 0 for files that are not numbered by us.
  var number: Int { TakeName.number(in: id) ?? 0 }
}

/// What lists show of a receipt.
struct ClipFacts: Hashable {
  /// Seconds.
  var duration = 0.0
  var isProtected = false
  var stopReason: String?
  /// What started it.
  var trigger: String?
  /// Hertz, and frames, of its sound.
  var sampleRate = 0
  var frames = 0

  /// What is known of a clip without a receipt of ours.
  init(withoutReceipt shape: TakeShape?) {
    self.init(.null, shape: shape)
  }

  /// - Parameter shape: what was found in a clip whose receipt does not say it.
  init(_ receipt: JSONValue, shape: TakeShape? = nil) {
    // A receipt may come from elsewhere: what is no length of a clip is none.
    duration =
      receipt["durationSeconds"]?.numberValue.flatMap { (0...FileMeta.longestSeconds).contains($0) ? $0 : nil } ?? 0
    isProtected = receipt["protected"]?.boolValue ?? false
    stopReason = receipt["stopReason"]?.stringValue
    trigger = receipt["triggers"]?.arrayValue?.first?["cause"]?.stringValue
    sampleRate = ClaimedNumber(receipt["sound"]?["sampleRate"]?.integerValue).within(0...1_000_000) ?? 0
    frames = ClaimedNumber(receipt["sound"]?["frames"]?.integerValue).within(0...FileMeta.mostFrames) ?? 0
    guard duration == 0, let shape, shape.sampleRate > 0 else { return }
    duration = Double(shape.frames) / Double(shape.sampleRate)
    if shape.channels > 0 { (sampleRate, frames) = (shape.sampleRate, shape.frames) }
  }
}

/// The clips that are known: finished ones by number, and those being written. Storage worker only.
final class ClipIndex {
  /// In the order of their numbers.
  private(set) var finished: [ClipRecord] = []
  private(set) var open: Set<String> = []

  func begin(with records: [ClipRecord]) { finished = records }

  subscript(id: String) -> ClipRecord? { finished.first { $0.id == id } }
  var totalBytes: Int { finished.reduce(0) { $0 &+ $1.bytes } }

  /// Adds a clip, or replaces the one of the same name.
  func enter(_ record: ClipRecord) {
    forget(record.id)
    let place = finished.firstIndex { $0.number > record.number } ?? finished.count
    finished.insert(record, at: place)
  }

  func forget(_ id: String) { finished.removeAll { $0.id == id } }

  /// Keeps what a receipt says; nil: it has changed, and is to be read again.
  func note(_ facts: ClipFacts?, of id: String) {
    guard let place = finished.firstIndex(where: { $0.id == id }) else { return }
    finished[place].facts = facts
  }

  // MARK: Clips being written

  var hasOpen: Bool { !open.isEmpty }
  func isOpen(_ id: String) -> Bool { open.contains(id) }
  func setOpen(_ id: String) { open.insert(id) }
  func close(_ id: String) { open.remove(id) }
}
