/// How a device does, as the doctor found it.
public enum Verdict: String, CaseIterable, Hashable, Sendable {
  /// It does all that the board file asks for.
  case works
  /// A running mynah holds it: it is left alone, and the running one's state is reported.
  case inUse = "in use"
  /// It works, but not as well as it should.
  case limited
  /// The board has none; nothing is wrong.
  case absent
  /// It should be there and is not.
  case missing
  /// It is there and may not be opened.
  case denied
  /// A program other than mynah has it.
  case busy
  /// It was opened and does not do its work.
  case failed

  /// Whether something must be mended before the appliance is whole.
  public var isFailure: Bool {
    switch self {
    case .works, .inUse, .limited, .absent: false
    case .missing, .denied, .busy, .failed: true
    }
  }

  /// The verdict on a device that could not be opened.
  public init(_ kind: DeviceError.Kind) {
    switch kind {
    case .missing: self = .missing
    case .busy: self = .busy
    case .denied: self = .denied
    case .lost, .unsupported, .failed: self = .failed
    }
  }
}

/// One thing that is known of a device: a number, a word.
public enum Fact: Hashable, Sendable {
  case integer(Int)
  case number(Double)
  case text(String)
  case flag(Bool)
}

/// What the doctor found out about one device.
public struct DeviceFinding: Hashable, Sendable {
  /// Which device, by the board file's name for it: `microphone`, `buttons.REC`, `console.tty`. Programs rely on it.
  public var device: String
  /// Where it is: `hw:CARD=mynah`, `/dev/gpiochip0:17`; empty where that has no meaning.
  public var place: String
  public var verdict: Verdict
  /// What was found, in a few words without a full stop.
  public var detail: String
  /// What to do about it, as an imperative clause; empty if nothing is to be done.
  public var remedy: String
  /// What was measured and negotiated, by stable names; units are in the names (`periodFrames`, `syncP99Microseconds`).
  public var facts: [String: Fact]

  public init(
    _ device: String, place: String = "", _ verdict: Verdict, _ detail: String, remedy: String = "",
    facts: [String: Fact] = [:]
  ) {
    self.device = device
    self.place = place
    self.verdict = verdict
    self.detail = detail
    self.remedy = remedy
    self.facts = facts
  }

  /// What an error of the driver says.
  public init(_ device: String, place: String, _ error: DeviceError, facts: [String: Fact] = [:]) {
    let cause = error.code == 0 ? "" : " (errno \(error.code))"
    self.init(
      device, place: place, Verdict(error.kind), "cannot \(error.operation)\(cause)", remedy: error.hint, facts: facts)
  }
}

/// Finds out how one device, or a few of a kind, do.
///
/// Called on a worker thread or before there are threads; may block for some seconds. Leaves everything as it was.
public protocol Probe: Sendable {
  func examine() -> [DeviceFinding]
}
