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
  /// It is another variant's, and may begin before the end of the one before it: seconds from there on that may have been
  /// heard.
  var repeats: Double?
  /// Where its playlist began, as `LoaderPlan.origin`.
  var origin: Duration
  /// Its end is missing.
  var endsInTheMiddle: Bool

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
  /// Whether there is another variant that may have what cannot be had here.
  private let mayBeElsewhere: () -> Bool
  private var transfer: Transfer?
  private var loaded: [LoadedSegment] = []
  private var keys: [(url: String, bytes: [UInt8])] = []
  /// Those that are asked for again: one that cannot be had now is taken to be what it was, until it does not fit.
  private var formerKeys: [(url: String, bytes: [UInt8])] = []
  /// Those that did not fit a segment. It may be the segment that is damaged: behind it they are former ones.
  private var doubted: (sequence: Int, keys: [(url: String, bytes: [UInt8])])?
  /// The segment for which a key has been asked for last.
  private var keyedFor: Int?
  private var map: (map: SegmentMap, bytes: [UInt8])?
  /// The same of the section that is asked for again.
  private var formerMap: (map: SegmentMap, bytes: [UInt8])?
  /// How often in a row it could not be had. It may be another one by now: each segment behind asks for it once more.
  private var mapMisses = 0
  /// The segment that was asked for behind others that were left out: its list may go on without it meanwhile.
  private var breakBefore: Int?
  /// Discontinuity of the last segment that was asked for.
  private var discontinuity: Int?
  private var broken = BrokenSegment()
  /// What went wrong last, for people.
  private(set) var problem: String?

  private static let mostKeys = 4
  private static let mostLoaded = 64
  private static let mostMapMisses = 3

  init(
    network: any Network, limits: HLSLimits, wake: @escaping @Sendable () -> Void,
    measured: @escaping (Int, Duration) -> Void, mayBeElsewhere: @escaping () -> Bool
  ) {
    self.mayBeElsewhere = mayBeElsewhere
    self.network = network
    self.limits = limits
    self.wake = wake
    self.measured = measured
  }

  /// Segments that are held whole or being fetched.
  var held: Int { loaded.filter(\.hasBytes).count + (transfer == nil ? 0 : 1) }

  var heldBytes: Int {
    var sum = (map?.bytes.count ?? 0) + (formerMap?.bytes.count ?? 0) + broken.heldBytes
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
    transfer = nil
    broken.forget()
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
        fail(current, error, &plan, now)
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
      if plan.isBreak(before: segment) { breakBefore = segment.sequence }
      forgetHeads(before: segment, plan)
      if mapMisses >= Self.mostMapMisses { map = nil }
      if let doubted, doubted.sequence != segment.sequence { (formerKeys, self.doubted) = (doubted.keys, nil) }
      begin(segment)
    }
    return true
  }

  /// An encoder that begins anew writes another key and another initialisation section to the same addresses.
  private func forgetHeads(before segment: MediaSegment, _ plan: LoaderPlan) {
    defer { discontinuity = segment.discontinuity }
    guard plan.playlist?.isEnded == false, broken.bytes(of: segment) == nil else { return }
    guard plan.isBreak(before: segment) || discontinuity.map({ $0 != segment.discontinuity }) == true else { return }
    if !keys.isEmpty { formerKeys = keys }
    if map != nil { formerMap = map }
    (map, keys) = (nil, [])
  }

  /// - Returns: whether there is a key or a section to go on with in place of one that cannot be had.
  private func goesOn(with part: Transfer.Part, after error: NetworkError, isGivenUp: Bool = false) -> Bool {
    switch part {
    case .key(let url):
      guard let place = formerKeys.firstIndex(where: { $0.url == url }) else { return false }
      keys.append(formerKeys.remove(at: place))
    case .map(let wanted):
      guard let formerMap, formerMap.map == wanted else { return false }
      mapMisses += 1
      guard isGivenUp || error.kind == .timeout || mapMisses >= Self.mostMapMisses else { return false }
      map = formerMap
      // An answer that does not come is not waited for with each segment.
      mapMisses = error.kind == .timeout ? 0 : Self.mostMapMisses
    case .segment: return false
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
      request.takesParts = true
      if let come = broken.bytes(of: segment) {
        let start = (segment.range?.lowerBound ?? 0) + come.count
        let room = max(1, limits.segmentBytes - come.count)
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
        keyedFor = segment.sequence
        try keep(bytes, asKey: url)
        begin(segment)
      case .map(let map):
        guard response.hasLength || !isWantedAgain(map, of: segment, bytes, &plan, now) else { return }
        broken.forgetCuts()
        try decrypt(&bytes, map.key, sequence: 0, name: map.url)
        (self.map, formerMap, mapMisses) = ((map, bytes), nil, 0)
        begin(segment)
      case .segment:
        measured(bytes.count, response.finished - response.requested)
        if let come = broken.bytes(of: segment) {
          let isAll = broken.restCame(bytes)
          bytes = come + bytes
          if isAll { return deliver(segment, bytes, isCut: true, &plan, now) }
        }
        guard !isWantedAgain(segment, bytes, of: response, &plan, now) else { return }
        deliver(segment, bytes, isCut: response.isBroken, &plan, now)
      }
    } catch {
      // Trying again would bring the same bytes.
      problem = "\(error)"
      deliver(segment, .missing(StreamFault(error)), &plan, now)
    }
  }

  private func fail(_ current: Transfer, _ error: NetworkError, _ plan: inout LoaderPlan, _ now: Instant) {
    let segment = current.segment
    var come: [UInt8]?
    if case .segment = current.part { come = broken.bytes(of: segment) }
    // That there is no rest of it is no news.
    if come == nil || error.isWorthRetrying { problem = "\(error)" }
    // The playlist has gone on without it.
    guard plan.next == segment.sequence else { return broken.forget() }
    if goesOn(with: current.part, after: error) { return begin(segment) }
    let (isAll, isDoubtful) = broken.failed(segment, error, come: come)
    func isGivenUp() -> Bool {
      let mayBeElsewhere = come == nil && mayBeElsewhere()
      return plan.segmentFailed(
        segment, error, isDoubtful: isDoubtful, mayBeElsewhere: mayBeElsewhere, now: now) == .skip
    }
    guard isAll || isGivenUp() else { return }
    if goesOn(with: current.part, after: error, isGivenUp: true) { return begin(segment) }
    guard let come else { return deliver(segment, .missing(StreamFault(error)), &plan, now) }
    broken.endsThere(isDoubtful: isDoubtful)
    deliver(segment, come, isCut: true, &plan, now)
  }

  /// All of a segment is there, or no more of it comes.
  ///
  /// - Parameter isCut: its end may be missing.
  private func deliver(
    _ segment: MediaSegment, _ bytes: [UInt8], isCut: Bool, _ plan: inout LoaderPlan, _ now: Instant
  ) {
    broken.delivered(segment, bytes)
    let endsInTheMiddle = BrokenSegment.endsInTheMiddle(bytes, segment.range, segment.key)
    var bytes = bytes
    do throws(MediaError) {
      // Blocks are of 16 bytes: what of them is there can be read. Connections break between blocks, too: servers write
      // some thousand bytes at once.
      let isCut = bytes.count > 16 && (isCut || bytes.count % 16 != 0 || bytes.count < segment.range?.count ?? 0)
      try decrypt(&bytes, segment.key, sequence: segment.sequence, name: segment.url, isCut: isCut)
      let initialization = segment.map == nil ? [] : map?.bytes ?? []
      deliver(segment, .bytes(bytes, initialization: initialization), endsInTheMiddle: endsInTheMiddle, &plan, now)
    } catch {
      problem = "\(error)"
      // By now there may be another key at its address.
      if plan.playlist?.isEnded == false {
        if !keys.isEmpty { doubted = (segment.sequence, keys) }
        (keys, formerKeys) = ([], [])
        if !isCut, segment.key != nil, keyedFor != segment.sequence { return begin(segment) }
      }
      deliver(segment, .missing(StreamFault(error)), &plan, now)
    }
  }

  /// - Returns: whether the rest of a segment is fetched, or all of it anew.
  private func isWantedAgain(
    _ segment: MediaSegment, _ bytes: [UInt8], of response: HTTPResponse, _ plan: inout LoaderPlan, _ now: Instant
  ) -> Bool {
    let found = broken.look(at: bytes, of: segment, response, most: limits.segmentBytes)
    guard case .broken(let isCut, let mayComeWhole) = found else { return false }
    let error = Self.cut(segment.url, bytes)
    if isCut { problem = "\(error)" }
    if isCut, broken.comesOn(bytes, of: segment) { plan.segmentComesOn() }
    guard mayComeWhole, plan.next == segment.sequence,
      plan.segmentFailed(segment, error, isDoubtful: !isCut, now: now) == .retry
    else { return false }
    broken.keep(bytes, of: segment, response)
    return true
  }

  /// The same of what stands before all segments.
  private func isWantedAgain(
    _ map: SegmentMap, of segment: MediaSegment, _ bytes: [UInt8], _ plan: inout LoaderPlan, _ now: Instant
  ) -> Bool {
    guard broken.isHalf(bytes, of: map), plan.next == segment.sequence else { return false }
    broken.noteHalf(bytes)
    let error = Self.cut(map.url, bytes)
    problem = "\(error)"
    return plan.segmentFailed(segment, error, now: now) == .retry
  }

  private static func cut(_ url: String, _ bytes: [UInt8]) -> NetworkError {
    NetworkError(
      .interrupted, subject: HLSTrack.name(url),
      reason: "it ends in the middle after \(bytes.count) bytes: not all of it has come")
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
    _ bytes: inout [UInt8], _ key: SegmentKey?, sequence: Int, name: String, isCut: Bool = false
  ) throws(MediaError) {
    guard let key, let secret = self.key(key.url) else { return }
    try SegmentCipher.decrypt(
      &bytes, key: secret, vector: key.vector(sequence: sequence), name: HLSTrack.name(name), isCut: isCut)
  }

  private func key(_ url: String) -> [UInt8]? { keys.first { $0.url == url }?.bytes }

  private func deliver(
    _ segment: MediaSegment, _ content: LoadedSegment.Content, endsInTheMiddle: Bool = false,
    _ plan: inout LoaderPlan, _ now: Instant
  ) {
    let isAfterBreak = plan.isBreak(before: segment) || breakBefore == segment.sequence
    breakBefore = nil
    let repeats = plan.changeAt == segment.sequence ? plan.repeats : nil
    var wasSkipped = false
    if case .missing = content { wasSkipped = true }
    plan.segmentDone(segment, now: now, wasSkipped: wasSkipped)
    broken.forgetCuts()
    loaded.append(
      LoadedSegment(
        segment: segment, content: content, isAfterBreak: isAfterBreak, repeats: repeats,
        origin: plan.origin, endsInTheMiddle: endsInTheMiddle))
  }
}
