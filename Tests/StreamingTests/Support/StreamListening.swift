@testable import Streaming

/// Suites that play streams of a network that is none, and look at what is heard.
protocol StreamListening {
  /// Seconds that are listened for where a test says nothing else.
  var patience: Double { get }
}

extension StreamListening {
  var patience: Double { 60 }

  func play(_ url: String, _ network: FakeNetwork, seconds: Double? = nil) -> Listener {
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + url, network: network) {}, network)
    listener.run(seconds ?? patience)
    return listener
  }

  func loudness(_ listener: Listener) -> Float {
    let samples = listener.samples
    return (samples.reduce(0) { $0 + $1 * $1 } / Float(max(1, samples.count))).squareRoot()
  }

  func fault(_ listener: Listener) -> StreamFault? {
    if case .failed(let fault) = listener.programme.status.phase { fault } else { nil }
  }

  /// Whether so many seconds of sound are heard, loud and without a hole.
  func isHeard(_ listener: Listener, seconds: Double) -> Bool {
    abs(Double(listener.frames) / 48_000 - seconds) < 0.3 && loudness(listener) > 0.2 && listener.holes.isEmpty
  }
}
