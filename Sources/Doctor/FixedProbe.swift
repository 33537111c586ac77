public import Hardware

/// Finds what it was told: for devices that need no look, because the board has none or they are only software.
public struct FixedProbe: Probe {
  private let findings: [DeviceFinding]

  public init(_ findings: [DeviceFinding]) { self.findings = findings }

  /// A device that the board file does not name.
  public static func absent(_ device: String) -> FixedProbe {
    FixedProbe([DeviceFinding(device, .absent, "the board file names none")])
  }

  /// A device of the simulator's.
  public static func simulated(_ device: String) -> FixedProbe {
    FixedProbe([DeviceFinding(device, .works, "simulated")])
  }

  public func examine() -> [DeviceFinding] { findings }
}
