public import Hardware

/// How clips are made. Everything but `camera` and `ringBytes` applies from the next trigger on.
public struct ClipSettings: Hashable, Sendable {
  /// What becomes of triggers whose ranges overlap.
  public enum Overlap: String, Hashable, Sendable, CaseIterable {
    /// What happened is in the clips once: a trigger inside an open clip makes it longer; the clip of a trigger that
    /// comes after the end, and whose pre-roll reaches into the one before, begins where that one ended.
    case merge
    /// A trigger inside an open clip makes it longer; every other one has its whole pre-roll, seen before or not.
    case extend
    /// Every trigger has a clip of its own, with its whole range.
    case independent
  }

  /// Where the ring is kept.
  public enum RingStore: String, Hashable, Sendable, CaseIterable {
    /// In memory: a power cut takes what nobody has triggered.
    case memory
    /// In memory, and a copy of it on the storage: what was seen until half a second before a power cut is saved.
    case disk
  }

  /// Seconds from before the trigger that are in the clip, and that the ring holds: 1…60.
  public var preRollSeconds: Int
  /// Seconds after the trigger: 0…600.
  public var postRollSeconds: Int
  public var overlap: Overlap
  /// Where the last seconds are.
  public var ringStore: RingStore
  /// A trigger of the same cause that comes sooner after the last one than this is one with it.
  public var debounce: Duration
  /// A clip that would become longer is split there, without a seam: 10…3600 s.
  public var longestSeconds: Int
  /// kbit/s of the AAC sound, 64…320.
  public var soundBitrateKbps: Int
  /// What is asked of the camera.
  public var camera: CameraRequest
  /// Memory for the pictures of the last seconds, from the budget.
  public var ringBytes: Int
  /// What it may grow to for a camera that sends more.
  public var largestRingBytes: Int
  /// Sound above this level (dBFS, peak of 50 ms) is a trigger; `nil`: it is not.
  public var soundTriggerDBFS: Double?
  /// A picture this many times as busy as usual (see `MotionTrigger`) is a trigger; `nil`: it is not.
  public var motionTriggerRatio: Double?

  public init(
    preRollSeconds: Int = 5, postRollSeconds: Int = 5, overlap: Overlap = .merge,
    ringStore: RingStore = .memory,
    debounce: Duration = .milliseconds(50), longestSeconds: Int = 600, soundBitrateKbps: Int = 192,
    camera: CameraRequest = CameraRequest(
      codecs: [.h264, .mjpeg, .nv12, .yuyv], width: 1280, height: 720, framesPerSecond: 30, bitrate: 4_000_000,
      keyframeInterval: 15),
    ringBytes: Int = 6 << 20, largestRingBytes: Int = 0, soundTriggerDBFS: Double? = nil,
    motionTriggerRatio: Double? = nil
  ) {
    self.preRollSeconds = preRollSeconds
    self.postRollSeconds = postRollSeconds
    self.overlap = overlap
    self.ringStore = ringStore
    self.debounce = debounce
    self.longestSeconds = longestSeconds
    self.soundBitrateKbps = soundBitrateKbps
    self.camera = camera
    self.ringBytes = ringBytes
    self.largestRingBytes = max(ringBytes, largestRingBytes)
    self.soundTriggerDBFS = soundTriggerDBFS
    self.motionTriggerRatio = motionTriggerRatio
  }
}

extension ClipSettings {
  var rules: CutPlanner.Rules {
    CutPlanner.Rules(
      preRoll: .seconds(preRollSeconds), postRoll: .seconds(postRollSeconds), overlap: overlap, debounce: debounce,
      longest: .seconds(longestSeconds))
  }
}
