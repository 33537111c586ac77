import Hardware

@testable import Streaming

/// Steps a programme in virtual time and takes its sound, at once or as a speaker would.
final class Listener {
  let programme: any Programme
  let network: FakeNetwork
  /// Takes sound no faster than it is played, as in front of a speaker.
  var isPaced = false
  private(set) var blocks: [SoundBlock] = []
  private(set) var cues: [SubtitleCue] = []
  private(set) var pictures: [ProgrammePicture] = []
  /// Most that one step brought.
  private(set) var mostPictures = 0
  private(set) var mostHeld = 0
  private(set) var mostDecoded = 0
  private(set) var mostSegments = 0
  /// When the first sound was there.
  private(set) var firstSound: Instant?
  private(set) var phases: [ProgrammeStatus.Phase] = []
  private var spare: SoundBlock?
  /// Stepped along with it.
  var others: [any Programme] = []

  init(_ programme: any Programme, _ network: FakeNetwork) {
    self.programme = programme
    self.network = network
  }

  var samples: [Float] { blocks.flatMap(\.samples) }
  private(set) var frames = 0

  /// Runs until the programme ends or fails, or for `seconds`.
  func run(_ seconds: Double, until isDone: (Listener) -> Bool = { _ in false }) {
    let end = network.now + .nanoseconds(Int64(seconds * 1e9))
    while network.now < end {
      var wakes = [programme.step(now: network.now)]
      for other in others { wakes.append(other.step(now: network.now)) }
      observe()
      take()
      switch programme.status.phase {
      case .ended, .failed: return
      default: break
      }
      if isDone(self) { return }
      let next = wakes.compactMap { $0 }.min() ?? network.now + .milliseconds(20)
      network.now = min(max(next, network.now + .milliseconds(1)), network.now + .milliseconds(20))
    }
  }

  private func observe() {
    let status = programme.status
    if phases.last != status.phase { phases.append(status.phase) }
    mostDecoded = max(mostDecoded, status.decodedFrames)
    mostSegments = max(mostSegments, status.segments)
    if let stream = programme as? StreamProgramme { mostHeld = max(mostHeld, stream.heldBytes) }
  }

  private func take() {
    while let cue = programme.nextCue() { cues.append(cue) }
    let before = pictures.count
    while let picture = programme.nextPicture() { pictures.append(picture) }
    mostPictures = max(mostPictures, pictures.count - before)
    while true {
      if isPaced, let firstSound {
        let played = Int((network.now - firstSound).inSeconds * 48_000)
        if frames > played + 4800 { return }
      }
      guard let block = programme.nextSound() else { return }
      firstSound = firstSound ?? network.now
      blocks.append(block)
      frames += block.frames
    }
  }

  /// Where one block does not begin where the one before ended.
  var holes: [Int] {
    zip(blocks, blocks.dropFirst()).compactMap { $0.start + $0.frames == $1.start ? nil : $1.start }
  }
}
