public import Hardware

/// Simulated microphones beside the board's own. Any thread.
public final class SimulatedSources: MicrophoneSources, Sendable {
  public let all: [SimulatedMicrophone]

  public init(_ all: [SimulatedMicrophone]) { self.all = all }

  public subscript(name: String) -> SimulatedMicrophone? { all.first { $0.name == name } }

  public func names() -> [String] { all.filter(\.isPlugged).map(\.name) }

  public func microphone(named name: String) -> (any Microphone)? {
    self[name].flatMap { $0.isPlugged ? $0 : nil }
  }
}
