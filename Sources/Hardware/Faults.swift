/// What a simulated board says of its strain from now on.
public enum BoardFault: Hashable, Sendable {
  /// Degrees Celsius.
  case heat(Int)
  case cool
  case throttle(Bool)
  /// Percent of a discharging battery; `nil`: on the mains.
  case battery(Int?)
  /// Percent of the last ten seconds.
  case cpuPressure(Int)
  case memoryPressure(Int)
  case ioPressure(Int)
  case noPressure
}

/// Faults that can be asked of a simulated or rigged device. Real drivers have none.
public enum Fault: Hashable, Sendable {
  case microphoneUnplug
  case microphoneReplug
  /// The microphone loses this much sound.
  case microphoneOverrun(Duration)
  /// The microphone delivers nothing for this long, then everything.
  case microphoneStall(Duration)
  /// One of the other microphones, by name.
  case sourceUnplug(String)
  case sourceReplug(String)
  case storageFull
  case storageOK
  /// So many MiB are free, and no more than that can be written.
  case storageFree(megabytes: Int)
  /// The storage does not answer for this long.
  case storageStall(Duration)
  /// Of every two seconds it does not answer for this long; zero: it answers always.
  case storageSlow(Duration)
  /// A stick is put in, with what is on it.
  case stickIn
  case stickOut
  /// It is pulled out as soon as so many more bytes have been written to it.
  case stickOutAfter(bytes: Int)
  case stickFull
  /// Its switch forbids writing.
  case stickReadOnly
  /// It takes files again.
  case stickOK
  case displayUnplug
  case displayReplug
  /// The screen for pictures.
  case screenUnplug
  case screenReplug
  case speakerUnplug
  case speakerReplug
  /// The speaker's crystal is off by this many parts in a million from now on; above zero it runs fast.
  case speakerDrift(Int)
  case cameraUnplug
  case cameraReplug
  /// The camera takes no pictures for this long; after a second of it, it is lost.
  case cameraStall(Duration)
  /// The camera's next picture is broken.
  case cameraGarbage
  /// The link to the network is cut.
  case networkDown
  case networkUp
  /// What is asked of the network from now on comes this much later.
  case networkLatency(Duration)
  /// Bits per second that the network has from now on; `nil`: no limit.
  case networkBandwidth(Int?)
  case board(BoardFault)
  /// The wall clock jumps by this much.
  case clockJump(Duration)
  /// Power goes at once: what was not synced is gone.
  case powerCut
}

/// Takes faults, where the hardware can have them on demand.
public protocol FaultInjector: AnyObject, Sendable {
  /// Makes the fault happen at `now`. Any thread.
  func inject(_ fault: Fault, at now: Instant) throws(DeviceError)
}
