/// What went wrong with a codec or a sound file: what was being done, to what, why, and what to do about it.
public struct MediaError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: String, Hashable, Sendable {
    /// There is no such file.
    case notFound
    /// The file may not be opened.
    case denied
    /// The bytes are not what they claim to be.
    case damaged
    /// Sound, but of a kind that is not supported: codec, rate, channel count, bit rate.
    case unsupported
    /// The codec library failed otherwise, or memory ran out.
    case failed
  }

  public var kind: Kind
  /// The file's path or the codec's name.
  public var subject: String
  /// What was being done: `open`, `decode`, `encode`.
  public var operation: String
  /// The reason, and what to do about it.
  public var reason: String

  public init(_ kind: Kind, subject: String, operation: String, reason: String) {
    self.kind = kind
    self.subject = subject
    self.operation = operation
    self.reason = reason
  }

  public var description: String { "\(subject): cannot \(operation) (\(kind)): \(reason)" }

  /// Of what a file says that it has, the end cannot be read; `nil` where it can, or where the file says nothing.
  ///
  /// - Parameters:
  ///   - what: `sound` or `pictures`.
  ///   - frame: the first that is missing.
  ///   - claimed: as many as the file says.
  ///   - slack: seconds that may be missing: lengths in files are rounded, and some count what is before the first
  ///     audible frame.
  public static func breaksOff(
    _ subject: String, _ what: String, at frame: Int, of claimed: Int?, slack: Double = 0.5, sampleRate: Int
  ) -> MediaError? {
    guard let claimed, Double(claimed - frame) > slack * Double(sampleRate) else { return nil }
    let seconds = { (frames: Int) in
      let tenths = frames / max(1, sampleRate / 10)
      return "\(tenths / 10).\(tenths % 10) s"
    }
    return MediaError(
      .damaged, subject: subject, operation: "read",
      // Short, for a small display shows it whole.
      reason: "no \(what) from \(seconds(frame)) on, of \(seconds(claimed)); copy it anew")
  }
}
