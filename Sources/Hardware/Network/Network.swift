/// The network as a device: it may be slow, vanish and come back at any time.
///
/// No call blocks or throws: errors are reported by the transfer or the connection. Any thread may call. The driver
/// has a thread of its own; `wake` is called from it whenever there is something new to look at, and must not block.
public protocol Network: AnyObject, Sendable {
  /// Fetches a resource by HTTP GET.
  func fetch(_ request: HTTPRequest, wake: @escaping @Sendable () -> Void) -> any HTTPTransfer
  /// Opens a WebSocket (RFC 6455).
  func connect(_ request: WebSocketRequest, wake: @escaping @Sendable () -> Void) -> any WebSocketConnection
  /// Grows by one whenever a link of the machine comes up again: a reason to try at once. Any thread.
  var linkUps: Int { get }
}

/// What is asked of an HTTP server.
public struct HTTPRequest: Hashable, Sendable {
  /// `http://` or `https://`, absolute.
  public var url: String
  /// A range of bytes; `nil`: the whole resource. Of an open-ended request its beginning counts.
  public var range: Range<Int>?
  /// More bytes than this (after any decoding) are a failure, whatever the server promised.
  public var largest: Int
  /// How long name resolution, connection and TLS may take together.
  public var connectTimeout: Duration
  /// How long the server may send nothing at all.
  public var stallTimeout: Duration
  /// How long everything may take.
  public var timeout: Duration
  /// It may have no end, as web radio has none: bytes are taken as they come (`HTTPTransfer.take`), `largest` bounds what
  /// waits to be taken, `timeout` does not count, and titles are asked for.
  public var isOpenEnded = false
  /// What has come before the connection broke, or the server fell silent, is wanted, too: the rest can be asked for.
  public var takesParts = false

  public init(
    url: String, range: Range<Int>? = nil, largest: Int, connectTimeout: Duration = .seconds(5),
    stallTimeout: Duration = .seconds(5), timeout: Duration = .seconds(30)
  ) {
    self.url = url
    self.range = range
    self.largest = largest
    self.connectTimeout = connectTimeout
    self.stallTimeout = stallTimeout
    self.timeout = timeout
  }
}

/// What an HTTP server answered, with the times that tell how fast the way is.
public struct HTTPResponse: Hashable, Sendable {
  /// 200…299; anything else is a `NetworkError`.
  public var status: Int
  /// Where it was found in the end, after redirects: what relative addresses in it refer to.
  public var url: String
  public var body: [UInt8]
  public var requested: Instant
  public var firstByte: Instant
  public var finished: Instant
  /// Whether the server said where it ends; if not, a connection that broke looks like the end.
  public var hasLength: Bool
  /// It came compressed, and the body is what that was made of: counts of its bytes are not the server's.
  public var isCompressed: Bool
  /// It broke off before all had come that the server promised (`HTTPRequest.takesParts`).
  public var isBroken = false

  public init(
    status: Int, url: String, body: [UInt8], requested: Instant, firstByte: Instant, finished: Instant,
    hasLength: Bool = true, isCompressed: Bool = false
  ) {
    self.status = status
    self.url = url
    self.body = body
    self.requested = requested
    self.firstByte = firstByte
    self.finished = finished
    self.hasLength = hasLength
    self.isCompressed = isCompressed
  }
}

/// What a server says of a resource before it sends it.
public struct HTTPHead: Hashable, Sendable {
  /// Where it was found in the end.
  public var url: String
  /// In lower case, without parameters; empty if it is not said.
  public var contentType = ""
  /// Bytes of the whole; `nil`: not said, or without end.
  public var length: Int?
  /// The bytes are compressed although that was not asked for (content-encoding).
  public var isCompressed = false
  /// It is a station's (ICY, `icy-name` and the like, Icecast): what ends has hung up.
  public var isStation = false
  /// A part was asked for, and what a station plays now comes in its place, whatever length it claims.
  public var isAnew = false
  /// A title stands behind every so many bytes (icy-metaint).
  public var titleInterval: Int?

  public init(url: String) { self.url = url }
}

/// A resource that is being fetched. Any thread.
public protocol HTTPTransfer: AnyObject, Sendable {
  /// Where it stands; final once it is not `running`.
  var progress: HTTPProgress { get }
  /// When `progress` changes next, where that is known beforehand: in virtual time.
  var nextChange: Instant? { get }
  /// Ends it; nothing more is reported.
  func cancel()
  /// Of an open-ended request, from its first byte on.
  var head: HTTPHead? { get }
  /// Takes what has come of an open-ended request; also after it has finished.
  func take() -> [UInt8]
}

extension HTTPTransfer {
  public var head: HTTPHead? { nil }
  public func take() -> [UInt8] { [] }
}

/// How far a transfer is.
public enum HTTPProgress: Hashable, Sendable {
  case running(receivedBytes: Int)
  case finished(HTTPResponse)
  case failed(NetworkError)
}

/// What is asked of a WebSocket server.
public struct WebSocketRequest: Hashable, Sendable {
  /// `ws://` or `wss://`, absolute.
  public var url: String
  /// Sub-protocol to ask for, or none.
  public var subprotocol: String?
  /// A larger message is a failure.
  public var largestMessage: Int
  public var connectTimeout: Duration
  /// What the server knows us by (RFC 6750), sent with the handshake; a secret.
  public var bearerToken: String?
  /// After this long without any byte a ping is sent, and after as long again the connection is given up: a half-open
  /// TCP connection says nothing by itself.
  public var silenceTimeout: Duration

  public init(
    url: String, subprotocol: String? = nil, bearerToken: String? = nil, largestMessage: Int,
    connectTimeout: Duration = .seconds(5), silenceTimeout: Duration = .seconds(4)
  ) {
    self.url = url
    self.subprotocol = subprotocol
    self.bearerToken = bearerToken
    self.largestMessage = largestMessage
    self.connectTimeout = connectTimeout
    self.silenceTimeout = silenceTimeout
  }
}

/// A message of a WebSocket.
public enum WebSocketMessage: Hashable, Sendable {
  case text(String)
  case binary([UInt8])
}

/// A WebSocket. Any thread.
public protocol WebSocketConnection: AnyObject, Sendable {
  var state: WebSocketState { get }
  /// When something changes next, where that is known beforehand: in virtual time.
  var nextChange: Instant? { get }
  /// Queues a message.
  ///
  /// - Returns: false if it is not open, or too much waits to be sent already (back-pressure): try again when woken.
  func send(_ message: WebSocketMessage) -> Bool
  /// The oldest message that has arrived. While many wait, nothing more is read from the peer.
  func receive() -> WebSocketMessage?
  /// Says good-bye with a status code of RFC 6455 section 7.4 and a reason for the peer's people, and ends it.
  ///
  /// - Parameter reason: more than 123 bytes of it are cut off.
  func close(code: Int, reason: String)
}

extension WebSocketConnection {
  /// Says good-bye without a reason.
  public func close(code: Int) { close(code: code, reason: "") }
}

/// Where a WebSocket stands.
public enum WebSocketState: Hashable, Sendable {
  case connecting
  case open
  /// The peer closed it: its code (1005 if it gave none) and its reason.
  case closed(code: Int, reason: String)
  case failed(NetworkError)
}
