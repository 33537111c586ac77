internal import Appliance
internal import Board
internal import Clips
internal import Hardware

/// What each rung takes away, and gives back. Control lane only.
final class GovernorDeeds {
  private let clips: ClipContext?
  private let buffer: PictureBuffer?
  private let dub: DubContext?
  private let storage: StorageWorker
  private let media: MediaWorker
  /// It holds who holds this.
  private unowned let loop: ControlLoop
  /// The rung that may touch what is being recorded.
  private let last: GovernorRung?
  /// What the camera is to do, and does.
  private var wanted = PictureEconomy()
  private var done = PictureEconomy()

  /// Below this rate there is nothing to be saved on the display's bus, and seconds still move.
  static let displayRate = 5

  init(_ parts: GovernorParts, last: GovernorRung?) {
    (clips, buffer) = (parts.clips?.context, parts.clips?.buffer)
    (dub, storage, media) = (parts.dub, parts.storage, parts.media)
    loop = parts.loop
    self.last = last
  }

  /// Whether a board has what a rung takes away.
  static func isPossible(_ rung: GovernorRung, _ board: BoardDescription, _ parts: GovernorParts) -> Bool {
    // What a command writes is encoded already.
    let codecs = parts.clips == nil || board.camera.driver == .command ? [] : board.camera.codecs
    return switch rung {
    case .display: parts.hasDisplay && board.display.refreshHz > displayRate
    case .preview: parts.hasDisplay && (parts.clips != nil || parts.dub?.pictures != nil)
    case .dubbing: parts.dub != nil
    case .waveform: true
    case .ring: (parts.clips?.context.largestSeconds ?? 0) > 1
    case .bitrate: codecs.contains { $0.isRaw }
    case .framerate: codecs.contains { $0 != .h264 }
    }
  }

  func perform(_ rung: GovernorRung, isSpared: Bool) {
    switch rung {
    case .display: loop.spareDisplay(isSpared)
    case .preview:
      clips?.hasPreview = !isSpared
      dub?.hasPreview = !isSpared
      dub?.showPictures(loop.state.settings)
    case .dubbing: dub?.worker.lowerPower(isSpared)
    case .waveform:
      storage.slowDown(isSpared)
      media.post(.holdOverview(isSpared))
    case .ring:
      clips?.hasShortRing = isSpared
      // An open clip goes on with the ring that it began with.
      loop.renewClips()
    case .bitrate: wanted.hasHalfTheBits = isSpared
    case .framerate: wanted.hasHalfThePictures = isSpared
    }
    settle()
  }

  /// The camera follows when no clip is open, unless what it is to give up is the last that there is.
  func settle() {
    guard wanted != done else { return }
    var next = loop.state.clips.isBusy ? done : wanted
    if last == .bitrate { next.hasHalfTheBits = wanted.hasHalfTheBits }
    if last == .framerate { next.hasHalfThePictures = wanted.hasHalfThePictures }
    guard next != done else { return }
    done = next
    buffer?.economise(next)
  }
}

/// What the governor can take something from.
struct GovernorParts {
  let clips: ClipParts?
  let dub: DubContext?
  let storage: StorageWorker
  let media: MediaWorker
  let loop: ControlLoop
  let hasDisplay: Bool
}
