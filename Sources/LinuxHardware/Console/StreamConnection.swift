internal import Glibc
internal import Hardware
internal import Synchronization

/// One peer of a console port: a descriptor that never blocks, and what the peer has not taken yet.
///
/// `send` and `close` may be called from any thread; everything else belongs to the port's poll thread. The lock is
/// held for one system call at most, and keeps the descriptor from being closed (and its number given away) under a
/// sender's hands.
final class StreamConnection: ConsoleConnection, Sendable {
  enum Medium {
    case socket
    case tty
  }

  /// Bytes that may wait for a slow peer when there is more for it; beyond that it counts as stuck.
  static let queueLimit = 256 * 1024
  /// Nothing more is read from a peer that leaves this much untaken…
  private static let answersLimit = 32 * 1024
  /// … or while this much of what it said is not dealt with. A byte of input may cost some hundred of output (TAB
  /// lists commands), so both bounds together stay below `queueLimit` for whatever a line can carry.
  private static let inputLimit = 8 * 1024
  /// What is told unasked, such as events, waits while this much is untaken.
  private static let unaskedLimit = 64 * 1024
  /// How long a connection that was closed may take to deliver what was queued before.
  private static let farewell: Int64 = 1_000_000_000
  /// A peer that has said all it wants to (`echo … | mynah console`) is kept as long as an answer is owed to it, then until
  /// it has got none for this long.
  private static let silence: Int64 = 500_000_000
  /// … and for this long at most.
  private static let patience: Int64 = 10_000_000_000

  private struct State {
    var descriptor: Int32
    var queue: [UInt8] = []
    /// Bytes at the start of `queue` that have been written.
    var written = 0
    var isBroken = false
    /// Set by `close`: when to give up on what is still queued.
    var closesAt: Int64?
    /// Set at the end of input.
    var endedAt: Int64?
    var lastSentAt: Int64 = 0
    /// What the peer has asked is not answered yet.
    var isOwing = false
    /// Bytes received that the owner has not dealt with.
    var unhandled = 0
    /// Somebody waits for room.
    var isAwaited = false

    var waiting: Int { queue.count - written }
    var mayRead: Bool {
      closesAt == nil && endedAt == nil && waiting < answersLimit && unhandled < inputLimit
    }
  }

  let name: String
  private let medium: Medium
  private let state: Mutex<State>
  private let wake: @Sendable () -> Void

  /// Takes over the descriptor, which must not block.
  ///
  /// - Parameter wake: makes the poll thread look at this connection again.
  init(name: String, descriptor: Int32, medium: Medium, wake: @escaping @Sendable () -> Void) {
    self.name = name
    self.medium = medium
    self.wake = wake
    state = Mutex(State(descriptor: descriptor))
  }

  // MARK: For the owner

  func send(_ bytes: [UInt8]) {
    let needsPoll = state.withLock { state in
      guard state.descriptor >= 0, state.closesAt == nil, !state.isBroken, !bytes.isEmpty else { return false }
      state.lastSentAt = Monotonic.now
      // How long this answer is says nothing of the peer; what it has left of those before does.
      if state.waiting > Self.queueLimit {
        // Some of it may still fit into the kernel's buffer.
        flush(&state)
        if state.waiting > Self.queueLimit { state.isBroken = true }
      }
      guard !state.isBroken else { return true }
      state.queue += bytes
      flush(&state)
      return state.waiting > 0 || state.isBroken
    }
    if needsPoll { wake() }
  }

  func discardUnsent() {
    state.withLock { state in
      guard state.descriptor >= 0 else { return }
      if medium == .tty { tcflush(state.descriptor, TCOFLUSH) }
      state.queue.removeAll()
      state.written = 0
    }
  }

  var isTerminal: Bool { medium == .tty }

  var room: Int {
    state.withLock { state in
      if state.waiting > 0 { flush(&state) }
      if state.waiting > 0 { state.isAwaited = true }
      return max(0, Self.unaskedLimit - state.waiting)
    }
  }

  func handled(_ count: Int) {
    let mayReadAgain = state.withLock { state in
      let couldRead = state.mayRead
      state.unhandled -= count
      return state.mayRead && !couldRead
    }
    if mayReadAgain { wake() }
  }

  func owes(_ isOwing: Bool) {
    let needsPoll = state.withLock { state in
      guard state.isOwing != isOwing else { return false }
      state.isOwing = isOwing
      guard state.endedAt != nil else { return false }
      // What was said last was answered now.
      state.endedAt = Monotonic.now
      return true
    }
    if needsPoll { wake() }
  }

  func close() {
    state.withLock { $0.closesAt = $0.closesAt ?? Monotonic.now + Self.farewell }
    wake()
  }

  // MARK: For the poll thread

  /// What to poll for.
  var interest: pollfd {
    state.withLock { state in
      let events = (state.mayRead ? POLLIN : 0) | (state.waiting > 0 ? POLLOUT : 0)
      return pollfd(fd: state.descriptor, events: Int16(events), revents: 0)
    }
  }

  /// Writes what the peer takes now.
  func flush() { state.withLock { flush(&$0) } }

  /// Whether there is room again that somebody waits for; asked once.
  func takeDrained() -> Bool {
    state.withLock { state in
      guard state.isAwaited, state.waiting < Self.unaskedLimit / 4, !state.isBroken else { return false }
      state.isAwaited = false
      return true
    }
  }

  /// Takes what has arrived, at most `buffer.count` bytes.
  ///
  /// - Parameter hasHungUp: whether poll has seen that the peer is gone in both directions.
  func receive(into buffer: UnsafeMutableRawBufferPointer, hasHungUp: Bool) -> Int {
    state.withLock { state in
      guard state.descriptor >= 0, state.closesAt == nil else {
        if hasHungUp { state.isBroken = true }
        return 0
      }
      guard state.endedAt == nil else {
        if hasHungUp { state.isBroken = true }
        return 0
      }
      let count = read(state.descriptor, buffer.baseAddress, buffer.count)
      if count > 0 {
        state.unhandled += count
        return count
      }
      if count < 0, errno == EINTR || errno == EAGAIN { return 0 }
      if count == 0, medium == .socket, !hasHungUp {
        state.endedAt = Monotonic.now
      } else {
        state.isBroken = true
      }
      return 0
    }
  }

  /// When this connection is over if nothing more happens; `now` or earlier: it is over; `nil`: it goes on.
  var endsAt: Int64? {
    state.withLock { state in
      if state.isBroken { return .min }
      if let closes = state.closesAt { return state.waiting == 0 ? .min : closes }
      guard let ended = state.endedAt, !state.isOwing else { return nil }
      return min(max(ended, state.lastSentAt) + Self.silence, ended + Self.patience)
    }
  }

  /// Gives the descriptor back. What the peer has not taken is dropped.
  func shut() {
    state.withLock { state in
      guard state.descriptor >= 0 else { return }
      // The kernel would wait up to 30 s for a stalled serial line to send the rest (closing_wait, setserial(8)).
      if medium == .tty { tcflush(state.descriptor, TCOFLUSH) }
      Glibc.close(state.descriptor)
      state.descriptor = -1
      state.queue = []
      state.written = 0
    }
  }

  private func flush(_ state: inout State) {
    while state.waiting > 0, state.descriptor >= 0, !state.isBroken {
      let (descriptor, start) = (state.descriptor, state.written)
      let count = state.queue.withUnsafeBytes { bytes in
        let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
        // MSG_NOSIGNAL: a client that has gone is an error here, not the end of the process.
        return medium == .socket
          ? Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
          : write(descriptor, rest.baseAddress, rest.count)
      }
      if count < 0 {
        if errno == EINTR { continue }
        if errno != EAGAIN { state.isBroken = true }
        break
      }
      state.written += count
    }
    if state.waiting == 0 {
      state.queue.removeAll(keepingCapacity: state.queue.count <= 4096)
      state.written = 0
    } else if state.written > 64 * 1024 {
      state.queue.removeFirst(state.written)
      state.written = 0
    }
  }
}

/// CLOCK_MONOTONIC in nanoseconds.
enum Monotonic {
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// The time-out for poll(2) that ends at `deadline`, rounded up; −1 for never.
  static func pollTimeout(until deadline: Int64?, now: Int64) -> Int32 {
    guard let deadline else { return -1 }
    guard deadline > now else { return 0 }
    return Int32(min((deadline - now) / 1_000_000 + 1, 3_600_000))
  }
}
