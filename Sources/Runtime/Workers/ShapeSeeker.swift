internal import Dictaphone
internal import Library
internal import Threads

/// Finds takes whose shape is not kept, for the media lane to make. Any thread; the work is the storage lane's.
final class ShapeSeeker: @unchecked Sendable {
  private let storage: StorageWorker
  private let answers: Mailbox<[PlayerFile]>
  /// Those that were asked for: what cannot be made, or kept, is not asked for again. Storage lane only.
  private var asked: Set<String> = []

  /// As many takes are looked at, the newest first: the others get their shape when they play.
  private static let most = 200

  /// - Parameter wake: wakes the media lane.
  init(_ storage: StorageWorker, wake: @escaping @Sendable () -> Void) {
    self.storage = storage
    answers = Mailbox(onPost: wake)
  }

  /// Who makes what is found.
  var shapes: IdleShapes {
    IdleShapes(ask: seek, answers: answers.drain, keep: PlayerTakes(storage).keepOverview)
  }

  /// Answers with the files of a take of the device's own, or with none.
  private func seek() {
    storage.submit { [self] library in
      let take = library.files.prefix(Self.most).lazy.filter { [self] in
        TakeName.isOurs($0) && !TakeName.isSealed($0) && !asked.contains($0)
      }
      .compactMap { library.summary($0) }.first { $0.frames > 0 && library.waveforms.peaks(of: $0).isEmpty }
      guard let take else { return answers.post([]) }
      asked.insert(take.id)
      let files = PlayerTakes(storage).files(of: take, in: library)
      // Under its name may be somebody else's file: that one is for the process apart.
      guard !files.contains(where: \.isForeign) else { return seek() }
      answers.post(files)
    } onFailure: { [answers] _ in
      answers.post([])
    }
  }
}
