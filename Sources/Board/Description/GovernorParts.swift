/// What gives way when the board is under strain. The raw value is the name in board files, events and receipts.
public enum GovernorRung: String, CaseIterable, Hashable, Sendable {
  /// The display shows fewer pictures a second.
  case display
  /// The display shows no small pictures of camera and dubs.
  case preview
  /// A dub plays the lowest rendition of its stream.
  case dubbing
  /// What the storage lane does unasked goes at a slow pace, and the player draws no overview of a take.
  case waveform
  /// The ring keeps half the seconds from before a trigger.
  case ring
  /// What is encoded here of a camera has half the bits.
  case bitrate
  /// Every other picture of a camera whose pictures stand alone is left out.
  case framerate
}

/// What strain is seen by. The raw value is the name in events and receipts.
public enum GovernorReading: String, CaseIterable, Hashable, Sendable {
  /// Resident memory, percent of what the board grants.
  case memory
  /// Processor time of the process, percent of what the board grants.
  case cpu
  /// The busiest lane that records, percent of a core.
  case thread
  /// Time for which somebody on the board waited for processor, memory or storage, percent of the last ten seconds.
  case cpuPressure = "cpu-pressure"
  case memoryPressure = "memory-pressure"
  case ioPressure = "io-pressure"
  /// Degrees Celsius.
  case temperature
  /// 1 while the firmware of the board throttles it, or its supply is too low.
  case throttled
  /// The longest that the storage lane waited for the medium, milliseconds.
  case storage
  /// A discharging battery's charge, percent: the less, the worse.
  case battery

  /// Whether a low value is the bad one.
  public var isFloor: Bool { self == .battery }

  /// The key of its limit in the table `governor` of a board file; `nil` for what has none.
  public var key: String? {
    switch self {
    case .memory: "memory_percent"
    case .cpu: "cpu_percent"
    case .thread: "thread_percent"
    case .cpuPressure: "cpu_pressure_percent"
    case .memoryPressure: "memory_pressure_percent"
    case .ioPressure: "io_pressure_percent"
    case .temperature: "temperature_c"
    case .throttled: nil
    case .storage: "storage_ms"
    case .battery: "battery_percent"
    }
  }
}

/// The ladder that the governor walks, and when.
public struct GovernorDescription: Hashable, Sendable {
  /// In the order in which they give way.
  public var rungs: [GovernorRung]
  /// From one look to the next.
  public var sampleSeconds: Int
  /// Strain lasts so long before a rung gives way.
  public var fallSeconds: Int
  /// Calm lasts so long before a rung comes back; longer after each fall.
  public var calmSeconds: Int
  /// In the order of `GovernorReading.allCases`; 0: not looked at.
  private var limits: [Int]

  /// - Parameter limit: of a reading that has one to be set.
  public init(
    rungs: [GovernorRung], sampleSeconds: Int, fallSeconds: Int, calmSeconds: Int, limit: (GovernorReading) -> Int
  ) {
    self.rungs = rungs
    self.sampleSeconds = sampleSeconds
    self.fallSeconds = fallSeconds
    self.calmSeconds = calmSeconds
    limits = GovernorReading.allCases.map { $0.key == nil ? 1 : limit($0) }
  }

  /// The limit of a reading; 0: it is not looked at.
  public subscript(reading: GovernorReading) -> Int {
    get { limits[reading.place] }
    set { limits[reading.place] = newValue }
  }
}

extension GovernorReading {
  fileprivate var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
