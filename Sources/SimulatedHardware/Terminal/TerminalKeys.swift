public import Hardware

/// What a key of the terminal means.
public enum TerminalAction: Hashable, Sendable {
  /// The panel's key is pressed and let go.
  case tap(Button)
  /// The panel's key is held for this long. Terminals do not tell when a key is let go: a capital or shifted key
  /// stands for holding.
  case hold(Button, Duration)
  case quit
  /// Save a picture of the screen.
  case screenshot
  /// Draw everything afresh (control-L).
  case redraw
}

/// Turns a terminal's bytes into actions. Escape sequences may be split anywhere between two reads.
///
/// | key | means | shifted: held |
/// |---|---|---|
/// | r, s, m | REC, STOP, MARK | R, S, M: 0.7 s |
/// | l | LOCK | L: 2.2 s, which unlocks |
/// | space, enter, c | CENTRE | C: 0.7 s |
/// | arrows; or u, d, comma, full stop | UP, DOWN, LEFT, RIGHT | shift-arrows; U, D: 0.7 s, <, >: 1.5 s, which scrubs |
/// | p | picture | |
/// | q, control-C, control-D | quit | |
///
/// Arrows come as `ESC [ A` or `ESC O A`, with modifiers as `ESC [ 1 ; m A` (xterm's control sequences, "PC-style
/// function keys"; the rxvt way `ESC [ a` is understood, too). Pasted text, between `ESC [ 200 ~` and `ESC [ 201 ~`,
/// presses no keys.
public struct TerminalKeys: Sendable {
  private enum Stage: Hashable, Sendable {
    case plain
    case escape
    case control
    /// After `ESC O`: one more byte.
    case single
    /// In pasted text, of whose end so many bytes have come.
    case pasted(Int)
  }

  private var stage = Stage.plain
  /// Parameters of a control sequence, bounded: longer ones mean nothing to us.
  private var parameters: [UInt8] = []
  /// Bytes of pasted text so far.
  private var pastedBytes = 0

  private static let pasteEnd = Array("\u{1B}[201~".utf8)
  /// Text without an end is over after so many bytes.
  private static let mostPasted = 1 << 20

  public init() {}

  /// Whether the last byte left a sequence, or pasted text, open. A lone ESC is such a one: call `reset` if nothing
  /// has followed for the time of `patience`.
  public var isPending: Bool { stage != .plain }

  /// How long what is open waits for more. A sequence comes in one piece, or nearly so; pasted text with the pauses of a
  /// line from far away.
  public var patience: Duration { if case .pasted = stage { .seconds(1) } else { .milliseconds(50) } }

  /// Gives up a sequence that was begun; the escape key by itself has no meaning.
  public mutating func reset() {
    stage = .plain
    parameters.removeAll(keepingCapacity: true)
  }

  /// The actions that `bytes` complete, in order. What is not known is left out.
  public mutating func parse(_ bytes: some Sequence<UInt8>) -> [TerminalAction] {
    var actions: [TerminalAction] = []
    for byte in bytes { if let action = take(byte) { actions.append(action) } }
    return actions
  }

  private mutating func take(_ byte: UInt8) -> TerminalAction? {
    switch stage {
    case .pasted(let matched):
      pastedBytes += 1
      let next = byte == Self.pasteEnd[matched] ? matched + 1 : byte == 0x1B ? 1 : 0
      stage = next == Self.pasteEnd.count || pastedBytes >= Self.mostPasted ? .plain : .pasted(next)
      return nil
    case _ where byte == 0x1B:
      reset()
      stage = .escape
      return nil
    case .plain: return Self.plain(byte)
    case .escape:
      switch byte {
      case UInt8(ascii: "["): stage = .control
      case UInt8(ascii: "O"): stage = .single
      // Alt and a key: not ours, and not to be taken for the key alone.
      default: stage = .plain
      }
      return nil
    case .single:
      stage = .plain
      return Self.arrow(byte, isShifted: false)
    case .control:
      // ECMA-48, 5.4: parameter and intermediate bytes, then a final byte.
      if (0x20...0x3F).contains(byte) {
        if parameters.count < 16 { parameters.append(byte) }
        return nil
      }
      let final = byte
      let text = parameters
      reset()
      if final == UInt8(ascii: "~"), text == Array("200".utf8) {
        pastedBytes = 0
        stage = .pasted(0)
        return nil
      }
      guard (0x40...0x7E).contains(final) else { return final < 0x20 ? Self.plain(final) : nil }
      return Self.control(final, text)
    }
  }

  private static func plain(_ byte: UInt8) -> TerminalAction? {
    switch byte {
    case UInt8(ascii: "r"): .tap(.rec)
    case UInt8(ascii: "R"): .hold(.rec, long)
    case UInt8(ascii: "s"): .tap(.stop)
    case UInt8(ascii: "S"): .hold(.stop, long)
    case UInt8(ascii: "m"): .tap(.mark)
    case UInt8(ascii: "M"): .hold(.mark, long)
    case UInt8(ascii: "l"): .tap(.lock)
    case UInt8(ascii: "L"): .hold(.lock, unlocking)
    case UInt8(ascii: " "), UInt8(ascii: "c"), 0x0D, 0x0A: .tap(.centre)
    case UInt8(ascii: "C"): .hold(.centre, long)
    case UInt8(ascii: "u"): .tap(.up)
    case UInt8(ascii: "U"): .hold(.up, long)
    case UInt8(ascii: "d"): .tap(.down)
    case UInt8(ascii: "D"): .hold(.down, long)
    case UInt8(ascii: ","): .tap(.left)
    case UInt8(ascii: "<"): .hold(.left, scrubbing)
    case UInt8(ascii: "."): .tap(.right)
    case UInt8(ascii: ">"): .hold(.right, scrubbing)
    case UInt8(ascii: "p"), UInt8(ascii: "P"): .screenshot
    case UInt8(ascii: "q"), UInt8(ascii: "Q"), 0x03, 0x04: .quit
    case 0x0C: .redraw
    default: nil
    }
  }

  private static func control(_ final: UInt8, _ parameters: [UInt8]) -> TerminalAction? {
    // rxvt's shifted arrows are lower-case.
    if (UInt8(ascii: "a")...UInt8(ascii: "d")).contains(final) { return arrow(final - 0x20, isShifted: true) }
    // `1;m`, where m is 1 plus 1 for shift, 2 for alt, 4 for control.
    let modifier = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).dropFirst().first
    let isShifted = modifier == [UInt8(ascii: "2")]
    guard modifier == nil || modifier == [UInt8(ascii: "1")] || isShifted else { return nil }
    return arrow(final, isShifted: isShifted)
  }

  private static func arrow(_ final: UInt8, isShifted: Bool) -> TerminalAction? {
    let button: Button
    switch final {
    case UInt8(ascii: "A"): button = .up
    case UInt8(ascii: "B"): button = .down
    case UInt8(ascii: "C"): button = .right
    case UInt8(ascii: "D"): button = .left
    default: return nil
    }
    guard isShifted else { return .tap(button) }
    return .hold(button, button == .left || button == .right ? scrubbing : long)
  }

  /// Past the 600 ms of a long press.
  private static let long = Duration.milliseconds(700)
  /// Past the 2 s that unlock.
  private static let unlocking = Duration.milliseconds(2200)
  /// A long press and some repeats, one every 200 ms.
  private static let scrubbing = Duration.milliseconds(1500)
}
