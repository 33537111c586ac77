public import Hardware

/// Takes clips out of the pipe and makes their files. Storage lane only.
public final class ClipStorer {
  /// What the storer tells the control loop.
  public enum News: Sendable {
    /// The file exists, under its temporary name.
    case started(clip: Int, id: String)
    /// Complete, durable and visible (`onCaptureCompleted`).
    case saved(ClipReceipt)
    /// The storage takes no more; give this to `ClipRecorder.abandon`. The clip ends with what is on it.
    case refused(clip: Int, reason: String, text: String)
    /// Nothing came of the clip, or its file could not be completed (recovery will try at the next start).
    case failed(clip: Int, code: String, text: String)
    /// A snapshot is there.
    case picture(id: String)
  }

  public init(pipe: ClipPipe, shelf: any ClipShelf, clock: any DeviceClock, report: @escaping (News) -> Void) {}
  /// Whether a clip is being written.
  public var isBusy: Bool { false }
  /// Writes everything that is in the pipe.
  ///
  /// - Returns: when to try again, if the storage stalls.
  public func step() -> Instant? { nil }
}
