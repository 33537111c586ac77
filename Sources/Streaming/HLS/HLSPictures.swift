internal import Hardware
internal import Media

/// Pictures that have a playlist of their own, beside the sound that leads. One thread: that of the programme.
final class HLSPictures {
  let track: HLSTrack
  private let decoder: StreamDecoder
  private let epochs: EpochMap
  private(set) var queue: PictureQueue
  private var discontinuity: Int?
  private var hasSegment = false
  /// Epochs before this one are over: where a seek goes, one begins when its sound is there.
  private var least = 0
  /// Decoded, and ahead of the sound.
  private var waiting: StreamPicture?
  private(set) var problem: String?

  /// How far ahead of the sound pictures are handed out.
  private static let lead = 2 * 48_000

  /// - Parameter bytes: of pictures that may wait, as for `HLSSound`.
  init(track: HLSTrack, epochs: EpochMap, bytes: Int) throws(MediaError) {
    queue = PictureQueue(mostBytes: bytes)
    self.track = track
    self.epochs = epochs
    decoder = try StreamDecoder(pictures: true)
  }

  var heldBytes: Int { track.heldBytes + decoder.heldBytes + queue.bytes }

  func next() -> ProgrammePicture? { queue.next() }

  /// - Parameter frame: how far the sound is decoded.
  func step(now: Instant, segments: Int, frame: Int) -> Instant? {
    let wake = track.step(now: now, room: segments - (hasSegment ? 1 : 0))
    for _ in 0..<256 {
      if let picture = waiting {
        waiting = nil
        if !place(picture, before: frame + Self.lead) { break }
      } else if hasSegment {
        do throws(MediaError) {
          switch try decoder.next() {
          case .picture(let picture): waiting = picture
          case nil: hasSegment = false
          default: break
          }
        } catch {
          hasSegment = false
          problem = "\(error)"
        }
      } else if let next = track.take() {
        open(next)
      } else {
        break
      }
    }
    return waiting == nil && !hasSegment ? wake : min(wake ?? .distantFuture, now + .milliseconds(100))
  }

  func restart(at frame: Int, time: Duration) {
    decoder.reset()
    queue.removeAll()
    hasSegment = false
    waiting = nil
    least = (epochs.last?.number ?? -1) + 1
    track.seek(to: time)
  }

  private func open(_ next: LoadedSegment) {
    discontinuity = next.segment.discontinuity
    guard case .bytes(let bytes, let initialization) = next.content else { return }
    do throws(MediaError) {
      try decoder.begin(
        bytes, initialization: initialization, name: HLSTrack.name(next.segment.url),
        place: next.segment.range?.lowerBound)
      hasSegment = true
    } catch {
      problem = "\(error)"
    }
  }

  /// - Returns: false if it must wait.
  private func place(_ picture: StreamPicture, before limit: Int) -> Bool {
    switch epochs.find(picture.time, discontinuity: discontinuity ?? 0, from: max(least, epochs.last?.number ?? 0)) {
    case .never: return true
    case .at(let epoch, let frame) where frame < limit:
      let next = ProgrammePicture(
        epoch: epoch.number, start: frame, bytes: picture.bytes, isKeyframe: picture.isKeyframe)
      guard queue.isEmpty || queue.hasRoom(next) else {
        waiting = picture
        return false
      }
      queue.append(next)
      return true
    default:
      waiting = picture
      return false
    }
  }
}
