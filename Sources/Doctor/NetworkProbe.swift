internal import Glibc
public import Hardware

/// Looks whether other machines can be reached: what is to be played with a dub, and the service that dubs.
///
/// Each target is really asked for: a name that does not resolve, a server that does not answer and a certificate that
/// is not trusted are told apart. Blocks for up to `patience` a target.
public struct NetworkProbe: Probe {
  private let network: (any Network)?
  private let streams: [String]
  private let service: String
  private let patience: Duration

  /// More streams are not asked for.
  private static let mostStreams = 4
  private static let largestPlaylist = 1 << 20

  /// - Parameters:
  ///   - network: the way there; `nil`: there is none.
  ///   - streams: addresses of streams; the first few are asked for.
  ///   - service: address of the service that dubs, or empty.
  ///   - patience: how long one target may take.
  public init(network: (any Network)?, streams: [String], service: String, patience: Duration = .seconds(6)) {
    self.network = network
    self.streams = streams
    self.service = service
    self.patience = patience
  }

  public func examine() -> [DeviceFinding] {
    guard let network else { return [DeviceFinding("network", .absent, "switched off; clips and takes can be played")] }
    guard !streams.isEmpty || !service.isEmpty else {
      return [
        DeviceFinding("network", .works, "no streams and no dubbing service are named; nothing was asked for")
      ]
    }
    var findings = streams.prefix(Self.mostStreams).map { stream(String($0), network) }
    if !service.isEmpty { findings.append(dubbing(network)) }
    return findings
  }

  private func stream(_ address: String, _ network: any Network) -> DeviceFinding {
    let transfer = network.fetch(
      HTTPRequest(
        url: address, largest: Self.largestPlaylist, connectTimeout: patience, stallTimeout: patience,
        timeout: patience)
    ) {}
    defer { transfer.cancel() }
    let place = Self.place(address)
    switch wait(for: { if case .running = transfer.progress { false } else { true } }, then: { transfer.progress }) {
    case .finished(let response):
      let milliseconds = (response.finished - response.requested).milliseconds
      return DeviceFinding(
        "network", place: place, .works, "the stream answers in \(milliseconds) ms",
        facts: ["milliseconds": .integer(Int(milliseconds)), "bytes": .integer(response.body.count)])
    case .failed(let error): return trouble(error, place)
    case .running: return trouble(NetworkError(.timeout, subject: place, reason: "no answer"), place)
    }
  }

  private func dubbing(_ network: any Network) -> DeviceFinding {
    let socket = network.connect(
      WebSocketRequest(url: service, largestMessage: Self.largestPlaylist, connectTimeout: patience)
    ) {}
    defer { socket.close(code: 1000) }
    let place = Self.place(service)
    switch wait(for: { socket.state != .connecting }, then: { socket.state }) {
    case .open: return DeviceFinding("network", place: place, .works, "the dubbing service answers")
    case .closed(let code, let reason):
      return DeviceFinding(
        "network", place: place, .limited, "the dubbing service hung up with \(code) \(reason)",
        remedy: "see whether the service is the right one: dub.service")
    case .failed(let error): return trouble(error, place)
    case .connecting: return trouble(NetworkError(.timeout, subject: place, reason: "no answer"), place)
    }
  }

  /// The device works without: dubbing goes on with what is there.
  private func trouble(_ error: NetworkError, _ place: String) -> DeviceFinding {
    let remedy =
      switch error.kind {
      case .name: "is the cable in, or the wireless network joined? See /etc/resolv.conf, or the name in the address"
      case .unreachable, .timeout, .interrupted, .security: "see the network, its firewall, and dub.proxy"
      case .certificate: "see the clock; name the authority's file with dub.caFile"
      case .status, .redirects, .tooLarge, .malformed, .address: "see the address: dub.sources, dub.service"
      }
    return DeviceFinding("network", place: place, .failed, error.reason, remedy: remedy)
  }

  private func wait<Result>(for isOver: () -> Bool, then result: () -> Result) -> Result {
    var left = patience + .seconds(1)
    while !isOver(), left > .zero {
      usleep(20_000)
      left -= .milliseconds(20)
    }
    return result()
  }

  /// Scheme and host of an address, without a user's name and password.
  private static func place(_ address: String) -> String {
    let parts = address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count > 2 else { return address }
    let host = parts[2].split(separator: "@").last.map(String.init) ?? ""
    return "\(parts[0])//\(host)"
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
