/// A player's ring as a device is to hear it that runs at another rate, or with other channels: rendered, and converted.
///
/// `render` and `setDeviceDelay` are the reading thread's; the rest is settled when it is made. The ring must outlive it.
public struct RenderGuest: ~Copyable, @unchecked Sendable {
  private let ring: UnsafeMutablePointer<RenderRing>
  private let channels: Int
  private let deviceChannels: Int
  private let rate: Int
  private let deviceRate: Int
  /// `nil`: the rates are the same.
  private let filter: UnsafeMutablePointer<RateFilter>?
  /// Frames that are rendered, and frames that are made, at a time.
  private let scratch: UnsafeMutablePointer<Float>
  private static var blockFrames: Int { 256 }
  private static var scratchFrames: Int { 8192 }

  /// `nil`: there is no filter between the rates.
  ///
  /// - Parameters:
  ///   - ring: the player's.
  ///   - format: what the player writes.
  ///   - device: what the device runs at.
  public init?(_ ring: UnsafeMutablePointer<RenderRing>, format: PCMFormat, device: PCMFormat) {
    self.ring = ring
    (channels, rate) = (format.channels, format.sampleRate)
    (deviceChannels, deviceRate) = (device.channels, device.sampleRate)
    if rate != deviceRate {
      guard
        let made = RateFilter(from: rate, to: deviceRate, channels: channels, frames: Self.scratchFrames)
      else { return nil }
      filter = .allocate(capacity: 1)
      filter?.initialize(to: made)
    } else {
      filter = nil
    }
    scratch = .allocate(capacity: 2 * Self.scratchFrames)
    scratch.initialize(repeating: 0, count: 2 * Self.scratchFrames)
  }

  deinit {
    filter?.deinitialize(count: 1)
    filter?.deallocate()
    scratch.deallocate()
  }

  /// Fills `target` with the player's sound in the device's format. Reading thread only.
  @_noLocks @_noAllocation
  mutating func render(into target: UnsafeMutablePointer<Float>, frames: Int) {
    var done = 0
    while done < frames {
      let count = min(Self.blockFrames, frames - done)
      fill(count)
      spread(target + done * deviceChannels, count)
      done += count
    }
  }

  /// Makes `count` frames at the device's rate, in the player's channels, in `scratch`.
  @_noLocks @_noAllocation
  private mutating func fill(_ count: Int) {
    guard let filter else {
      ring.pointee.render(into: scratch, frames: count)
      return
    }
    var rest = filter.pointee.missing(for: count)
    while rest > 0 {
      let some = min(rest, Self.scratchFrames)
      ring.pointee.render(into: scratch, frames: some)
      filter.pointee.write(scratch, frames: some)
      rest -= some
    }
    _ = filter.pointee.read(into: scratch, frames: count)
  }

  @_noLocks @_noAllocation
  private func spread(_ target: UnsafeMutablePointer<Float>, _ count: Int) {
    for frame in 0..<count {
      switch (channels, deviceChannels) {
      case (2, 1): target[frame] = (scratch[2 * frame] + scratch[2 * frame + 1]) / 2
      case (1, 2):
        target[2 * frame] = scratch[frame]
        target[2 * frame + 1] = scratch[frame]
      default:
        for channel in 0..<channels { target[frame * channels + channel] = scratch[frame * channels + channel] }
      }
    }
  }

  /// The device's delay, in the player's frames, with what the filter holds. Reading thread only.
  @_noLocks @_noAllocation
  func setDeviceDelay(frames: Int) { ring.pointee.setDeviceDelay(frames: delay(frames)) }

  @_noLocks @_noAllocation
  func setDeviceDelay(frames: Int, at nanoseconds: Int64) {
    ring.pointee.setDeviceDelay(frames: delay(frames), at: nanoseconds)
  }

  private var held: Int {
    @_noLocks @_noAllocation get {
      guard let filter else { return 0 }
      return filter.pointee.wholeHeld
    }
  }

  @_noLocks @_noAllocation
  private func delay(_ frames: Int) -> Int { frames * rate / deviceRate + held }
}
