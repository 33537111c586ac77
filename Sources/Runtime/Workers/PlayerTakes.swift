internal import Dictaphone
internal import Hardware
internal import Library
internal import Media

/// Takes and clips for the player: their files, where in them it was left, their shape. Any thread; the work is the storage
/// lane's.
struct PlayerTakes {
  private let storage: StorageWorker

  init(_ storage: StorageWorker) { self.storage = storage }

  /// Finds a take: its files, those in which it goes on included, and where it was left. Clips are short, and begin at their
  /// start.
  ///
  /// - Parameters:
  ///   - position: in seconds; nil: where it was left.
  ///   - then: called on the storage lane, as `onFailure` is.
  func locate(
    _ id: String, fromStart: Bool, position: Double? = nil,
    then: @escaping @Sendable (_ files: [PlayerFile], _ frame: Int) -> Void,
    onFailure: @escaping @Sendable (_ code: String, _ text: String) -> Void
  ) {
    let look: @Sendable (Library) throws(LibraryError) -> Void = { [self] library throws(LibraryError) in
      if let sealed = library.sealedPart(of: id) { throw .sealed(sealed) }
      guard let take = library.summary(id) else {
        guard let clip = library.clips.summary(id) else { throw .notFound(id) }
        return then([file(id, library.clips.absolutePath(of: id), clip.frames)], 0)
      }
      let seconds = fromStart ? 0 : position ?? take.lastPlayedPosition ?? 0
      // A position from a file may be anything; past the end means the beginning.
      let frame = (seconds * Double(take.sampleRate)).rounded()
      var files = files(of: take, in: library)
      if !files.isEmpty { files[0].overview = library.waveforms.peaks(of: take) }
      then(
        files,
        frame >= 0 && frame < 1e15 ? Int(frame) : 0)
      try storage.news.tellMarks(of: id, in: library)
    }
    storage.submit(look) { error in onFailure(error.code, "\(error)") }
  }

  /// Finds the take that was in the player before the start, once the library has come to it; nothing happens if it is no
  /// more.
  func restore(
    _ id: String, position: Double?, then: @escaping @Sendable (_ files: [PlayerFile], _ frame: Int) -> Void
  ) {
    storage.onceListed(id) { [self] in
      locate(id, fromStart: false, position: position, then: then, onFailure: { _, _ in })
    }
  }

  /// The files of a take in the order in which they are heard. Storage lane only.
  func files(of take: TakeSummary, in library: Library) -> [PlayerFile] {
    take.files.map { file($0.id, library.absolutePath(of: $0.id), $0.frames) }
  }

  /// What has our name and bears our marks was made here; the player decodes all else in another process.
  private func file(_ id: String, _ path: String, _ frames: Int) -> PlayerFile {
    PlayerFile(
      id: id, path: path, frames: frames, isForeign: !TakeName.isOurs(id) || !MediaRepair.isFinishedRecording(path))
  }

  /// Keeps the shape that the player has made of a take.
  func keepOverview(_ id: String, _ peaks: [Float]) {
    storage.submit { library in
      guard library.sealedPart(of: id) == nil, let take = library.summary(id) else { return }
      library.waveforms.keep(peaks, of: take)
    } onFailure: { _ in
    }
  }

  /// Keeps where it was left.
  func keepPosition(_ id: String, seconds: Double) {
    storage.submit { library throws(LibraryError) in
      guard library.summary(id) != nil else { return }
      try library.updatePosition(id, seconds)
    } onFailure: { [storage] error in
      storage.news.say("the position in \(id) is not kept: \(error)")
    }
  }
}

extension Library {
  /// A file of a take or clip that is sealed, and so cannot be played here; nil if there is none.
  func sealedPart(of id: String) -> String? {
    let files = summary(id)?.files.map(\.id) ?? [id]
    return files.first { TakeName.isSealed($0) }
  }
}
