internal import CCurl
internal import CLinux
internal import Hardware

/// A transfer on the engine's thread: libcurl's options, and what is done with the bytes it delivers.
final class HTTPJob {
  static let mostRedirects = 10
  /// What is read of the words that come with an error, to keep the connection for the next request.
  private static let longestErrorBody = 64 * 1024
  /// A server that sends header lines without end is none.
  private static let longestHeaders = 256 * 1024
  /// What is set aside at once for a body whose length the server promised; more grows as it comes.
  private static let largestReserve = 4 << 20
  /// What a content-encoding has in its name that must be undone.
  private static let compressions = ["gzip", "deflate", "compress", "br", "zstd"]

  let easy: EasyHandle
  let transfer: CurlTransfer
  private let request: HTTPRequest
  private let requested: Instant
  private let subject: String
  private let options: ConnectionOptions

  private var body: [UInt8] = []
  private var status = 0
  private var firstByte: Instant?
  private var contentRange: (range: Range<Int>, total: Int?)?
  /// It comes in chunks, the last of which is marked.
  private var isChunked = false
  /// Bytes still to be skipped before the range, where the server sends the whole resource.
  private var skipped = 0
  private var errorBytes = 0
  private var headerBytes = 0
  /// Why the body was refused, if it was; libcurl only knows that it was.
  private var refusal: NetworkError?
  /// The rest is not wanted; what has come is all that was asked for.
  private var hasEnough = false
  private var lastHeard: Instant?
  /// Its bytes are taken as they come.
  private var isPlain = false
  /// Of an open-ended request; whether it is compressed, of each.
  private var head: HTTPHead
  private var hasBegun = false
  /// It has the lines of a station, which files have not, whoever serves them.
  private var isOnAir = false
  private var isPaused = false
  private var lists: [UnsafeMutablePointer<curl_slist>] = []

  init?(
    _ request: HTTPRequest, at address: WebAddress, transfer: CurlTransfer, requested: Instant,
    options: ConnectionOptions
  ) {
    guard let easy = EasyHandle() else { return nil }
    self.easy = easy
    self.request = request
    self.transfer = transfer
    self.requested = requested
    subject = address.subject
    self.options = options
    head = HTTPHead(url: request.url)
    easy.apply(options, to: address.transport, connectTimeout: request.connectTimeout)
    easy.set(CURLOPT_FOLLOWLOCATION, 1)
    easy.set(CURLOPT_MAXREDIRS, Self.mostRedirects)
    easy.set(CURLOPT_TIMEOUT_MS, request.isOpenEnded ? 0 : Self.milliseconds(request.timeout))
    if let range = request.range {
      // A range of a compressed resource has no defined meaning: it is asked for uncompressed.
      easy.set(CURLOPT_RANGE, "\(range.lowerBound)-\(range.upperBound - 1)")
    } else {
      // What may have to wait is not inflated: libcurl would keep what a few bytes swell to, and not go on by itself.
      if !request.isOpenEnded { easy.set(CURLOPT_ACCEPT_ENCODING, "gzip") }
    }
    if request.isOpenEnded {
      set(CURLOPT_HTTPHEADER, "Icy-MetaData: 1")
      // Old stations do not say HTTP: libcurl takes whatever they answer for 200, and `takeHeader` looks at what it is.
      set(CURLOPT_HTTP200ALIASES, "ICY ")
    }
    let context = Unmanaged.passUnretained(self).toOpaque()
    easy.set(CURLOPT_WRITEDATA, context)
    easy.set(CURLOPT_HEADERDATA, context)
    easy.set(CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      guard let bytes, let context else { return 0 }
      let job = Unmanaged<HTTPJob>.fromOpaque(context).takeUnretainedValue()
      let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
      if job.request.isOpenEnded { return job.takeOpenEnded(piece) }
      return job.takeBody(piece) ? piece.count : 0
    }
    easy.set(CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      guard let bytes, let context else { return 0 }
      let job = Unmanaged<HTTPJob>.fromOpaque(context).takeUnretainedValue()
      let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
      return job.takeHeader(line) ? line.count : 0
    }
  }

  deinit { for list in lists { curl_slist_free_all(list) } }

  /// An option that is a list of one line, which libcurl looks at as long as the transfer lasts.
  private func set(_ option: CURLoption, _ line: String) {
    guard let list = curl_slist_append(nil, line) else { return }
    lists.append(list)
    easy.set(option, UnsafeMutableRawPointer(list))
  }

  /// Ends in the moment in which nothing has come for too long; `nil` while libcurl's own time-outs hold.
  var stallDeadline: Instant? { isPaused ? .distantFuture : lastHeard.map { $0 + request.stallTimeout } }

  /// What waited has been taken.
  func resume() {
    guard isPaused else { return }
    isPaused = false
    heard()
    curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
  }

  /// Notices that it is connected, from when on the server has to say something.
  func watch(now: Instant) {
    if lastHeard == nil, easy.isConnected { lastHeard = now }
  }

  /// Nothing came for too long.
  func stalled() -> HTTPProgress {
    let silence = request.stallTimeout.inSeconds
    return broken(error(.timeout, "it sent nothing for \(silence) s: the network or the server is stuck"))
  }

  /// The network has ended under it.
  func closed() -> NetworkError { error(.interrupted, "the way to it has been set anew, or the program is ending") }

  /// libcurl is done with it.
  func finish(_ code: CURLcode, now: Instant) -> HTTPProgress {
    if let refusal { return .failed(refusal) }
    guard code == CURLE_OK || hasEnough else {
      // The words of an error were longer than we read: the error is what counts.
      if status >= 300, errorBytes > 0 { return .failed(statusError()) }
      return broken(easy.errors(subject: subject, usesProxy: options.settings.proxy != nil).error(code))
    }
    status = easy.number(CURLINFO_RESPONSE_CODE)
    guard (200...299).contains(status) else { return .failed(statusError()) }
    if !request.isOpenEnded, status == 206, let total = contentRange?.total {
      // What is behind the resource's end cannot come; whatever else is missing has not come.
      let wanted = request.range.map { min($0.upperBound, total) - $0.lowerBound } ?? total
      guard body.count >= wanted else {
        return broken(error(.interrupted, "the server sent \(body.count) of \(wanted) bytes"))
      }
    }
    let hasLength = isChunked || hasEnough || easy.large(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) >= 0
    if let range = request.range, body.isEmpty, !range.isEmpty, !request.isOpenEnded {
      guard hasLength else { return .failed(error(.interrupted, "it ended before the part that was asked for")) }
      return .failed(error(.status(416), StatusText.reason(416)))
    }
    return .finished(response(finished: now, hasLength: hasLength))
  }

  private func response(finished: Instant, hasLength: Bool) -> HTTPResponse {
    HTTPResponse(
      status: status, url: easy.text(CURLINFO_EFFECTIVE_URL) ?? request.url, body: body, requested: requested,
      firstByte: firstByte ?? finished, finished: finished, hasLength: hasLength, isCompressed: head.isCompressed)
  }

  /// Not all has come: what has is given where that is wanted.
  private func broken(_ error: NetworkError) -> HTTPProgress {
    let isOfTheWay = error.kind == .interrupted || error.kind == .timeout
    // How long more was waited for says nothing of how fast the way is.
    guard request.takesParts, isOfTheWay, !body.isEmpty, let lastHeard else { return .failed(error) }
    var response = self.response(finished: lastHeard, hasLength: true)
    response.isBroken = true
    return .finished(response)
  }

  /// Servers also call encodings what are none (`utf-8`, `binary`, `aws-chunked`), which libcurl refuses before a byte of
  /// the body: it is asked for once more, and taken as it comes.
  ///
  /// - Returns: whether it is to begin anew.
  func takesAsItComes(after code: CURLcode) -> Bool {
    guard code == CURLE_BAD_CONTENT_ENCODING, !head.isCompressed, !isPlain else { return false }
    isPlain = true
    easy.set(CURLOPT_ACCEPT_ENCODING, "identity")
    easy.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    return true
  }

  // MARK: What comes

  private func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    heard()
    if headerBytes == 0 { options.sockets.acknowledge() }
    headerBytes += line.count
    guard headerBytes <= Self.longestHeaders else {
      refusal = error(.malformed, "the header of the answer does not end")
      return false
    }
    let bytes = Array(line)
    // Old stations do not say HTTP: nothing of the answer that led there is theirs.
    let word = String(decoding: bytes.prefix(5), as: UTF8.self).uppercased()
    if word == "HTTP/" || word.hasPrefix("ICY ") {
      // A new answer begins: after a redirect, or 100 Continue. Whatever led to https, nothing leads back: libcurl looks at
      // the option when it follows, which is after the answer.
      if easy.text(CURLINFO_EFFECTIVE_URL)?.lowercased().hasPrefix("https:") == true {
        easy.set(CURLOPT_REDIR_PROTOCOLS_STR, "https")
      }
      (contentRange, isChunked, isOnAir) = (nil, false, false)
      head = HTTPHead(url: request.url)
      return word == "HTTP/" || takeStation(bytes.dropFirst(4))
    }
    if let range = ContentRange.parse(bytes) { contentRange = range }
    let text = String(decoding: bytes.prefix(64), as: UTF8.self).lowercased()
    if text.hasPrefix("transfer-encoding:"), text.holds("chunked") { isChunked = true }
    if text.hasPrefix("content-encoding:") { head.isCompressed = Self.compressions.contains { text.holds($0) } }
    if request.isOpenEnded { note(bytes) }
    return true
  }

  /// The status of a station that does not say HTTP, which has the numbers of HTTP.
  ///
  /// - Returns: whether it is one of success.
  private func takeStation(_ words: ArraySlice<UInt8>) -> Bool {
    status = Int(String(decoding: words.drop { $0 == 0x20 }.prefix(3), as: UTF8.self)) ?? 0
    guard (100...999).contains(status) else {
      refusal = error(.malformed, "what the server answers is not HTTP; check the port")
      return false
    }
    (head.isStation, isOnAir) = (true, true)
    guard !(200...299).contains(status) else { return true }
    refusal = statusError()
    return false
  }

  /// A line of the header, of what an open-ended resource is.
  private func note(_ line: [UInt8]) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
    let value = line[(colon + 1)...].drop { $0 <= 0x20 }.prefix { $0 > 0x20 && $0 != UInt8(ascii: ";") }
    let text = String(decoding: value.prefix(100), as: UTF8.self)
    let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
    if name.hasPrefix("icy-") { isOnAir = true }
    if isOnAir || name == "server" && text.lowercased().hasPrefix("icecast") { head.isStation = true }
    switch name {
    case "content-type": head.contentType = text.lowercased()
    case "content-length": head.length = Int(text).flatMap { $0 >= 0 ? $0 : nil }
    case "icy-metaint": head.titleInterval = Int(text).flatMap { (1...(1 << 24)).contains($0) ? $0 : nil }
    default: break
    }
  }

  /// - Returns: what libcurl is to be told: the bytes that were taken, or to wait.
  private func takeOpenEnded(_ piece: UnsafeRawBufferPointer) -> Int {
    heard()
    options.sockets.acknowledge()
    if !hasBegun {
      hasBegun = true
      status = easy.number(CURLINFO_RESPONSE_CODE)
      head.url = easy.text(CURLINFO_EFFECTIVE_URL) ?? request.url
      guard isRangeRight else { return 0 }
      if status == 206 { head.length = contentRange?.total }
      head.isAnew = isOnAir && request.range != nil && status != 206
    }
    guard (200...299).contains(status) else {
      errorBytes += piece.count
      return errorBytes <= Self.longestErrorBody ? piece.count : 0
    }
    let skipped = skip(piece)
    guard transfer.deliver(piece.dropFirst(skipped), head: head, most: request.largest) else {
      isPaused = true
      // What waits comes again as it is.
      self.skipped -= skipped
      return Int(CURL_WRITEFUNC_PAUSE)
    }
    return piece.count
  }

  /// - Returns: whether more is wanted.
  private func takeBody(_ piece: UnsafeRawBufferPointer) -> Bool {
    heard()
    options.sockets.acknowledge()
    if body.isEmpty, errorBytes == 0, skipped == 0 {
      status = easy.number(CURLINFO_RESPONSE_CODE)
      guard begin() else { return false }
    }
    guard (200...299).contains(status) else {
      errorBytes += piece.count
      return errorBytes <= Self.longestErrorBody
    }
    var piece = piece.dropFirst(skip(piece))
    if let range = request.range {
      let wanted = range.count - body.count
      if piece.count >= wanted {
        hasEnough = true
        piece = piece.prefix(wanted)
      }
    }
    guard body.count + piece.count <= request.largest else {
      refusal = error(.tooLarge, "it is larger than the \(request.largest) bytes that we take from there")
      return false
    }
    body.append(contentsOf: piece)
    transfer.received(body.count)
    // If the range ends where it should, libcurl keeps the connection; a whole resource is cut off.
    return !(hasEnough && status != 206)
  }

  /// - Returns: how many bytes of a piece stand before the range, because the server sends the whole resource.
  private func skip(_ piece: UnsafeRawBufferPointer) -> Int {
    guard status != 206, !head.isAnew, let range = request.range, skipped < range.lowerBound else { return 0 }
    let count = min(piece.count, range.lowerBound - skipped)
    skipped += count
    return count
  }

  private var isRangeRight: Bool {
    guard status == 206, let range = request.range, let contentRange,
      contentRange.range.lowerBound != range.lowerBound
    else { return true }
    refusal = error(.malformed, "the server sends another range than was asked for")
    return false
  }

  /// Looks at what the header promised. What fails here fails before a byte is kept.
  private func begin() -> Bool {
    guard (200...299).contains(status) else { return true }
    let promised = easy.large(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
    guard isRangeRight else { return false }
    guard request.range == nil || !head.isCompressed else {
      refusal = error(.status(416), "the server sends it compressed, and a part of that cannot be read")
      return false
    }
    if request.range == nil, promised > Int64(request.largest) {
      refusal = error(.tooLarge, "it is \(promised) bytes, more than the \(request.largest) that we take from there")
      return false
    }
    if promised > 0 { body.reserveCapacity(min(Int(promised), request.largest, Self.largestReserve)) }
    return true
  }

  private func heard() {
    let now = Instant(nanoseconds: mynah_now())
    if firstByte == nil { firstByte = now }
    lastHeard = now
  }

  private func statusError() -> NetworkError { error(.status(status), StatusText.reason(status)) }

  private func error(_ kind: NetworkError.Kind, _ reason: String) -> NetworkError {
    NetworkError(kind, subject: subject, reason: reason)
  }

  static func milliseconds(_ duration: Duration) -> Int {
    Int(max(1, min(duration.nanoseconds / 1_000_000, 86_400_000)))
  }
}
