internal import Hardware
internal import Synchronization

/// A transfer as its caller sees it; the engine's thread fills it in.
final class CurlTransfer: HTTPTransfer {
  private struct State {
    var progress = HTTPProgress.running(receivedBytes: 0)
    var isCancelled = false
    // Of an open-ended request.
    var head: HTTPHead?
    var bytes: [UInt8] = []
    var isFull = false
  }

  private let state = Mutex(State())
  private let wake: @Sendable () -> Void
  /// Called once, when the caller cancels.
  private let onCancel: @Sendable (CurlTransfer) -> Void

  /// Called when there is room again.
  private let onRoom: @Sendable (CurlTransfer) -> Void

  init(
    wake: @escaping @Sendable () -> Void, onCancel: @escaping @Sendable (CurlTransfer) -> Void,
    onRoom: @escaping @Sendable (CurlTransfer) -> Void = { _ in }
  ) {
    self.wake = wake
    self.onCancel = onCancel
    self.onRoom = onRoom
  }

  var progress: HTTPProgress { state.withLock { $0.progress } }
  var nextChange: Instant? { nil }
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func cancel() {
    let isFirst = state.withLock { state in
      guard !state.isCancelled, case .running = state.progress else { return false }
      state.isCancelled = true
      return true
    }
    if isFirst { onCancel(self) }
  }

  var head: HTTPHead? { state.withLock { $0.head } }

  func take() -> [UInt8] {
    let (bytes, wasFull) = state.withLock { state in
      defer { (state.bytes, state.isFull) = ([], false) }
      return (state.bytes, state.isFull)
    }
    if wasFull { onRoom(self) }
    return bytes
  }

  /// - Returns: false if it must wait until more has been taken.
  func deliver(_ piece: Slice<UnsafeRawBufferPointer>, head: HTTPHead, most: Int) -> Bool {
    let (isTaken, isNews) = state.withLock { state in
      guard !state.isCancelled else { return (true, false) }
      guard state.bytes.isEmpty || state.bytes.count + piece.count <= most else {
        state.isFull = true
        return (false, false)
      }
      defer { state.bytes.append(contentsOf: piece) }
      state.head = state.head ?? head
      return (true, state.bytes.isEmpty)
    }
    if isNews { wake() }
    return isTaken
  }

  /// The first byte is news, the others are only counted.
  func received(_ count: Int) {
    let isFirst = state.withLock { state in
      guard !state.isCancelled, case .running(let before) = state.progress else { return false }
      state.progress = .running(receivedBytes: count)
      return before == 0
    }
    if isFirst { wake() }
  }

  func end(_ final: HTTPProgress) {
    let isNews = state.withLock { state in
      guard !state.isCancelled, case .running = state.progress else { return false }
      state.progress = final
      return true
    }
    if isNews { wake() }
  }
}
