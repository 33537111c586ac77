internal import Hardware
internal import Synchronization

/// A transfer as its caller sees it; the engine's thread fills it in.
final class CurlTransfer: HTTPTransfer {
  private struct State {
    var progress = HTTPProgress.running(receivedBytes: 0)
    var isCancelled = false
  }

  private let state = Mutex(State())
  private let wake: @Sendable () -> Void
  /// Called once, when the caller cancels.
  private let onCancel: @Sendable (CurlTransfer) -> Void

  init(wake: @escaping @Sendable () -> Void, onCancel: @escaping @Sendable (CurlTransfer) -> Void) {
    self.wake = wake
    self.onCancel = onCancel
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
