/// One key of a terminal.
enum Key: Hashable {
  case text(Unicode.Scalar)
  case enter, tab, backspace, delete
  case left, right, home, end, up, down
  /// ^C
  case interrupt
  /// ^D
  case endOfInput
  /// ^K, ^U, ^W, ^L
  case killToEnd, killToStart, killWord, redraw
  /// How many lines and columns the terminal has: xterm's report of its size, `ESC [ 8 ; lines ; columns t`.
  case size(lines: Int, columns: Int)
}

/// Turns bytes into keys: UTF-8, control characters, and the escape sequences of ANSI, xterm and VT100 keyboards.
/// Whatever it does not know it leaves out.
struct KeyDecoder {
  private enum State {
    case plain
    /// After CR: a LF belongs to it.
    case afterReturn
    case escape
    /// Within `ESC [`; parameters so far.
    case sequence([UInt8])
    /// After `ESC O`.
    case function
    /// Within a UTF-8 sequence: the bits so far, bytes to come, the smallest value that needs so many bytes.
    case multibyte(UInt32, remaining: Int, least: UInt32)
  }

  private var state = State.plain

  /// Whether the next byte begins something new.
  var isBetweenKeys: Bool {
    switch state {
    case .plain, .afterReturn: true
    default: false
    }
  }

  /// The key that this byte completes.
  mutating func decode(_ byte: UInt8) -> Key? {
    switch state {
    case .plain: return begin(byte)
    case .afterReturn:
      state = .plain
      return byte == 0x0A ? nil : begin(byte)
    case .escape:
      state = .plain
      switch byte {
      case UInt8(ascii: "["): state = .sequence([])
      case UInt8(ascii: "O"): state = .function
      case 0x1B: state = .escape
      case 0..<0x20: return begin(byte)
      default: break
      }
      return nil
    case .function:
      state = .plain
      return byte < 0x20 ? begin(byte) : Self.cursorKeys[byte]
    case .sequence(let parameters): return continueSequence(parameters, byte)
    case .multibyte(let bits, let remaining, let least):
      guard byte & 0xC0 == 0x80 else {
        state = .plain
        return begin(byte)
      }
      let value = bits << 6 | UInt32(byte & 0x3F)
      if remaining > 1 {
        state = .multibyte(value, remaining: remaining - 1, least: least)
        return nil
      }
      state = .plain
      guard value >= least, let scalar = Unicode.Scalar(value) else { return nil }
      return scalar.properties.generalCategory == .control ? nil : .text(scalar)
    }
  }

  private mutating func begin(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x20..<0x7F: return .text(Unicode.Scalar(byte))
    case 0x0D:
      state = .afterReturn
      return .enter
    case 0x1B: state = .escape
    case 0xC2...0xDF: state = .multibyte(UInt32(byte & 0x1F), remaining: 1, least: 0x80)
    case 0xE0...0xEF: state = .multibyte(UInt32(byte & 0x0F), remaining: 2, least: 0x800)
    case 0xF0...0xF4: state = .multibyte(UInt32(byte & 0x07), remaining: 3, least: 0x10000)
    default: return Self.controlKeys[byte]
    }
    return nil
  }

  private mutating func continueSequence(_ parameters: [UInt8], _ byte: UInt8) -> Key? {
    switch byte {
    case 0x20..<0x40 where parameters.count < 16:
      state = .sequence(parameters + [byte])
      return nil
    case 0x40..<0x7F:
      state = .plain
      if byte == UInt8(ascii: "t") { return Self.size(parameters) }
      guard byte == UInt8(ascii: "~") else { return Self.cursorKeys[byte] }
      switch parameters.prefix(while: { $0 != UInt8(ascii: ";") }) {
      case [UInt8(ascii: "1")], [UInt8(ascii: "7")]: return .home
      case [UInt8(ascii: "3")]: return .delete
      case [UInt8(ascii: "4")], [UInt8(ascii: "8")]: return .end
      default: return nil
      }
    case 0..<0x20:
      state = .plain
      return begin(byte)
    default:
      state = .plain
      return nil
    }
  }

  private static func size(_ parameters: [UInt8]) -> Key? {
    let numbers = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map { Int(String(decoding: $0, as: UTF8.self)) ?? -1 }
    guard numbers.count == 3, numbers[0] == 8, numbers[1...].allSatisfy({ (0...9999).contains($0) }) else { return nil }
    return .size(lines: numbers[1], columns: numbers[2])
  }

  private static let cursorKeys: [UInt8: Key] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
    UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end,
  ]

  private static let controlKeys: [UInt8: Key] = [
    0x01: .home, 0x02: .left, 0x03: .interrupt, 0x04: .endOfInput, 0x05: .end, 0x06: .right, 0x08: .backspace,
    0x09: .tab, 0x0A: .enter, 0x0B: .killToEnd, 0x0C: .redraw, 0x0E: .down, 0x10: .up, 0x15: .killToStart,
    0x17: .killWord, 0x7F: .backspace,
  ]
}
