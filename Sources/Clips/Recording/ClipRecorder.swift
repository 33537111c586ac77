public import Dictaphone
public import Hardware

/// Makes clips of what the camera and the microphone have heard and seen already, and go on to.
///
/// Who calls what, on which lane:
/// - **camera lane**: `CameraInput.step`. Opens and reopens the camera while the recorder is armed, encodes raw
///   pictures, puts them into the ring (`PictureBuffer`). May block for as long as a camera takes to open.
/// - **media lane**: everything of `ClipRecorder`, next to the dictaphone's recorder, whose `CaptureInput` it shares
///   (both may step it). Plans cuts, encodes sound, sends samples down the `ClipPipe`.
/// - **storage lane**: `ClipStorer.step` writes, syncs and completes the files through a `ClipShelf`.
///
/// Made in this order: `PictureBuffer`, `CameraInput`, `ClipPipe`, `ClipRecorder`, `ClipStorer`. The runtime wakes the
/// storage lane when `pipe.queuedBytes` has grown, as with takes, and gives `ClipStorer.News.refused` back by `abandon`.
public final class ClipRecorder {
  /// What the recorder tells the control loop.
  public enum News: Sendable {
    /// The ring holds the whole window now (`onBufferReady`); once for every arming and every change of the window.
    case bufferReady(RingStatus)
    /// What became of a trigger. `started` is `onCaptureStarted`.
    case triggered(Trigger, TriggerOutcome)
    /// The clip's media is whole and in the pipe; what is left is the storage's.
    case saving(clip: Int)
    case failed(code: String, text: String)
  }

  /// For screens and status calls.
  public struct Status: Hashable, Sendable {
    public var isArmed = false
    public var ring = RingStatus()
    /// Clips whose range is still open.
    public var capturing = 0
    /// Seconds until the last open clip's end; 0 if there is none.
    public var remainingSeconds = 0.0
    public var isContinuous = false
    public var framesPerSecond = 0.0
    public var droppedPictures = 0

    public init() {}
  }

  public private(set) var status = Status()

  /// - Parameters:
  ///   - buffer: as given to `CameraInput`.
  ///   - sound: the microphone; the recorder steps it, too.
  ///   - clock: for wall times, and for what is ordered from outside of `step`.
  public init(
    buffer: PictureBuffer, sound: CaptureInput, pipe: ClipPipe, clock: any DeviceClock, settings: ClipSettings,
    report: @escaping (News) -> Void
  ) {}

  /// Changes the settings. A longer or shorter window keeps what fits.
  public func configure(_ settings: ClipSettings) {}
  /// Lets the camera run and fills the ring.
  public func arm() {}
  /// Ends open clips where they are, closes the camera, gives the ring's memory back.
  public func disarm() {}
  /// Makes a clip around `instant`.
  public func trigger(at instant: Instant, cause: Trigger.Cause) {}
  /// Ends every open clip, and continuous recording, at `instant` instead of after the post-roll.
  public func endPostRoll(at instant: Instant) {}
  /// Records without end from `instant` minus the pre-roll on, in clips of `longestSeconds` that join without a seam.
  public func startContinuous(at instant: Instant) {}
  /// Keeps the picture of `instant` as a JPEG.
  public func snapshot(at instant: Instant) {}
  /// The storage takes no more of this clip.
  public func abandon(clip: Int, reason: String) {}
  /// Telemetry of now: what the recorder knows of it.
  public func telemetry(now: Instant) -> Telemetry { Telemetry(time: now) }
  /// - Returns: when to be called again at the latest.
  public func step(now: Instant) -> Instant? { nil }
}
