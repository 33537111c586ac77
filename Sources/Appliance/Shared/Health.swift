/// The parts of the device that can be absent, as far as the machine and the panel care: plain facts.
public struct Health: Hashable, Sendable {
  public var hasMicrophone = false
  /// The device has just started, and nobody has said yet whether the microphone opens.
  public var isMicrophoneOpening = false
  public var hasCamera = false
  /// The camera is being opened, and nobody has said yet whether that works.
  public var isCameraOpening = false
  public var hasSpeaker = false
  public var hasDisplay = false
  /// Other machines can be reached at all.
  public var hasNetwork = false
  public var isStorageLow = false
  public var isStorageFull = false
  /// The data directory is not in its place, as who looks at it once a second has told. A write that fails does not
  /// make it so: nobody would say when it is over.
  public var isStorageMissing = false
  /// What the storage takes no files of, whatever room there is.
  public var refused = StorageRefusal()

  public init() {}

  mutating func note(_ device: Device, isThere: Bool) {
    switch device {
    case .microphone:
      hasMicrophone = isThere
      isMicrophoneOpening = false
    case .camera:
      hasCamera = isThere
      isCameraOpening = false
    case .speaker: hasSpeaker = isThere
    case .display: hasDisplay = isThere
    case .network: hasNetwork = isThere
    case .storage: isStorageMissing = !isThere
    case .buttons, .lamps, .console: break
    }
  }

  /// How full the storage is.
  var storageLevel: StorageLevel {
    get { isStorageFull ? .full : isStorageLow ? .low : .ample }
    set {
      isStorageFull = newValue == .full
      isStorageLow = newValue != .ample
    }
  }

  /// Why a take cannot begin now; `nil` if it can. Right after the start REC is taken at its word: the recorder opens
  /// the microphone first, or says why it cannot.
  var refusalToRecord: IgnoredReason? {
    if !hasMicrophone && !isMicrophoneOpening { return .deviceMissing(.microphone) }
    return refusalToStore()
  }

  /// Why nothing can be kept; `nil` if something can.
  ///
  /// - Parameter mode: whose files; every mode but that of the clips keeps takes.
  func refusalToStore(in mode: Mode = .dictaphone) -> IgnoredReason? {
    switch storageTrouble(in: mode) {
    case .missing: .deviceMissing(.storage)
    case .refusing: .storageRefuses
    case .full: .storageFull
    case nil: nil
    }
  }

  /// What is wrong with the storage for the files of a mode.
  public func storageTrouble(in mode: Mode) -> StorageTrouble? {
    if isStorageMissing { return .missing }
    if mode == .clips ? refused.clips : refused.takes { return .refusing }
    return isStorageFull ? .full : nil
  }
}

/// What is wrong with the storage.
public enum StorageTrouble: Hashable, Sendable {
  case missing
  /// It takes no files.
  case refusing
  case full

  public var phrase: Phrase {
    switch self {
    case .missing: .storageMissing
    case .refusing: .storageRefuses
    case .full: .storageFull
    }
  }

  public func advice(in mode: Mode) -> Phrase {
    switch self {
    case .missing: .storageMissingAdvice
    case .refusing: .storageRefusesAdvice
    case .full: mode == .clips ? .storageFullClipAdvice : .storageFullAdvice
    }
  }
}
