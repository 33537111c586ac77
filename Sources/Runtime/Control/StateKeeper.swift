internal import Appliance
internal import Dictaphone
internal import Hardware
internal import Library

/// Keeps where the device is, so that it comes back there, and takes it back there at the start. Control lane only.
final class StateKeeper {
  private let media: MediaWorker
  private let storage: StorageWorker
  /// As it is on the storage; nil until that has been read.
  private var kept: LastState?
  private var nextPosition = Instant.zero
  private var wasPlaying = false
  /// What was a favourite when it was written last.
  private var likes: Set<String> = []
  /// A take was cut off, and goes on when there is a microphone.
  private(set) var resumes = false
  private var mayResume = true
  /// The state that was looked at last.
  private var revision = -1

  /// How often the position of what plays is written.
  private static let interval = Duration.seconds(5)

  init(media: MediaWorker, storage: StorageWorker) {
    self.media = media
    self.storage = storage
  }

  /// The storage has said where the device was.
  ///
  /// - Returns: the mode to be taken up, if it is another.
  func begin(_ last: LastState, cutOff: String?, _ state: State) -> Mode? {
    kept = last
    revision = -1
    likes = Set(last.favourites)
    if let cutOff, state.settings.resumesRecording {
      resumes = mayResume
      storage.submit { library throws(LibraryError) in
        library.continued = cutOff
      } onFailure: { _ in
      }
    }
    guard !state.hasOpenWork, state.loaded == nil else { return nil }
    if let take = last.take {
      PlayerTakes(storage).restore(take, position: last.position) { [media] files, frame in
        media.post(.restore(files, frame: frame))
      }
    }
    let mode = last.mode?.split(separator: ".").first.flatMap { Mode(rawValue: String($0)) }
    return mode == state.mode || resumes ? nil : mode
  }

  /// What the machine is told of what was so before.
  func events(of last: LastState) -> [Event] {
    [.feed(.favourites(last.favourites))] + (last.feedItem.map { [.feed(.remembered(item: $0))] } ?? [])
      + (last.pinMistakes > 0 ? [.pinMistakes(last.pinMistakes)] : [])
  }

  /// A schedule goes on with what was cut off, and ends it.
  func leaveResuming() { mayResume = false }

  /// Whether the take that was cut off is to go on now.
  func takeResume(_ state: State) -> Bool {
    guard resumes, state.hasOpenTake || state.health.hasMicrophone else { return false }
    resumes = false
    return !state.hasOpenWork && state.mode == .dictaphone
  }

  /// Writes what has changed.
  ///
  /// - Parameter revision: another one whenever the state may be another one; but what plays moves by itself.
  func follow(_ state: State, _ revision: Int, now: Instant) {
    guard let kept, revision != self.revision || wasPlaying && now >= nextPosition else { return }
    self.revision = revision
    let plays = state.activity == .playing
    // Before it is back in the player, there is none.
    let loaded = state.dictaphone.playback.loaded?.id ?? kept.take
    guard
      plays && now >= nextPosition || plays != wasPlaying || loaded != kept.take
        || state.mode.rawValue != kept.mode || state.feed.lastItem != kept.feedItem || likes != state.feed.favourites
        || state.lock.pin.mistakes != kept.pinMistakes
    else { return }
    var last = kept
    last.feedItem = state.feed.lastItem
    likes = state.feed.favourites
    last.favourites = likes.sorted()
    last.pinMistakes = state.lock.pin.mistakes
    last.mode = state.mode.rawValue
    last.take = loaded
    // Once it no longer plays, it is in the notes of the take.
    if loaded != kept.take || !plays { last.position = nil }
    if plays {
      let player = media.status.player
      if player.id == loaded, player.sampleRate > 0 {
        last.position = Double(player.frame) / Double(player.sampleRate)
        nextPosition = now + Self.interval
      }
    }
    wasPlaying = plays
    // The dictaphone is where every device begins.
    guard last != kept, kept.mode != nil || last != LastState(mode: Mode.dictaphone.rawValue) else { return }
    self.kept = last
    storage.submit { [last] library throws(LibraryError) in
      try library.keep(last)
    } onFailure: { _ in
    }
  }
}
