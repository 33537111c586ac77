internal import Hardware
internal import Media

/// The last seconds of pictures, as they came from the camera or the encoder: one arena, records in line and in one
/// piece, whole records evicted, oldest first.
///
/// Pictures are numbered from the first one ever pushed and keep their numbers. Memory is allocated and touched in
/// `init` and never grows. One thread at a time (`PictureBuffer` sees to it).
final class FrameRing {
  /// What is known of a picture beside its bytes.
  struct Entry: Equatable {
    /// When it was taken, smoothed by `PictureClock`; increasing.
    var time: Instant
    /// Pictures that are missing before it, and why.
    var missing: Int32 = 0
    var cause = MissingCause.none
    var isKeyframe: Bool
    /// It came more than half its turn away from it.
    var isLate = false
    /// Nothing before it has to do with it or what follows: the first picture behind a loss, or of another kind.
    fileprivate(set) var isFresh = false
    /// No picture after it, in the ring or on the screen, has to do with anything before it.
    var isInstant = false
    /// Others refer to it; so many can be referred to at a time.
    var isReferred = false
    var mostReferred: UInt8 = 0
    /// Bits of `order` that the stream says; 0: it has no such count.
    var orderBits: UInt8 = 0
    /// What its pictures are; grows with every change of size, codec or depth.
    var epoch: Int32 = 0
    /// Of a keyframe: pictures after it, as they are seen, until decoding that begins with it shows them right.
    var recovery: Int32 = 0
    /// How many pictures later than it came it is seen; `unsettled` until pictures behind it tell.
    var lag: Int32 = 0
    /// Pictures that may come before another one and be seen behind it, as far as was known when it came.
    var depth: Int32 = 0
    /// Nanoseconds by which its time was moved, and from it to the next picture by the camera's rhythm.
    var shift: Int32 = 0
    var period: Int32 = 0
    /// Its place among the others, as they are seen, by the stream's own count.
    var order: Int32 = 0
    /// Bytes, and where they are in the arena.
    fileprivate(set) var bytes = 0
    fileprivate var place = 0
    /// Number of the keyframe that decoding it has to begin with.
    fileprivate(set) var keyframe = 0

    static let unsettled = Int32.min

    init(time: Instant, isKeyframe: Bool) {
      self.time = time
      self.isKeyframe = isKeyframe
    }

    var isSettled: Bool { lag != Self.unsettled }

    /// What a decoder orders it by.
    var decoded: DecodedOrder.Picture {
      DecodedOrder.Picture(
        order: Int(order), orderBits: Int(orderBits), isReferred: isReferred, mostReferred: Int(mostReferred),
        isInstant: isInstant, depth: Int(depth))
    }
  }

  /// Why pictures are missing.
  enum MissingCause: UInt8 {
    case none
    /// Skipped by the device, broken, or dropped on the way.
    case missed
    /// The camera was away.
    case lost
  }

  let capacity: Int
  private let arena: UnsafeMutableRawPointer
  private let entries: UnsafeMutablePointer<Entry>
  /// Most pictures: one for every 2 KiB.
  let mostPictures: Int
  static let bytesPerPicture = 2048

  /// Number of the oldest picture held, and of the one after the newest.
  private(set) var first = 0
  private(set) var end = 0
  /// Bytes of the pictures held.
  private(set) var bytes = 0
  private(set) var keyframes = 0
  /// Pictures that had to go before their time. Only grows.
  private(set) var crowdedOut = 0
  private var lastKeyframe: Int?

  /// - Parameter bytes: size of the arena, at least 4 KiB.
  init(bytes: Int) {
    capacity = max(4096, bytes)
    mostPictures = max(64, capacity / Self.bytesPerPicture)
    arena = .allocate(byteCount: capacity, alignment: 64)
    arena.initializeMemory(as: UInt8.self, repeating: 0, count: capacity)
    entries = .allocate(capacity: mostPictures)
    entries.initialize(repeating: Entry(time: .zero, isKeyframe: false), count: mostPictures)
  }

  deinit {
    arena.deallocate()
    entries.deallocate()
  }

  var isEmpty: Bool { first == end }
  /// Bytes of all that is not pictures.
  var overheadBytes: Int { mostPictures * MemoryLayout<Entry>.stride }

  /// What is known of a picture; `nil` if it is no longer or not yet held.
  subscript(number: Int) -> Entry? {
    number >= first && number < end ? entries[number % mostPictures] : nil
  }

  var newest: Entry? { self[end - 1] }

  /// A picture's bytes, good until the ring changes.
  func picture(_ number: Int) -> UnsafeRawBufferPointer? {
    self[number].map { UnsafeRawBufferPointer(start: arena + $0.place, count: $0.bytes) }
  }

  // MARK: Finding

  /// The last picture taken at or before `time`.
  func number(at time: Instant) -> Int? {
    var low = first
    var high = end
    while low < high {
      let middle = (low + high) / 2
      if entries[middle % mostPictures].time <= time { low = middle + 1 } else { high = middle }
    }
    return low > first ? low - 1 : nil
  }

  /// The first keyframe held.
  var firstKeyframe: Int? { keyframe(from: first) }

  /// The first keyframe with this number or a higher one.
  func keyframe(from number: Int) -> Int? {
    var number = max(number, first)
    while number < end {
      if entries[number % mostPictures].isKeyframe { return number }
      number += 1
    }
    return nil
  }

  /// The keyframe with which decoding has to begin for the picture that is seen as the `number`th; `nil` if it is not held
  /// any more.
  func start(of number: Int) -> Int? {
    guard var keyframe = self[number]?.keyframe else { return nil }
    while keyframe >= first {
      if let clean = clean(from: keyframe), clean <= number { return keyframe }
      guard !entries[keyframe % mostPictures].isFresh, let before = self[keyframe - 1] else { return nil }
      keyframe = before.keyframe
    }
    return nil
  }

  /// The picture that is seen in a turn; `nil` while that is not known.
  func number(inTurn turn: Int) -> Int? {
    guard turn >= first, turn < end else { return nil }
    // No stream has more out of order.
    return (max(first, turn - 16)..<min(end, turn + 17)).first { self.turn(of: $0) == turn }
  }

  /// The turn in which a picture is seen; `nil` while that is not known.
  func turn(of number: Int) -> Int? { self[number].flatMap { $0.isSettled ? number + Int($0.lag) : nil } }

  /// The turn from which on pictures are right if decoding begins with a keyframe; `nil` while that is not known.
  func clean(from keyframe: Int) -> Int? {
    guard let entry = self[keyframe], entry.isSettled else { return nil }
    return keyframe + max(0, Int(entry.lag)) + Int(entry.recovery)
  }

  // MARK: Changing

  /// Appends a picture; the oldest make room.
  ///
  /// - Returns: false if it can never fit, or can never be decoded: no keyframe came before it.
  func push(_ picture: UnsafeRawBufferPointer, _ entry: Entry) -> Bool {
    guard let base = picture.baseAddress, picture.count > 0, entry.isKeyframe || lastKeyframe != nil else {
      return false
    }
    guard picture.count <= capacity else {
      crowdedOut += 1
      return false
    }
    guard let place = makeRoom(for: picture.count) else { return false }
    (arena + place).copyMemory(from: base, byteCount: picture.count)
    var kept = entry
    if !entry.isFresh { kept.isFresh = lastKeyframe == nil }
    if entry.isKeyframe {
      lastKeyframe = end
      keyframes += 1
    }
    kept.bytes = picture.count
    kept.place = place
    kept.keyframe = lastKeyframe ?? end
    entries[end % mostPictures] = kept
    end += 1
    bytes += picture.count
    return true
  }

  /// Says when a picture is seen: in the turn of the picture with that number.
  func settle(_ number: Int, turn: Int) {
    if number >= first, number < end { entries[number % mostPictures].lag = Int32(clamping: turn - number) }
  }

  /// The next picture cannot be decoded together with those before it: the next one must be a keyframe.
  func interrupt() { lastKeyframe = nil }

  /// Lets go of pictures that a clip which begins at `start` or later does not need, in whole groups.
  ///
  /// - Parameter pinned: this picture and those after it stay in any case.
  func evict(before start: Instant, pinned: Int?) {
    while let next = keyframe(from: first + 1), let clean = clean(from: next), let entry = self[clean],
      entry.time <= start
    {
      let limit = min(next, pinned ?? next)
      guard limit > first else { return }
      while first < limit { dropFirst() }
      guard limit == next else { return }
    }
  }

  func clear() {
    while !isEmpty { dropFirst() }
    lastKeyframe = nil
  }

  /// A ring of another size with the newest of these pictures, as many as fit, under their numbers.
  func resized(to bytes: Int) -> FrameRing {
    let ring = FrameRing(bytes: bytes)
    ring.crowdedOut = crowdedOut
    var start = end
    var kept = 0
    // One record's room may be lost as a hole at the arena's end.
    var largest = 0
    while start > first, let entry = self[start - 1], end - start < ring.mostPictures {
      largest = max(largest, entry.bytes)
      guard kept + entry.bytes + largest <= ring.capacity else { break }
      kept += entry.bytes
      start -= 1
    }
    // An open clip may have sent a keyframe, and what follows not yet: that stays.
    if start > first { start = keyframe(from: start) ?? end }
    ring.first = start
    ring.end = start
    ring.lastKeyframe = self[start]?.keyframe
    for number in start..<end {
      guard let entry = self[number], let bytes = picture(number) else { continue }
      _ = ring.push(bytes, entry)
    }
    if lastKeyframe == nil { ring.lastKeyframe = nil }
    return ring
  }

  /// - Returns: where `count` bytes can go, after as many evictions as that takes.
  private func makeRoom(for count: Int) -> Int? {
    if end - first >= mostPictures { crowdOut() }
    while true {
      guard !isEmpty else { return 0 }
      let head = entries[first % mostPictures].place
      let last = entries[(end - 1) % mostPictures]
      let tail = last.place + last.bytes
      if last.place >= head {
        if capacity - tail >= count { return tail }
        if head > count { return 0 }
      } else if head - tail > count {
        return tail
      }
      crowdOut()
    }
  }

  private func crowdOut() {
    dropFirst()
    crowdedOut += 1
  }

  private func dropFirst() {
    let entry = entries[first % mostPictures]
    bytes -= entry.bytes
    if entry.isKeyframe { keyframes -= 1 }
    first += 1
  }

  /// - Parameter window: what is asked for.
  func status(window: Duration) -> RingStatus {
    var seconds = 0.0
    if let start = firstKeyframe.flatMap({ clean(from: $0) }).flatMap({ self[$0] }), let newest {
      seconds = (newest.time - start.time).inSeconds + Double(newest.period) / 1e9
    }
    return RingStatus(
      seconds: seconds, wantedSeconds: window.inSeconds, pictures: end - first, keyframes: keyframes, bytes: bytes,
      capacity: capacity, overheadBytes: overheadBytes, crowdedOut: crowdedOut)
  }
}
