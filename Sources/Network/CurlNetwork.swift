internal import CCurl
internal import CLinux
public import Hardware
internal import Synchronization
internal import Threads

/// The network by libcurl and wslay: HTTP/1.1 and WebSockets, with and without TLS.
///
/// All work is done on a thread named `mynah-network`, which starts with the first request, so that a device that never
/// uses the network has no such thread. Names are resolved by libcurl's resolver: c-ares in static programs, which reads
/// /etc/resolv.conf and /etc/hosts itself, a thread around getaddrinfo(3) in others.
///
/// Any thread may call.
public final class CurlNetwork: Network {
  private let engine: NetworkEngine
  private let thread = Mutex<WorkerThread?>(nil)

  public init(_ settings: NetworkSettings = NetworkSettings()) { engine = NetworkEngine(settings) }

  deinit { engine.stop() }

  public var linkUps: Int { engine.linkUps }

  public func fetch(_ request: HTTPRequest, wake: @escaping @Sendable () -> Void) -> any HTTPTransfer {
    let engine = engine
    let transfer = CurlTransfer(
      wake: wake, onCancel: { engine.post(.cancel($0)) }, onRoom: { engine.post(.resume($0)) })
    do throws(WebAddress.Problem) {
      let address = try WebAddress(request.url)
      guard !address.isWebSocket else { throw WebAddress.Problem(reason: "the address is neither http nor https") }
      if let range = request.range, range.isEmpty || range.lowerBound < 0 {
        throw WebAddress.Problem(reason: "no bytes of it were asked for")
      }
      if start() {
        engine.post(.fetch(request, address, transfer, Instant(nanoseconds: mynah_now())))
      } else {
        transfer.end(.failed(Self.noThread(address)))
      }
    } catch {
      transfer.end(
        .failed(NetworkError(.address, subject: WebAddress.subject(of: request.url), reason: error.reason)))
    }
    return transfer
  }

  public func connect(_ request: WebSocketRequest, wake: @escaping @Sendable () -> Void) -> any WebSocketConnection {
    let engine = engine
    let socket = CurlWebSocket(largestMessage: request.largestMessage, wake: wake) { engine.post(.look($0)) }
    do throws(WebAddress.Problem) {
      let address = try WebAddress(request.url)
      guard address.isWebSocket else { throw WebAddress.Problem(reason: "the address is neither ws nor wss") }
      if start() {
        engine.post(.connect(request, address, socket))
      } else {
        socket.end(.failed(Self.noThread(address)))
      }
    } catch {
      socket.end(.failed(NetworkError(.address, subject: WebAddress.subject(of: request.url), reason: error.reason)))
    }
    return socket
  }

  /// Ends everything that is under way, and returns when the thread has gone. Whatever is asked for afterwards begins
  /// and never ends. Not from a `wake`.
  public func close() {
    engine.stop()
    thread.withLock { thread in
      thread?.join()
      thread = nil
    }
  }

  /// - Returns: false if there is no thread, and none to be had.
  private func start() -> Bool {
    let engine = engine
    return thread.withLock { thread in
      if thread == nil { thread = engine.start() }
      return thread != nil
    }
  }

  private static func noThread(_ address: WebAddress) -> NetworkError {
    NetworkError(.unreachable, subject: address.subject, reason: "the system has no thread to give to the network")
  }
}
