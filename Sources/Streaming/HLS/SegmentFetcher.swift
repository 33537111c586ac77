internal import Hardware
internal import Media

/// What became of a segment.
struct LoadedSegment {
  enum Content {
    case bytes([UInt8], initialization: [UInt8])
    /// It is left out, because of this.
    case missing(StreamFault)
  }

  var segment: MediaSegment
  var content: Content
  /// Segments before it were left out without being mentioned.
  var isAfterBreak: Bool
  /// It is another variant's: it may begin before the end of the one before it.
  var isAfterChange: Bool
  /// Where its playlist began, as `LoaderPlan.origin`.
  var origin: Duration

  var hasBytes: Bool {
    if case .bytes = content { true } else { false }
  }
}

/// Fetches the segments that a `LoaderPlan` names, with the keys and initialisation sections that they need, and holds
/// them until they are taken. One thread, which it never blocks.
final class SegmentFetcher {
  /// A segment that is being fetched, with what has to be there before.
  private struct Transfer {
    enum Part { case key(String), map(SegmentMap), segment }

    var segment: MediaSegment
    var part: Part
    var fetch: any HTTPTransfer
  }

  private let network: any Network
  private let limits: HLSLimits
  private let wake: @Sendable () -> Void
  /// Told of each segment's bytes, and how long they took.
  private let measured: (Int, Duration) -> Void
  private var transfer: Transfer?
  private var loaded: [LoadedSegment] = []
  private var keys: [(url: String, bytes: [UInt8])] = []
  private var map: (map: SegmentMap, bytes: [UInt8])?
  /// How many bytes have come, each time that it was not all, of what has to be asked for whole: an initialisation section,
  /// a segment that comes compressed, whose rest nobody could ask for.
  private var cuts: [Int] = []
  /// What has come of a segment without its end, and how often its rest has been asked for.
  private var part: (sequence: Int, bytes: [UInt8], tries: Int)?
  /// There was no more of the last one: the server has it so.
  private var isCutThere = false
  /// Nothing more came of one with few bytes, of a server that knows no parts: its segments differ that much.
  private var isUneven = false
  /// Bytes a second of the last one that is no mere remainder.
  private var usual = 0.0
  /// What went wrong last, for people.
  private(set) var problem: String?

  private static let mostKeys = 4
  private static let mostLoaded = 64
  /// How often the rest of a segment is asked for.
  private static let mostTries = 4
  /// The same of one that ends where it may end, and has few bytes only.
  private static let mostDoubts = 2
  /// What has fewer than this part of the usual bytes a second may not have come whole.
  private static let doubtful = 0.8

  init(
    network: any Network, limits: HLSLimits, wake: @escaping @Sendable () -> Void,
    measured: @escaping (Int, Duration) -> Void
  ) {
    self.network = network
    self.limits = limits
    self.wake = wake
    self.measured = measured
  }

  /// Segments that are held whole or being fetched.
  var held: Int { loaded.filter(\.hasBytes).count + (transfer == nil ? 0 : 1) }

  var heldBytes: Int {
    var sum = (map?.bytes.count ?? 0) + (part?.bytes.count ?? 0)
    for case .bytes(let bytes, _) in loaded.map(\.content) { sum += bytes.count }
    if case .running(let received) = transfer?.fetch.progress { sum += received }
    return sum
  }

  var waiting: Int { loaded.count }
  var nextChange: Instant? { transfer?.fetch.nextChange }

  /// The next segment, in order.
  func take() -> LoadedSegment? { loaded.isEmpty ? nil : loaded.removeFirst() }

  /// Stops what is being fetched; what is held stays.
  func cancel() {
    transfer?.fetch.cancel()
    (transfer, part, cuts) = (nil, nil, [])
  }

  /// Stops, and forgets what is held.
  func clear() {
    cancel()
    loaded = []
  }

  /// - Returns: whether something came of it.
  func step(_ plan: inout LoaderPlan, now: Instant, room: Int) -> Bool {
    if let current = transfer {
      switch current.fetch.progress {
      case .running: return false
      case .failed(let error):
        transfer = nil
        let rest = come(of: current)
        // That there is no rest of it is no news.
        if rest == nil || error.isWorthRetrying { problem = "\(error)" }
        // The playlist has gone on without it.
        guard plan.next == current.segment.sequence else {
          (part, cuts) = (nil, [])
          return true
        }
        part?.tries += 1
        // It broke off, or was never more.
        let isWhole = rest.map { !endsInTheMiddle(current.segment, $0.bytes) } ?? false
        let isDoubtful = isWhole && error.kind == .interrupted
        let most = isDoubtful ? Self.mostDoubts : Self.mostTries
        let isAll = rest.map { !error.isWorthRetrying || $0.tries >= most } ?? false
        guard
          isAll || plan.segmentFailed(current.segment, error, isDoubtful: isDoubtful, now: now) == .skip
        else { return true }
        if let rest {
          isCutThere = true
          isUneven = isDoubtful
          deliver(current.segment, rest.bytes, &plan, now)
        } else {
          deliver(current.segment, .missing(StreamFault(error)), &plan, now)
        }
      case .finished(let response):
        transfer = nil
        finish(current, response, &plan, now)
      }
      return true
    }
    // What is left out takes no room, and is not to pile up either.
    switch loaded.count < Self.mostLoaded ? plan.segment(now: now, room: room) : nil {
    case nil: return false
    case .skip(let segment, let reason):
      deliver(segment, .missing(StreamFault(segment.refusal == nil ? "gap" : "encrypted", reason)), &plan, now)
    case .fetch(let segment):
      plan.segmentRequested()
      begin(segment)
    }
    return true
  }

  /// Asks for what of a segment is not there yet: key, initialisation section, the segment.
  private func begin(_ segment: MediaSegment) {
    let part: Transfer.Part
    var request = HTTPRequest(url: segment.url, range: segment.range, largest: limits.segmentBytes)
    if let key = segment.key ?? segment.map?.key, self.key(key.url) == nil {
      part = .key(key.url)
      request = HTTPRequest(url: key.url, largest: 1024, timeout: .seconds(10))
    } else if let key = segment.map?.key, self.key(key.url) == nil {
      part = .key(key.url)
      request = HTTPRequest(url: key.url, largest: 1024, timeout: .seconds(10))
    } else if let map = segment.map, self.map?.map != map {
      part = .map(map)
      request = HTTPRequest(url: map.url, range: map.range, largest: 1 << 20, timeout: .seconds(10))
    } else {
      part = .segment
      if let come = self.part, come.sequence == segment.sequence {
        let start = (segment.range?.lowerBound ?? 0) + come.bytes.count
        let room = max(1, limits.segmentBytes - come.bytes.count)
        request.range = start..<(segment.range?.upperBound ?? start + room)
        request.largest = room
      }
    }
    transfer = Transfer(segment: segment, part: part, fetch: DataAddress.fetch(request, network, wake: wake))
  }

  private func finish(_ done: Transfer, _ response: HTTPResponse, _ plan: inout LoaderPlan, _ now: Instant) {
    var bytes = response.body
    let segment = done.segment
    do throws(MediaError) {
      switch done.part {
      case .key(let url):
        try keep(bytes, asKey: url)
        begin(segment)
      case .map(let map):
        guard response.hasLength || !isWantedAgain(map, of: segment, bytes, &plan, now) else { return }
        cuts = []
        try decrypt(&bytes, map.key, sequence: 0, name: map.url)
        self.map = (map, bytes)
        begin(segment)
      case .segment:
        measured(bytes.count, response.finished - response.requested)
        if let rest = come(of: done) {
          isCutThere = bytes.isEmpty
          bytes = rest.bytes + bytes
          if isCutThere { return deliver(segment, bytes, &plan, now) }
        }
        guard !isWantedAgain(segment, bytes, of: response, &plan, now) else { return }
        deliver(segment, bytes, &plan, now)
      }
    } catch {
      // Trying again would bring the same bytes.
      problem = "\(error)"
      deliver(segment, .missing(StreamFault(error)), &plan, now)
    }
  }

  /// What has come before of the segment that is being fetched.
  private func come(of transfer: Transfer) -> (bytes: [UInt8], tries: Int)? {
    guard case .segment = transfer.part, let part, part.sequence == transfer.segment.sequence else { return nil }
    return (part.bytes, part.tries)
  }

  /// All of a segment is there, or no more of it comes.
  private func deliver(_ segment: MediaSegment, _ bytes: [UInt8], _ plan: inout LoaderPlan, _ now: Instant) {
    part = nil
    // In very short ones there is more beside the sound.
    if segment.duration >= .seconds(1) { usual = Double(bytes.count) / segment.duration.inSeconds }
    var bytes = bytes
    do throws(MediaError) {
      try decrypt(&bytes, segment.key, sequence: segment.sequence, name: segment.url)
      let initialization = segment.map == nil ? [] : map?.bytes ?? []
      deliver(segment, .bytes(bytes, initialization: initialization), &plan, now)
    } catch {
      problem = "\(error)"
      deliver(segment, .missing(StreamFault(error)), &plan, now)
    }
  }

  /// HTTP does not tell an end from a connection that broke, where it was not told a length; what came may.
  ///
  /// - Returns: whether the rest of it is fetched, or all of it anew.
  private func isWantedAgain(
    _ segment: MediaSegment, _ bytes: [UInt8], of response: HTTPResponse, _ plan: inout LoaderPlan, _ now: Instant
  ) -> Bool {
    let isCut = endsInTheMiddle(segment, bytes)
    if isCut { isUneven = false }
    let isShort =
      !response.hasLength && !isUneven && Double(bytes.count) < Self.doubtful * usual * segment.duration.inSeconds
    guard isCut || isShort else {
      isCutThere = false
      return false
    }
    let error = Self.cut(segment.url, bytes)
    if isCut { problem = "\(error)" }
    let isPacked = response.isCompressed
    let isAsBefore = isPacked && cuts.contains(bytes.count)
    if isAsBefore { (isCutThere, isUneven) = (isCut, !isCut) }
    let tries = isPacked ? cuts.count : part.map { $0.sequence == segment.sequence ? $0.tries : 0 } ?? 0
    guard !isAsBefore, isShort || !isCutThere, tries < Self.mostTries, bytes.count < limits.segmentBytes,
      plan.next == segment.sequence,
      plan.segmentFailed(segment, error, isDoubtful: !isCut, now: now) == .retry
    else { return false }
    if isPacked { cuts.append(bytes.count) } else { part = (segment.sequence, bytes, tries + 1) }
    return true
  }

  /// The same of what stands before all segments: it is kept, and half of it would cost all of them.
  private func isWantedAgain(
    _ map: SegmentMap, of segment: MediaSegment, _ bytes: [UInt8], _ plan: inout LoaderPlan, _ now: Instant
  ) -> Bool {
    let isCut =
      bytes.count < map.range?.count ?? 1 || (map.key == nil ? SegmentEnd.isCut(bytes) : bytes.count % 16 != 0)
    // If it ends at the same place again, the server has it so.
    guard isCut, !cuts.contains(bytes.count), cuts.count < Self.mostTries, plan.next == segment.sequence else {
      return false
    }
    cuts.append(bytes.count)
    let error = Self.cut(map.url, bytes)
    problem = "\(error)"
    return plan.segmentFailed(segment, error, now: now) == .retry
  }

  private static func cut(_ url: String, _ bytes: [UInt8]) -> NetworkError {
    NetworkError(
      .interrupted, subject: HLSTrack.name(url),
      reason: "it ends in the middle after \(bytes.count) bytes: not all of it has come")
  }

  private func endsInTheMiddle(_ segment: MediaSegment, _ bytes: [UInt8]) -> Bool {
    if let range = segment.range, bytes.count < range.count { return true }
    return segment.key == nil ? SegmentEnd.isCut(bytes) : bytes.count % 16 != 0
  }

  private func keep(_ bytes: [UInt8], asKey url: String) throws(MediaError) {
    // An editor's line feed behind it is none of it; what else is longer does not fit, which its segments show.
    guard bytes.count >= 16 else {
      throw MediaError(
        .damaged, subject: HLSTrack.name(url), operation: "decrypt",
        reason: "a key of \(bytes.count) bytes; AES-128 needs 16")
    }
    keys.removeAll { $0.url == url }
    keys.append((url, Array(bytes.prefix(16))))
    if keys.count > Self.mostKeys { keys.removeFirst() }
  }

  private func decrypt(
    _ bytes: inout [UInt8], _ key: SegmentKey?, sequence: Int, name: String
  ) throws(MediaError) {
    guard let key, let secret = self.key(key.url) else { return }
    try SegmentCipher.decrypt(
      &bytes, key: secret, vector: key.vector(sequence: sequence), name: HLSTrack.name(name))
  }

  private func key(_ url: String) -> [UInt8]? { keys.first { $0.url == url }?.bytes }

  private func deliver(
    _ segment: MediaSegment, _ content: LoadedSegment.Content, _ plan: inout LoaderPlan, _ now: Instant
  ) {
    let isAfterBreak = plan.isBreak(before: segment)
    let isAfterChange = plan.changeAt == segment.sequence
    var wasSkipped = false
    if case .missing = content { wasSkipped = true }
    plan.segmentDone(segment, now: now, wasSkipped: wasSkipped)
    cuts = []
    loaded.append(
      LoadedSegment(
        segment: segment, content: content, isAfterBreak: isAfterBreak, isAfterChange: isAfterChange,
        origin: plan.origin))
  }
}
