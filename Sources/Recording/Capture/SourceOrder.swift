internal import Hardware

/// The microphones in their written order, the board's own behind all that are named: which are to be tried, and when a
/// better one than the present is there again. Media lane only.
final class SourceOrder {
  private let board: (any Microphone)?
  private let others: (any MicrophoneSources)?
  private var names = [MicrophoneOrder.board]
  private var returnsInTakes = false
  /// The order has just been changed: that counts at once, whatever the rule.
  private var isChosen = false
  /// When to look for a better one; `nil`: the best is heard.
  private var nextLook: Instant?
  /// A better one that is open and has not delivered yet: the present one is heard until then.
  private var coming: MicrophoneLine?
  private var patience = Instant.zero
  /// What the changed order names first, and is not there.
  private var missing: String?
  /// The one that was heard last.
  private var heard: String?

  private static let lookInterval = Duration.seconds(1)
  /// After one that is there and cannot be opened, or does not deliver.
  private static let retryInterval = Duration.seconds(10)

  init(board: (any Microphone)?, others: (any MicrophoneSources)?) {
    self.board = board
    self.others = others
  }

  deinit { coming?.close() }

  var hasAny: Bool { board != nil || others != nil && names.count > 1 }
  /// The device's name of the first.
  var firstName: String { names.first.flatMap { $0 == MicrophoneOrder.board ? board?.name : $0 } ?? "none" }

  /// - Parameters:
  ///   - order: best first; the board's own is put behind them unless it is named.
  ///   - returnsInTakes: whether a better one that comes back is heard at once even in a take.
  func set(_ order: [String], returnsInTakes: Bool) {
    self.returnsInTakes = returnsInTakes
    let all = order.contains(MicrophoneOrder.board) ? order : order + [MicrophoneOrder.board]
    guard all != names else { return }
    names = all
    isChosen = true
    nextLook = .zero
  }

  /// Those that can be tried, best first.
  func candidates(but lost: String? = nil) -> [(source: String, microphone: any Microphone)] {
    names.compactMap { name in name == lost ? nil : microphone(named: name).map { (name, $0) } }
  }

  private func microphone(named name: String) -> (any Microphone)? {
    name == MicrophoneOrder.board ? board : others?.microphone(named: name)
  }

  /// The one after (or before) the present one, of all that are there, which is chosen; `nil`: there is no other.
  func neighbour(of present: String, by step: Int) -> String? {
    let all = self.present()
    guard let place = all.firstIndex(of: present) else { return nil }
    let next = all[((place + step) % all.count + all.count) % all.count]
    // The first is there again: choosing it changes no order.
    if next != present, next == names.first { (isChosen, nextLook) = (true, .zero) }
    return next == present ? nil : next
  }

  /// All that are there, the board's own first.
  func present() -> [String] { (board == nil ? [] : [MicrophoneOrder.board]) + (others?.names() ?? []) }

  // MARK: The better one

  /// Whether there may be a better one.
  var isLooking: Bool { nextLook != nil }

  /// The best of a new order, if it is not there: told once.
  func takeMissing() -> String? {
    defer { missing = nil }
    return missing
  }

  /// The best, if another one had to be begun with.
  func best(unless present: String) -> String? { names.first == present ? nil : names.first }

  /// Another one is heard from now on.
  func settle(on source: String, now: Instant) {
    isChosen = false
    nextLook = source == names.first ? nil : now + Self.lookInterval
  }

  /// What to tell when a source is heard: from which one, and why; `nil`: nothing has changed.
  func change(to source: String, _ reason: SourceChangeReason) -> (from: String, reason: SourceChangeReason)? {
    defer { heard = source }
    guard let heard else { return best(unless: source).map { ($0, .absent) } }
    return heard == source ? nil : (heard, reason)
  }

  /// A better one cannot be used now.
  func putOff(now: Instant) { nextLook = now + Self.retryInterval }

  /// Forgets one that has not delivered yet.
  func drop() {
    coming?.close()
    coming = nil
  }

  /// A better one, once it delivers, and why it is to be heard.
  ///
  /// - Parameter isInTake: the present one is heard in a take.
  func better(
    than present: String, _ requests: [SoundRequest], now: Instant, isInTake: Bool
  ) -> (line: MicrophoneLine, reason: SourceChangeReason)? {
    guard let due = nextLook else { return nil }
    if let line = coming {
      let hasSound = line.hasSound()
      if hasSound == true {
        coming = nil
        return (line, isChosen ? .chosen : .returned)
      }
      if hasSound == nil || now >= patience {
        drop()
        nextLook = now + Self.retryInterval
      }
      return nil
    }
    guard due <= now, !isInTake || returnsInTakes || isChosen else { return nil }
    nextLook = present == names.first ? nil : now + Self.lookInterval
    for name in names {
      guard name != present else { break }
      guard let microphone = microphone(named: name) else { continue }
      do throws(DeviceError) {
        coming = try MicrophoneLine(name, microphone, requests)
        patience = now + Self.lookInterval + Self.lookInterval
        return nil
      } catch { nextLook = now + Self.retryInterval }
    }
    if isChosen { missing = best(unless: present) }
    isChosen = false
    return nil
  }
}
