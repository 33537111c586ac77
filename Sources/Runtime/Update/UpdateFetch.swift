internal import Hardware
internal import Library
internal import Streaming
internal import Synchronization
internal import Threads

/// Fetches an update into the data directory, a piece at a time. Storage lane; orders come from any thread.
///
/// While a take or a clip is being written nothing is fetched: the connection ends, and goes on behind it where it was. So
/// neither the card nor its lane is shared, and what a slow link has brought is not lost. Addresses are shown nowhere.
final class UpdateFetch: @unchecked Sendable {
  private enum Order: Sendable {
    case fetch(String, any Network)
    case end
    case clear
  }

  private final class Job {
    let address: String
    let network: any Network
    var download: UpdateDownload
    var transfer: (any HTTPTransfer)?
    var retryAt = Instant.zero
    /// What the transfer's server has said was looked at.
    var hasBegun = false
    /// Bytes that are not on the card yet.
    var pending: [UInt8] = []
    var isWhole = false

    init(_ address: String, _ network: any Network, now: Instant) {
      (self.address, self.network) = (address, network)
      download = UpdateDownload(seed: UInt64(bitPattern: now.nanoseconds), now: now)
    }

    /// The connection ends.
    func hangUp() {
      transfer?.cancel()
      transfer = nil
    }
  }

  private let shared = Mutex<(report: UpdateReport?, path: String?)>((nil, nil))
  private let orders: Mailbox<Order>
  private let wake: @Sendable () -> Void
  private var job: Job?
  /// Files of before are to be removed: at the start what was cut off, later all.
  private var clearing: Clearing? = .part

  private enum Clearing { case part, all }

  /// Bytes that may wait to be written, and are at a time.
  private static let pieceBytes = 256 << 10

  /// - Parameter wake: wakes the storage lane.
  init(wake: @escaping @Sendable () -> Void) {
    self.wake = wake
    orders = Mailbox(onPost: wake)
  }

  // MARK: Any thread

  /// How far it is, or why it failed; nil: it is none of this one's.
  var report: UpdateReport? { shared.withLock { $0.report } }

  /// Where the whole file is that waits to be installed.
  var path: String? { shared.withLock { $0.path } }

  func begin(_ address: String, by network: any Network) {
    tell(UpdateReport(.fetching))
    orders.post(.fetch(address, network))
  }

  /// The whole file waits for something.
  func wait(for what: String) { tell(UpdateReport(.fetching, percent: 100, text: what), path: path) }

  /// The system has been given the file, and has not said anything yet.
  func handOver() { tell(UpdateReport(.fetching, percent: 100)) }

  /// What is told of it is over: something else is installed, or this.
  func forget() { tell(nil) }

  /// Ends it; nothing stays.
  func cancel(because code: String = "cancelled", _ text: String = "somebody has ended it") {
    guard report?.phase == .fetching else { return }
    tell(UpdateReport(.refused, text: "\(code): \(text)"))
    orders.post(.end)
  }

  /// The system has done with the file.
  func clear() { orders.post(.clear) }

  private func tell(_ report: UpdateReport?, path: String? = nil) {
    shared.withLock { $0 = (report, path) }
  }

  // MARK: Storage lane

  /// - Returns: when to be called next; nil: when an order comes.
  func step(now: Instant, library: Library) -> Instant? {
    for order in orders.drain() { take(order, now) }
    do throws(LibraryError) { return try work(now, library) } catch {
      if let until = error.stalledUntil { return until }
      // What cannot be removed now is when it is next asked for.
      clearing = nil
      return fail(StreamFault(error.code, "\(error)"), now)
    }
  }

  /// The program ends.
  func close() {
    job?.hangUp()
    job = nil
  }

  private func take(_ order: Order, _ now: Instant) {
    switch order {
    case .fetch(let address, let network):
      close()
      clearing = .all
      job = Job(address, network, now: now)
    case .end:
      close()
      clearing = .all
    case .clear: if job == nil, path == nil { clearing = .all }
    }
  }

  private func work(_ now: Instant, _ library: Library) throws(LibraryError) -> Instant? {
    switch clearing {
    case .part: try library.fetched.removePart()
    case .all: try library.fetched.discard()
    case nil: break
    }
    clearing = nil
    guard let job else { return nil }
    guard !library.isWriting else {
      job.hangUp()
      job.pending = []
      job.download.pause(now: now)
      return now + .seconds(1)
    }
    if job.isWhole { return try finish(library) }
    if job.download.isComplete {
      job.hangUp()
      job.isWhole = true
      return now
    }
    guard let transfer = job.transfer else {
      guard now >= job.retryAt else { return job.retryAt }
      job.hasBegun = false
      job.transfer = job.network.fetch(request(job), wake: wake)
      return now
    }
    let progress = transfer.progress
    if job.pending.isEmpty { job.pending = transfer.take() }
    if !job.pending.isEmpty {
      if let fault = try write(job, transfer, library, now) { return fail(fault, now) }
      return now
    }
    let next: UpdateDownload.Next
    switch progress {
    case .running: return transfer.nextChange ?? now + .seconds(1)
    case .failed(let error): next = job.download.end(error, now: now)
    case .finished: next = job.download.end(nil, now: now)
    }
    job.transfer = nil
    switch next {
    case .again(let at): job.retryAt = at
    case .whole: job.isWhole = true
    case .failed(let fault): return fail(fault, now)
    }
    return now
  }

  private func request(_ job: Job) -> HTTPRequest {
    var request = HTTPRequest(
      url: job.address, range: job.download.rest, largest: Self.pieceBytes, connectTimeout: .seconds(15),
      stallTimeout: .seconds(30))
    request.isOpenEnded = true
    return request
  }

  /// - Returns: why it is not taken.
  private func write(
    _ job: Job, _ transfer: any HTTPTransfer, _ library: Library, _ now: Instant
  ) throws(LibraryError) -> StreamFault? {
    if !job.hasBegun {
      let room = try library.fetched.room()
      if let fault = job.download.begin(length: transfer.head?.length, room: room) { return fault }
      job.hasBegun = true
    }
    if let fault = job.download.refusal(of: job.pending.count) { return fault }
    try library.fetched.append(job.pending, at: job.download.bytes)
    job.download.add(job.pending.count, now: now)
    job.pending = []
    follow(UpdateReport(.fetching, percent: job.download.percent))
    return nil
  }

  private func finish(_ library: Library) throws(LibraryError) -> Instant? {
    let path = try library.fetched.finish()
    job = nil
    follow(UpdateReport(.fetching, percent: 100), path: path)
    return nil
  }

  private func fail(_ fault: StreamFault, _ now: Instant) -> Instant? {
    guard job != nil else { return nil }
    close()
    clearing = .all
    follow(UpdateReport(.refused, text: "\(fault.code): \(fault.text)"))
    return now
  }

  /// Tells how far it is, unless it was ended meanwhile.
  private func follow(_ report: UpdateReport, path: String? = nil) {
    shared.withLock { if $0.report?.phase == .fetching { $0 = (report, path) } }
  }
}
