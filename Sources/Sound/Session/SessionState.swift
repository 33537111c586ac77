public import Hardware

/// The formats of one sound device, told apart: what somebody wants, what the hardware runs at, what reaches who wanted it.
public struct SessionState: Hashable, Sendable, CustomStringConvertible {
  /// What was asked for last; `nil`: nobody has asked.
  public var requested: PCMFormat?
  /// What the device runs at; `nil` while it is closed.
  public var granted: SoundGrant?
  /// What who asked hears, or writes; `nil` while nobody uses the device.
  public var delivered: PCMFormat?
  /// Why the device does not run as the strategy has it; `nil`: it does.
  public var fallback: String?

  public init(
    requested: PCMFormat? = nil, granted: SoundGrant? = nil, delivered: PCMFormat? = nil, fallback: String? = nil
  ) {
    self.requested = requested
    self.granted = granted
    self.delivered = delivered
    self.fallback = fallback
  }

  /// Whether there is a filter between the device and who uses it.
  public var isConverted: Bool {
    guard let granted, let delivered else { return false }
    return granted.format.sampleRate != delivered.sampleRate || granted.format.channels != delivered.channels
  }

  /// Whether who asked gets another rate than was asked for.
  public var isOtherRate: Bool {
    guard let requested, let delivered else { return false }
    return requested.sampleRate != delivered.sampleRate
  }

  public var description: String {
    let words = [
      requested.map { "requested \(Self.text($0))" },
      granted.map { "granted \(Self.text($0.format)) \($0.sampleType)" },
      delivered.map { "delivered \(Self.text($0))\(isConverted ? ", converted" : "")" }, fallback,
    ].compactMap { $0 }
    return words.isEmpty ? "closed" : words.joined(separator: "; ")
  }

  private static func text(_ format: PCMFormat) -> String { "\(format.sampleRate) Hz x \(format.channels)" }
}

/// Opening a device by a strategy's rungs.
public enum SessionOpening {
  /// Tries each request in turn.
  ///
  /// - Parameter open: opens the device.
  /// - Returns: what was granted, and why it is not what the first rung is; `nil`: it is.
  /// - Throws: the first refusal, if all are refused. A device that is not there, in use or closed to us is asked once.
  public static func open(
    _ requests: [SoundRequest], _ open: (SoundRequest) throws(DeviceError) -> SoundGrant
  ) throws(DeviceError) -> (grant: SoundGrant, fallback: String?) {
    var refusal: DeviceError?
    for request in requests {
      do throws(DeviceError) {
        let grant = try open(request)
        return (grant, refusal.map { "\($0)" } ?? other(grant, than: request))
      } catch {
        guard error.kind == .unsupported || error.kind == .failed else { throw error }
        refusal = refusal ?? error
      }
    }
    throw refusal
      ?? DeviceError(.failed, device: "sound", operation: "open", hint: "nothing was asked of it; choose a strategy")
  }

  private static func other(_ grant: SoundGrant, than request: SoundRequest) -> String? {
    let (asked, got) = (request.format.sampleRate, grant.format.sampleRate)
    return asked == got ? nil : "the device runs at \(got) Hz, and not at \(asked)"
  }
}
