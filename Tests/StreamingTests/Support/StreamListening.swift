@testable import Streaming

/// Suites that play streams of a network that is none, and look at what is heard.
protocol StreamListening {}

extension StreamListening {
  func play(_ url: String, _ network: FakeNetwork, seconds: Double = 60) -> Listener {
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + url, network: network) {}, network)
    listener.run(seconds)
    return listener
  }

  func loudness(_ listener: Listener) -> Float {
    let samples = listener.samples
    return (samples.reduce(0) { $0 + $1 * $1 } / Float(max(1, samples.count))).squareRoot()
  }

  func fault(_ listener: Listener) -> StreamFault? {
    if case .failed(let fault) = listener.programme.status.phase { fault } else { nil }
  }
}
