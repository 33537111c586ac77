internal import Hardware

/// The shape of an open stream, as read back from the device. Plain values, for the real-time threads.
struct StreamShape: Hashable, Sendable {
  var sampleType: SampleType
  /// Frames a second.
  var rate: Int
  /// Channels of a frame at the device.
  var deviceChannels: Int
  /// Channels of a frame in the rings: the first one or two of the device's.
  var channels: Int
  var periodFrames: Int
  var bufferFrames: Int

  /// Bytes a frame at the device.
  var frameBytes: Int {
    @_noLocks @_noAllocation get { sampleType.bytes * deviceChannels }
  }

  /// How long to wait for a period before looking at the stop flag, in ms: a period and a little, 10…100.
  var waitMilliseconds: Int32 {
    @_noLocks @_noAllocation
    get { Int32(truncatingIfNeeded: min(100, max(10, 1000 * periodFrames / rate + 5))) }
  }

  /// How long to sleep when a device said that it is ready and was not: a quarter of a period, in ns.
  var nap: Int64 {
    @_noLocks @_noAllocation
    get { max(500_000, Rhythm.duration(ofFrames: periodFrames, rate: rate) / 4) }
  }
}
