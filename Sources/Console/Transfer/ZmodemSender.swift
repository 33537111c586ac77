/// Sends files by ZMODEM, as `sz` does: any `rz`, and the terminals that have one, take them, and go on where a
/// transfer broke off if they are asked to. A pure value: bytes and pieces of files in, bytes and wishes out.
///
/// Not more than `window` is under way: a peer says after each chunk where it is, so that a line that loses bytes or
/// stands still is noticed, and nothing grows in between.
struct ZmodemSender {
  struct File: Equatable {
    var name: String
    /// Seconds since 1970; 0: not known.
    var modified: Int
  }

  enum Outcome: Equatable {
    /// Files that were sent, and bytes of them; others the peer did not want.
    case sent(files: Int, bytes: Int, skipped: Int)
    case failed(CommandFailure)
  }

  /// What it waits for.
  enum Need: Equatable {
    case peer
    /// A piece of a file: so many bytes, or what there is up to the end.
    case piece(file: Int, offset: Int, bytes: Int)
    case nothing(Outcome)
  }

  private enum Phase: Equatable {
    case greeting
    /// How long the next file is has to be known.
    case measuring
    case offering
    case sending(isFrameOpen: Bool)
    /// All of it is under way.
    case ended
    case closing
    case over(Outcome)
  }

  private static let window = 32 * 1024
  private static let chunk = 8 * 1024
  private static let subpacket = 1024
  /// How often the same place may be asked for again.
  private static let patience = 20

  private let files: [File]
  private var phase = Phase.greeting
  private var reader = ZmodemHeaderReader()
  private var writer = ZmodemWire.Writer()
  private var file = 0
  private var total = 0
  private var place = 0
  private var acknowledged = 0
  /// The peer takes bytes while it writes, and says so in the middle of a frame.
  private var isStreaming = true
  /// Bytes that the peer can hold, if it says.
  private var room = 0
  private var asked = (place: -1, times: 0)
  private var repeated = 0
  private var sent = (files: 0, bytes: 0, skipped: 0)

  init(_ files: [File]) {
    self.files = files
    writer.put(raw: Array("rz\r".utf8) + ZmodemWire.hex(ZmodemWire.Header(.requestInit)))
  }

  /// Bytes for the peer; they are given once.
  mutating func output() -> [UInt8] { writer.take() }

  var need: Need {
    switch phase {
    case .measuring: return .piece(file: file, offset: 0, bytes: 1)
    case .sending where place - acknowledged + chunkBytes <= (isStreaming ? Self.window : chunkBytes):
      return .piece(file: file, offset: place, bytes: chunkBytes)
    case .over(let outcome): return .nothing(outcome)
    case .greeting, .offering, .sending, .ended, .closing: return .peer
    }
  }

  private var chunkBytes: Int { room > 0 ? min(room, Self.chunk) : Self.chunk }

  // MARK: The file

  /// A piece that was needed.
  ///
  /// - Parameter total: bytes of the whole file.
  mutating func take(_ piece: [UInt8], at offset: Int, total: Int) {
    switch phase {
    case .measuring:
      guard total <= Int(UInt32.max) else { return fail("\(files[file].name) is larger than ZMODEM can say: 4 GiB") }
      self.total = total
      offer()
    // The peer may have asked for another place meanwhile.
    case .sending(let isFrameOpen) where offset == place: send(piece, isFrameOpen: isFrameOpen)
    case .greeting, .offering, .sending, .ended, .closing, .over: break
    }
  }

  /// A piece could not be had, or the other end is not there any more.
  mutating func fail(_ reason: String, _ code: FailureCode = .internal) {
    if case .over = phase { return }
    _ = writer.take()
    writer.put(raw: ZmodemWire.cancellation)
    phase = .over(.failed(CommandFailure(code, reason)))
  }

  private mutating func offer() {
    let about = files[file]
    let left = files.count - file
    var octal = String(about.modified, radix: 8)
    if about.modified <= 0 { octal = "0" }
    // Name; then length, time, mode, serial number and files to come, the way that YMODEM says them.
    let info = Array(about.name.utf8) + [0] + Array("\(total) \(octal) 100644 0 \(left) \(total)".utf8) + [0]
    // 1: as it is, without another way to end lines.
    writer.put(ZmodemWire.Header(.file, [0, 0, 0, 1]))
    writer.put(info[...], .waits)
    phase = .offering
    repeated = 0
  }

  private mutating func send(_ piece: [UInt8], isFrameOpen: Bool) {
    let piece = piece.prefix(total - place)
    guard !piece.isEmpty else { return fail("\(files[file].name) has become shorter") }
    if !isFrameOpen { writer.put(ZmodemWire.Header(.data, place: place)) }
    var at = 0
    while at < piece.count {
      let end = min(at + Self.subpacket, piece.count)
      let isLast = end == piece.count
      let isAll = place + end == total
      let ending: ZmodemWire.Ending = isAll ? .last : !isLast ? .more : isStreaming ? .moreTold : .waits
      writer.put(piece[at..<end], ending)
      at = end
    }
    place += piece.count
    phase = .sending(isFrameOpen: isStreaming)
    if place == total { end() }
  }

  private mutating func end() {
    writer.put(raw: ZmodemWire.hex(ZmodemWire.Header(.endOfFile, place: total)))
    phase = .ended
  }

  // MARK: The peer

  mutating func receive(_ bytes: [UInt8]) {
    for byte in bytes {
      switch reader.take(byte) {
      case .header(let header): receive(header)
      case .cancelled: fail("the transfer was cancelled at the other end", .cancelled)
      case .begin, nil: break
      }
    }
  }

  private mutating func receive(_ header: ZmodemWire.Header) {
    switch (phase, header.kind) {
    case (.over, _): break
    case (_, .abort), (_, .cancelled): fail("the transfer was cancelled at the other end", .cancelled)
    case (_, .failure): fail("the other end cannot write the file")
    case (_, .challenge): writer.put(raw: ZmodemWire.hex(ZmodemWire.Header(.acknowledge, header.bytes)))
    case (.closing, .finish):
      writer.put(raw: Array("OO".utf8))
      phase = .over(.sent(files: sent.files, bytes: sent.bytes, skipped: sent.skipped))
    case (_, .finish): fail("the other end wants no more", .cancelled)
    case (.greeting, .initialise):
      let flags = header.bytes[3]
      room = Int(header.bytes[0]) | Int(header.bytes[1]) << 8
      isStreaming = flags & 3 == 3 && room == 0
      writer.hasLongSums = flags & 0x20 != 0
      writer.escapesControls = flags & 0x40 != 0
      next()
    // It has greeted twice, or has not understood the offer.
    case (.offering, .initialise), (.offering, .refuse):
      repeated += 1
      if repeated > Self.patience { return fail("the other end does not answer the offer of a file") }
      if repeated > 1 || header.kind == .refuse {
        let times = repeated
        offer()
        repeated = times
      }
    case (.offering, .skip), (.sending, .skip), (.ended, .skip):
      sent.skipped += 1
      done()
    case (.offering, .position), (.sending, .position), (.ended, .position): goOn(at: header.place)
    case (.sending, .acknowledge), (.ended, .acknowledge):
      acknowledged = max(acknowledged, min(header.place, place))
    case (.ended, .initialise):
      sent.files += 1
      sent.bytes += total
      done()
    case (.closing, .initialise), (.closing, .refuse): close()
    case (.greeting, .refuse): writer.put(raw: ZmodemWire.hex(ZmodemWire.Header(.requestInit)))
    case (.ended, .refuse): end()
    case (.greeting, _), (.measuring, _), (.offering, _), (.sending, _), (.ended, _), (.closing, _): break
    }
  }

  /// From where the peer has it: at the beginning, after something was lost, or where an earlier transfer broke off.
  private mutating func goOn(at wanted: Int) {
    asked = asked.place == wanted ? (wanted, asked.times + 1) : (wanted, 1)
    guard wanted <= total, asked.times <= Self.patience else {
      return fail(wanted > total ? "the other end has more than there is" : "the line loses too much")
    }
    place = wanted
    acknowledged = wanted
    phase = .sending(isFrameOpen: false)
    if place == total { end() }
  }

  private mutating func next() {
    phase = .measuring
    if file >= files.count { close() }
  }

  private mutating func done() {
    file += 1
    asked = (-1, 0)
    next()
  }

  private mutating func close() {
    writer.put(raw: ZmodemWire.hex(ZmodemWire.Header(.finish)))
    phase = .closing
  }
}
