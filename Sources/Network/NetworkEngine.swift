internal import CCurl
internal import CLinux
internal import Glibc
internal import Hardware
internal import Synchronization
internal import Threads

/// What is asked of the network's thread.
enum NetworkOrder: Sendable {
  case fetch(HTTPRequest, WebAddress, CurlTransfer, Instant)
  case cancel(CurlTransfer)
  /// There is room for more of it.
  case resume(CurlTransfer)
  case connect(WebSocketRequest, WebAddress, CurlWebSocket)
  /// There is something to be sent, room to be filled, or a wish to end.
  case look(CurlWebSocket)
}

/// The network's thread: libcurl's multi interface, and the sockets that are WebSockets, in one loop.
///
/// `post`, `start`, `stop` and `linkUps` are for any thread; everything else is the thread's own.
final class NetworkEngine: @unchecked Sendable {
  /// Once a process, before anything else of libcurl's.
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// Of all servers together, as browsers keep for one.
  private static let mostCookies = 200

  private let settings: NetworkSettings
  private let multi: UnsafeMutableRawPointer?
  private let share: UnsafeMutableRawPointer?
  private let openSockets = OpenSockets()
  private let orders: Mailbox<NetworkOrder>
  private let isStopped = Atomic<Bool>(false)
  private let linkCount = Atomic<Int>(0)

  private var fetches: [UnsafeMutableRawPointer: HTTPJob] = [:]
  private var sockets: [UnsafeMutableRawPointer: SocketJob] = [:]
  private var links: LinkWatch?
  private var linkCameUp: Instant?

  init(_ settings: NetworkSettings) {
    self.settings = settings
    let multi = Self.isReady ? curl_multi_init() : nil
    self.multi = multi
    share = multi == nil ? nil : curl_share_init()
    let wakeable = SendablePointer(multi)
    orders = Mailbox { if let multi = wakeable.pointer { curl_multi_wakeup(multi) } }
    if let multi {
      _ = mynah_curl_multi_set_number(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, max(1, settings.connections))
      _ = mynah_curl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, max(1, settings.connections))
    }
    if let share {
      for kind in [CURL_LOCK_DATA_SSL_SESSION, CURL_LOCK_DATA_COOKIE] { _ = mynah_curl_share(share, kind) }
    }
  }

  deinit {
    // Handles before what they are in.
    fetches = [:]
    sockets = [:]
    if let multi { curl_multi_cleanup(multi) }
    if let share { curl_share_cleanup(share) }
  }

  // MARK: Any thread

  var linkUps: Int { linkCount.load(ordering: .acquiring) }

  func post(_ order: NetworkOrder) {
    if isStopped.load(ordering: .acquiring) { refuse(order) } else { orders.post(order) }
  }

  func stop() {
    isStopped.store(true, ordering: .releasing)
    if let multi { curl_multi_wakeup(multi) }
  }

  /// - Returns: `nil` if the system has no thread to give.
  func start() -> WorkerThread? { WorkerThread(ifPossible: "mynah-network") { [self] in run() } }

  // MARK: The thread

  private func run() {
    links = LinkWatch()
    while !isStopped.load(ordering: .acquiring) {
      for order in orders.drain() { perform(order) }
      guard let multi else { continue }
      var running: Int32 = 0
      curl_multi_perform(multi, &running)
      collect()
      let now = Instant(nanoseconds: mynah_now())
      for job in fetches.values { job.watch(now: now) }
      giveUpStalled(now: now)
      for (key, socket) in sockets where !socket.step(now: now) { drop(key, socket) }
      wait(multi, now: now)
    }
    for (key, job) in fetches {
      if let multi { curl_multi_remove_handle(multi, key) }
      // Another network may have taken the place of this one: what waits for it has to know, and asks again.
      job.transfer.end(.failed(job.closed()))
    }
    fetches = [:]
    for (key, socket) in sockets {
      socket.abandon()
      drop(key, socket)
    }
    links = nil
    for order in orders.drain() { refuse(order) }
  }

  /// The network is closed.
  private func refuse(_ order: NetworkOrder) {
    let (address, end): (WebAddress, (NetworkError) -> Void)
    switch order {
    case .fetch(_, let wanted, let transfer, _): (address, end) = (wanted, { transfer.end(.failed($0)) })
    case .connect(_, let wanted, let socket): (address, end) = (wanted, { socket.end(.failed($0)) })
    case .cancel, .resume, .look: return
    }
    end(NetworkError(.unreachable, subject: address.subject, reason: "the network is closed: the program is ending"))
  }

  private func perform(_ order: NetworkOrder) {
    switch order {
    case .fetch(let request, let address, let transfer, let requested): begin(request, address, transfer, requested)
    case .cancel(let transfer):
      for (key, job) in fetches where job.transfer === transfer { drop(key) }
    case .resume(let transfer): for job in fetches.values where job.transfer === transfer { job.resume() }
    case .connect(let request, let address, let socket):
      if address.isSecure, options.authorities == nil {
        socket.end(.failed(noAuthorities(address)))
        return
      }
      guard let multi, let job = SocketJob(request, at: address, socket: socket, options: options),
        curl_multi_add_handle(multi, job.easy.pointer) == CURLM_OK
      else {
        socket.end(.failed(outOfMemory(address)))
        return
      }
      sockets[job.easy.pointer] = job
    case .look: break
    }
  }

  private func begin(_ request: HTTPRequest, _ address: WebAddress, _ transfer: CurlTransfer, _ requested: Instant) {
    guard !transfer.isCancelled else { return }
    if address.isSecure, options.authorities == nil {
      transfer.end(.failed(noAuthorities(address)))
      return
    }
    guard let multi,
      let job = HTTPJob(request, at: address, transfer: transfer, requested: requested, options: options),
      curl_multi_add_handle(multi, job.easy.pointer) == CURLM_OK
    else {
      transfer.end(.failed(outOfMemory(address)))
      return
    }
    fetches[job.easy.pointer] = job
  }

  /// What libcurl has finished.
  private func collect() {
    guard let multi else { return }
    var code = CURLE_OK
    while let easy = mynah_curl_finished(multi, &code) {
      if let job = fetches[easy] {
        if job.takesAsItComes(after: code) {
          curl_multi_remove_handle(multi, easy)
          if curl_multi_add_handle(multi, easy) == CURLM_OK { continue }
        }
        let now = Instant(nanoseconds: mynah_now())
        let progress = job.finish(code, now: now)
        job.easy.boundCookies(Self.mostCookies)
        drop(easy)
        job.transfer.end(progress)
      } else if let socket = sockets[easy] {
        socket.connected(code)
        socket.easy.boundCookies(Self.mostCookies)
      }
    }
  }

  private func giveUpStalled(now: Instant) {
    for (key, job) in fetches {
      guard let deadline = job.stallDeadline, deadline <= now else { continue }
      let progress = job.stalled()
      drop(key)
      job.transfer.end(progress)
    }
  }

  /// Sleeps until data comes, a call wakes it, or a time is reached.
  private func wait(_ multi: UnsafeMutableRawPointer, now: Instant) {
    var deadline = now + .seconds(60)
    for job in fetches.values {
      // Until it is connected, look now and then whether it is.
      deadline = min(deadline, job.stallDeadline ?? now + .milliseconds(200))
    }
    var descriptors: [curl_waitfd] = []
    for socket in sockets.values {
      deadline = min(deadline, socket.deadline ?? deadline)
      if let interest = socket.interest { descriptors.append(interest) }
    }
    if let links {
      descriptors.append(curl_waitfd(fd: links.descriptor, events: Int16(CURL_WAIT_POLLIN), revents: 0))
    }
    // Rounded up, so as not to run around in the last millisecond.
    let milliseconds = max(0, (deadline - now).nanoseconds + 999_999) / 1_000_000
    curl_multi_poll(multi, &descriptors, UInt32(descriptors.count), Int32(min(milliseconds, 60_000)), nil)
    guard let last = descriptors.last, last.revents != 0, last.fd == links?.descriptor else { return }
    let ups = links?.read() ?? 0
    guard ups > 0 else { return }
    linkCameUp = Instant(nanoseconds: mynah_now())
    linkCount.wrappingAdd(ups, ordering: .releasing)
    for socket in sockets.values { socket.linkCameUp() }
  }

  private func drop(_ key: UnsafeMutableRawPointer) {
    guard let multi, let job = fetches.removeValue(forKey: key) else { return }
    curl_multi_remove_handle(multi, job.easy.pointer)
  }

  private func drop(_ key: UnsafeMutableRawPointer, _ socket: SocketJob) {
    if let multi { curl_multi_remove_handle(multi, key) }
    sockets[key] = nil
  }

  private var options: ConnectionOptions {
    ConnectionOptions(
      settings: settings, authorities: settings.authoritiesFile, share: share, sockets: openSockets,
      sinceLinkUp: linkCameUp.map { Instant(nanoseconds: mynah_now()) - $0 })
  }

  private func outOfMemory(_ address: WebAddress) -> NetworkError {
    NetworkError(.interrupted, subject: address.subject, reason: "there is not enough memory for a connection")
  }

  private func noAuthorities(_ address: WebAddress) -> NetworkError {
    NetworkError(
      .certificate, subject: address.subject,
      reason:
        "there is no list of trusted authorities: install ca-certificates, or name your authority's file in the settings"
    )
  }
}

/// A pointer that may go to another thread, because what it points to says so: curl_multi_wakeup(3).
private struct SendablePointer: @unchecked Sendable {
  let pointer: UnsafeMutableRawPointer?
  init(_ pointer: UnsafeMutableRawPointer?) { self.pointer = pointer }
}
