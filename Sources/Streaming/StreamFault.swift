public import Hardware
public import Media

/// Why something cannot be played: a code that programs decide by, and a sentence for people.
public struct StreamFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// `encrypted`, `not-hls`, `http-404`, …: see the manual.
  public var code: String
  public var text: String

  public init(_ code: String, _ text: String) {
    self.code = code
    self.text = text
  }

  public var description: String { text }

  public init(_ error: NetworkError) {
    let code: String =
      switch error.kind {
      case .status(let status): "http-\(status)"
      case .name: "no-such-host"
      case .unreachable: "unreachable"
      case .certificate: "certificate"
      case .security: "tls"
      case .tooLarge: "too-large"
      case .redirects: "redirects"
      case .timeout: "timeout"
      case .interrupted, .malformed: "interrupted"
      case .address: "bad-address"
      }
    self.init(code, "\(error)")
  }

  public init(_ error: MediaError) {
    let code: String =
      switch error.kind {
      case .notFound: "not-found"
      case .denied: "denied"
      case .damaged: error.operation == "decrypt" ? "encrypted" : "damaged"
      case .unsupported: "unsupported"
      case .failed: "internal"
      }
    self.init(code, "\(error)")
  }

  init(_ error: PlaylistError) { self.init(error.kind.rawValue, "\(error)") }

  /// It lies in what came, and not in the way: asking again brings the same.
  var isOfContent: Bool {
    ["encrypted", "damaged", "unsupported", "no-sound", "too-large", "malformed"].contains(code)
  }

  /// Somebody has closed it.
  static let closed = StreamFault("closed", "closed")
  /// There is nothing in it to be heard.
  public static func silent(_ text: String) -> StreamFault { StreamFault("no-sound", text) }
}
