import Foundation

/// Takes values from any thread, and lets a test wait for what it expects.
final class Collector<Value: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var taken: [Value] = []

  func take(_ value: Value) {
    condition.lock()
    taken.append(value)
    condition.broadcast()
    condition.unlock()
  }

  var values: [Value] {
    condition.lock()
    defer { condition.unlock() }
    return taken
  }

  /// Returns as soon as it is so; false only if it never came to be.
  func wait(_ isSo: ([Value]) -> Bool) -> Bool {
    let limit = Date(timeIntervalSinceNow: 20)
    condition.lock()
    defer { condition.unlock() }
    while !isSo(taken) {
      if !condition.wait(until: limit) { return isSo(taken) }
    }
    return true
  }
}
