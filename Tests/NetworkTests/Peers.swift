import Foundation
import Hardware
import Synchronization
import TestSupport
import Threads

@testable import Network

/// A server of Tests/NetworkTests/Peers on loopback, for as long as this lives.
final class Peer: @unchecked Sendable {
  let port: Int
  private let process = Process()
  private let input = Pipe()

  struct Failure: Error { var what: String }

  init(_ script: String, _ arguments: [String] = []) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [try Self.path(script)] + arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var line = Data()
    while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data([10]) { line += byte }
    guard let port = Int(String(decoding: line, as: UTF8.self)) else { throw Failure(what: "\(script) did not start") }
    self.port = port
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.terminate()
  }

  static func path(_ name: String) throws -> String {
    guard let folder = Bundle.module.resourceURL else { throw Failure(what: "no resources") }
    return folder.appendingPathComponent("Peers/\(name)").path
  }

  func http(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
  func https(_ path: String) -> String { "https://127.0.0.1:\(port)\(path)" }
  func ws(_ path: String) -> String { "ws://127.0.0.1:\(port)\(path)" }
  func wss(_ path: String) -> String { "wss://127.0.0.1:\(port)\(path)" }
}

/// Certificates that openssl made for this run.
final class Certificates: Sendable {
  static let shared = Result { try Certificates() }
  let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "mynah-certificates-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [try Peer.path("certificates.sh"), folder]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Peer.Failure(what: "openssl made no certificates") }
  }

  func pair(_ name: String) -> [String] { ["\(folder)/\(name).pem", "\(folder)/\(name).key"] }
  func file(_ name: String) -> String { "\(folder)/\(name).pem" }
}

/// Counts wakes, and lets a test wait until something is true. Nothing is judged by the time it takes.
final class Waker: Sendable {
  private let wakeup = Wakeup()
  private let count = Atomic<Int>(0)
  var wakes: Int { count.load(ordering: .acquiring) }
  var wake: @Sendable () -> Void {
    {
      self.count.wrappingAdd(1, ordering: .acquiringAndReleasing)
      self.wakeup.signal()
    }
  }

  /// Looks at every wake; gives up when a minute has passed, so that a failure is a failure and no hang.
  func wait<Value>(for look: () -> Value?) throws -> Value {
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end {
      if let value = look() { return value }
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      wakeup.wait(until: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec) + 250_000_000)
    }
    throw Peer.Failure(what: "nothing happened for a minute")
  }
}

extension CurlNetwork {
  /// Fetches and waits for the end.
  func outcome(_ request: HTTPRequest) throws -> HTTPProgress {
    let waker = Waker()
    let transfer = fetch(request, wake: waker.wake)
    return try waker.wait { if case .running = transfer.progress { nil } else { transfer.progress } }
  }

  func outcome(
    _ url: String, range: Range<Int>? = nil, largest: Int = 1 << 20, stall: Duration = .seconds(20),
    timeout: Duration = .seconds(40)
  ) throws -> HTTPProgress {
    try outcome(
      HTTPRequest(
        url: url, range: range, largest: largest, connectTimeout: .seconds(20), stallTimeout: stall, timeout: timeout))
  }

  func body(_ url: String) throws -> String? { try outcome(url).text }
}

extension HTTPProgress {
  var error: NetworkError? { if case .failed(let error) = self { error } else { nil } }
  var response: HTTPResponse? { if case .finished(let response) = self { response } else { nil } }
  var text: String? { response.map { String(decoding: $0.body, as: UTF8.self) } }
}

extension WebSocketState {
  var error: NetworkError? { if case .failed(let error) = self { error } else { nil } }
}

/// A WebSocket and who waits for it.
struct Client {
  let socket: any WebSocketConnection
  let waker = Waker()

  init(
    _ network: CurlNetwork, _ url: String, subprotocol: String? = nil, largest: Int = 100_000,
    silence: Duration = .seconds(20), connect: Duration = .seconds(20)
  ) {
    socket = network.connect(
      WebSocketRequest(
        url: url, subprotocol: subprotocol, largestMessage: largest, connectTimeout: connect, silenceTimeout: silence),
      wake: waker.wake)
  }

  func open() throws { _ = try waker.wait { socket.state == .connecting ? nil : true } }
  func message() throws -> WebSocketMessage { try waker.wait { socket.receive() } }
  func end() throws -> WebSocketState {
    try waker.wait {
      switch socket.state {
      case .connecting, .open: nil
      case .closed, .failed: socket.state
      }
    }
  }
  func send(_ message: WebSocketMessage) throws { _ = try waker.wait { socket.send(message) ? true : nil } }
}
