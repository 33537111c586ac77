internal import Appliance
internal import Hardware

/// The screens of clip mode.
extension SampleScreens {
  static var clips: [SampleScreen] {
    [
      SampleScreen("clips-ready", clipState(), clipReadings()),
      SampleScreen(
        "clips-filling", clipState { $0.clips.isReady = false },
        clipReadings {
          $0.clips.heldSeconds = 1.9
          $0.clips.lostFrames = 3
        }),
      SampleScreen(
        "clips-opening",
        clipState {
          $0.clips.isReady = false
          $0.health.hasCamera = false
          $0.health.isCameraOpening = true
        },
        clipReadings {
          $0.clips.preview = nil
          $0.clips.heldSeconds = 0
          $0.clips.framesPerSecond = 0
        }),
      SampleScreen("clips-silent", clipState { $0.health.hasMicrophone = false }, clipReadings()),
      SampleScreen("clips-no-camera", clipState { $0.health.hasCamera = false }, clipReadings()),
      SampleScreen("clips-no-card", clipState { $0.health.isStorageMissing = true }, clipReadings()),
      SampleScreen("clips-card-full", clipState { $0.health.isStorageFull = true }, clipReadings()),
      SampleScreen("clips-capturing", clipState { $0.clips.captures = Captures(open: [running]) }, clipReadings()),
      SampleScreen(
        "clips-capturing-again",
        clipState {
          $0.clips.captures = Captures(open: [saved, running])
          $0.health.isStorageLow = true
          $0.isLocked = true
        }, clipReadings { $0.clips.triggers = 3 }),
      SampleScreen(
        "clips-saving", clipState { $0.clips.captures = Captures(open: [saved]) }, clipReadings(),
        now: Instant(nanoseconds: 400_000_000)),
      SampleScreen(
        "clips-playing",
        clipState {
          $0.clips.playback = Playback(.playing, of: $0.clips.last)
        },
        playing {
          $0.positionSeconds = 4.4
          $0.durationSeconds = 9.5
          $0.waveform = []
          $0.markCount = 0
          $0.markSeconds = []
          $0.fileName = "Clip 12"
        }),
      SampleScreen("clips-list", clipState { $0.screen = .files }, clipReadings()),
      SampleScreen(
        "clips-delete",
        clipState {
          $0.screen = .files
          $0.clips.files = clipFiles(isConfirmingDelete: true)
        }, clipReadings()),
      SampleScreen(
        "clips-empty",
        clipState {
          $0.screen = .files
          $0.clips.files = FileList(of: .clips)
        }, clipReadings()),
      SampleScreen("clips-receipt", clipState { $0.screen = .receipt }, clipReadings()),
      SampleScreen("clips-extreme", clipState { $0.clips.captures = Captures(open: [running]) }, extremeClip),
    ]
  }

  private static var running: OpenClip { OpenClip(number: 13, ends: Instant(nanoseconds: 3_400_000_000)) }

  private static var saved: OpenClip { OpenClip(number: 12, ends: .zero, isSaving: true) }

  static func clipState(_ change: (inout State) -> Void = { _ in }) -> State {
    state {
      $0.mode = .clips
      $0.health.hasCamera = true
      $0.dictaphone = DictaphoneState()
      $0.clips = ClipsState(
        isAvailable: true, isReady: true, hasPictures: true, files: clipFiles(), last: clip(12, seconds: 9))
      change(&$0)
    }
  }

  private static func clipFiles(isConfirmingDelete: Bool = false) -> FileList {
    var clips = (0..<12).map { clip(12 - $0, seconds: [9, 5, 64][$0 % 3]) }
    clips[1].isProtected = true
    return FileList(of: .clips, count: 12, selected: 1, window: clips, isConfirmingDelete: isConfirmingDelete)
  }

  private static func clip(_ number: Int, seconds: Int) -> TakeReference {
    TakeReference(
      id: "0000\(number).mp4", displayName: "Clip \(number)", frames: seconds * 48_000, sampleRate: 48_000)
  }

  static func clipReadings(_ change: (inout Readings) -> Void = { _ in }) -> Readings {
    readings {
      $0.clips.formatText = "720p30 H.264"
      $0.clips.heldSeconds = 5
      $0.clips.windowSeconds = 5
      $0.clips.framesPerSecond = 29.97
      $0.clips.secondsToGo = 3.4
      $0.clips.postRollSeconds = 5
      $0.clips.clipSeconds = 6.6
      $0.clips.preview = landscape
      $0.clips.cards = Dictionary(
        uniqueKeysWithValues: (1...12).map {
          (
            "0000\($0).mp4",
            ClipCard(
              made: WallTime(seconds: 1_795_253_400 + 60 * $0), thumbnail: $0 % 2 == 1 ? landscape : portrait)
          )
        })
      $0.clips.receipt = [
        MenuRow("Length", "9.533 s, 4.78 MB"), MenuRow("Camera", "1280x720 H.264"),
        MenuRow("Pictures", "286, none lost"), MenuRow("Gaps", "2, 1.4 s"), MenuRow("Sound", "48 kHz, 0.4 ms"),
        MenuRow("Safe after", "38 ms"),
      ]
      $0.timeLeftSeconds = 5_040
      change(&$0)
    }
  }

  private static var extremeClip: Readings {
    clipReadings {
      $0.clips.formatText = "3840x2160 120 fps MJPEG"
      $0.clips.secondsToGo = 999
      $0.clips.clipSeconds = 359_999
      $0.clips.framesPerSecond = 999.94
      $0.clips.lostFrames = 1_000_000
      $0.clips.triggers = 1000
      $0.clips.heldSeconds = 60
      $0.clips.windowSeconds = 60
    }
  }

  /// A hill, a bright sky, a sun: something that dithering is seen on.
  private static let landscape = picture { x, y in
    let sun = (x - 110) * (x - 110) + (y - 22) * (y - 22)
    if sun < 200 { return 255 }
    let hill = 62 - (x - 50) * (x - 50) / 90
    return y > max(hill, 56 - x / 8) ? 30 + (x * 7 + y * 3) % 60 : 150 + y
  }

  /// Somebody's head and shoulders before a wall.
  private static let portrait = picture { x, y in
    let head = (x - 80) * (x - 80) * 2 + (y - 34) * (y - 34)
    let body = (x - 80) * (x - 80) + (y - 100) * (y - 100)
    if head < 420 { return 210 - y }
    return body < 2300 ? 60 : 120 + x / 3
  }

  private static func picture(_ shade: (Int, Int) -> Int) -> GreyPicture? {
    var luma: [UInt8] = []
    for y in 0..<90 {
      for x in 0..<160 { luma.append(UInt8(clamping: shade(x, y))) }
    }
    return GreyPicture(width: 160, height: 90, luma: luma)
  }
}
