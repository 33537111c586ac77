internal import CWslay
internal import Hardware

/// Messages to frames and back (RFC 6455 sections 5 to 7), by wslay. No I/O: bytes go in and come out.
///
/// One thread only.
final class WebSocketFrames {
  /// How the peer ended it, or why we do.
  enum Ending: Equatable {
    /// The peer closed it: its code (1005 if it gave none) and its reason.
    case closed(code: Int, reason: String)
    case broken(NetworkError.Kind, reason: String)
  }

  /// Frames that may wait to be sent until `produce` stops making more, in bytes.
  private static let mostProduced = 64 * 1024

  /// Messages that have arrived, oldest first; the reader removes them.
  var arrived: [WebSocketMessage] = []
  /// Whether an answer to our ping has come.
  private(set) var pongs = 0
  private(set) var ending: Ending?
  /// Frames that are ready to be sent; the writer removes them.
  var outgoing: [UInt8] = []

  private var context: wslay_event_context_ptr?
  private var incoming: [UInt8] = []
  private var taken = 0
  private let largestMessage: Int
  /// What has come of the frame that is coming, if it is a goodbye.
  private var goodbye: [UInt8]?
  private var random = SystemRandomNumberGenerator()

  /// `nil` if there is no memory.
  init?(largestMessage: Int) {
    self.largestMessage = largestMessage
    var callbacks = wslay_event_callbacks()
    callbacks.recv_callback = { context, buffer, capacity, _, raw in
      guard let raw, let buffer else { return -1 }
      let frames = Unmanaged<WebSocketFrames>.fromOpaque(raw).takeUnretainedValue()
      let count = frames.give(UnsafeMutableBufferPointer(start: buffer, count: capacity))
      guard count > 0 else {
        wslay_event_set_error(context, Int32(WSLAY_ERR_WOULDBLOCK.rawValue))
        return -1
      }
      return count
    }
    callbacks.send_callback = { context, bytes, count, _, raw in
      guard let raw, let bytes else { return -1 }
      let frames = Unmanaged<WebSocketFrames>.fromOpaque(raw).takeUnretainedValue()
      let room = min(count, WebSocketFrames.mostProduced - frames.outgoing.count)
      guard room > 0 else {
        wslay_event_set_error(context, Int32(WSLAY_ERR_WOULDBLOCK.rawValue))
        return -1
      }
      frames.outgoing.append(contentsOf: UnsafeBufferPointer(start: bytes, count: room))
      return room
    }
    callbacks.genmask_callback = { _, buffer, count, raw in
      guard let raw, let buffer else { return -1 }
      let frames = Unmanaged<WebSocketFrames>.fromOpaque(raw).takeUnretainedValue()
      // Unpredictable, as section 10.3 asks for.
      for index in 0..<count { buffer[index] = frames.random.next() }
      return 0
    }
    callbacks.on_frame_recv_start_callback = { _, argument, raw in
      guard let raw, let argument else { return }
      let frames = Unmanaged<WebSocketFrames>.fromOpaque(raw).takeUnretainedValue()
      frames.goodbye = UInt32(argument.pointee.opcode) == WSLAY_CONNECTION_CLOSE.rawValue ? [] : nil
    }
    callbacks.on_frame_recv_chunk_callback = { _, argument, raw in
      guard let raw, let argument else { return }
      let frames = Unmanaged<WebSocketFrames>.fromOpaque(raw).takeUnretainedValue()
      // A frame of control holds 125 bytes at most.
      guard let goodbye = frames.goodbye, goodbye.count + argument.pointee.data_length <= 125 else { return }
      let piece = UnsafeBufferPointer(start: argument.pointee.data, count: argument.pointee.data_length)
      frames.goodbye = goodbye + piece
    }
    callbacks.on_msg_recv_callback = { _, argument, raw in
      guard let raw, let argument else { return }
      Unmanaged<WebSocketFrames>.fromOpaque(raw).takeUnretainedValue().take(argument.pointee)
    }
    let raw = Unmanaged.passUnretained(self).toOpaque()
    guard wslay_event_context_client_init(&context, &callbacks, raw) == 0 else { return nil }
    wslay_event_config_set_max_recv_msg_length(context, UInt64(max(0, largestMessage)))
  }

  deinit { if let context { wslay_event_context_free(context) } }

  /// Takes bytes of the peer's.
  func feed(_ bytes: some Sequence<UInt8>) {
    guard ending == nil else { return }
    incoming.append(contentsOf: bytes)
    let result = wslay_event_recv(context)
    if taken == incoming.count {
      incoming.removeAll(keepingCapacity: true)
      taken = 0
    }
    if result != 0 {
      end(.broken(.malformed, reason: "what came are no frames of a WebSocket"))
    } else if ending == nil, wslay_event_get_read_enabled(context) == 0 {
      // wslay refused something, and has queued a goodbye whose code says what.
      produce()
      end(refusal(Int(wslay_event_get_status_code_sent(context))))
    }
  }

  /// Queues a message.
  func send(_ message: WebSocketMessage) {
    switch message {
    case .text(let text): queue(UInt8(WSLAY_TEXT_FRAME.rawValue), Array(text.utf8))
    case .binary(let bytes): queue(UInt8(WSLAY_BINARY_FRAME.rawValue), bytes)
    }
  }

  /// Queues a question whether the peer is still there.
  func ping() { queue(UInt8(WSLAY_PING.rawValue), Array("mynah".utf8)) }

  /// Queues a goodbye; a control frame has room for 123 bytes of a reason (RFC 6455 section 5.5).
  func close(code: Int, reason: String) {
    var text = reason
    while text.utf8.count > 123 { text.removeLast() }
    let bytes = Array(text.utf8)
    _ = wslay_event_queue_close(context, UInt16(clamping: code), bytes, bytes.count)
  }

  /// Makes frames of what is queued, as far as there is room.
  func produce() {
    guard wslay_event_want_write(context) != 0 else { return }
    _ = wslay_event_send(context)
  }

  /// Whether so much is queued that no more should be for now.
  var isBusy: Bool { outgoing.count >= Self.mostProduced || wslay_event_get_queued_msg_count(context) > 0 }
  /// Whether so many answers to pings wait to be sent that no more should be asked for.
  var owesMuch: Bool { wslay_event_get_queued_msg_count(context) > 64 }
  /// Whether frames are ready, or will be.
  var wantsToSend: Bool { !outgoing.isEmpty || wslay_event_want_write(context) != 0 }
  /// Both have said goodbye.
  var hasParted: Bool { wslay_event_get_close_received(context) != 0 && wslay_event_get_close_sent(context) != 0 }

  private func queue(_ opcode: UInt8, _ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { buffer in
      var message = wslay_event_msg(opcode: opcode, msg: buffer.baseAddress, msg_length: buffer.count)
      _ = wslay_event_queue_msg(context, &message)
    }
  }

  private func give(_ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    let count = min(buffer.count, incoming.count - taken)
    for index in 0..<count { buffer[index] = incoming[taken + index] }
    taken += count
    return count
  }

  private func take(_ message: wslay_event_on_msg_recv_arg) {
    let bytes = Array(UnsafeBufferPointer(start: message.msg, count: message.msg_length))
    switch UInt32(message.opcode) {
    case WSLAY_TEXT_FRAME.rawValue: arrived.append(.text(String(decoding: bytes, as: UTF8.self)))
    case WSLAY_BINARY_FRAME.rawValue: arrived.append(.binary(bytes))
    case WSLAY_PONG.rawValue: pongs += 1
    case WSLAY_CONNECTION_CLOSE.rawValue:
      let code = message.status_code == 0 ? 1005 : Int(message.status_code)
      end(.closed(code: code, reason: String(decoding: bytes.dropFirst(2), as: UTF8.self)))
    default: break
    }
  }

  private func end(_ ending: Ending) {
    if self.ending == nil { self.ending = ending }
  }

  private func refusal(_ code: Int) -> Ending {
    // Registered after RFC 6455 was written, and not known to wslay: service restart, try again later, bad gateway.
    if code == 1002, let goodbye, goodbye.count >= 2, case let told = Int(goodbye[0]) << 8 | Int(goodbye[1]),
      (1012...1014).contains(told)
    {
      return .closed(code: told, reason: String(decoding: goodbye.dropFirst(2), as: UTF8.self))
    }
    return switch code {
    case 1007: .broken(.malformed, reason: "a text came that is not UTF-8")
    case 1009: .broken(.tooLarge, reason: "a message came that is larger than \(largestMessage) bytes")
    default: .broken(.malformed, reason: "what came are no frames of a WebSocket")
    }
  }
}
