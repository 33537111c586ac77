internal import Threads

/// The end of a run, once nothing is open any more: devices are closed, the storage finishes what was asked of it,
/// then the last thing is done that was asked for, and the lanes stop. Control lane only.
final class OrderlyEnd {
  private let media: MediaWorker
  private let dub: DubWorker?
  private let feed: FeedWorker?
  private let prompts: PromptLane?
  private let storage: StorageWorker
  private let inbox: Mailbox<ControlInput>
  private let lanes: LaneSignals
  private let last: () -> Void
  private var hasBegun = false

  init(
    media: MediaWorker, dub: DubWorker?, feed: FeedWorker?, prompts: PromptLane?, storage: StorageWorker,
    inbox: Mailbox<ControlInput>,
    lanes: LaneSignals,
    last: @escaping () -> Void
  ) {
    self.media = media
    self.dub = dub
    self.feed = feed
    self.prompts = prompts
    self.storage = storage
    self.inbox = inbox
    self.lanes = lanes
    self.last = last
  }

  /// A second call changes nothing.
  func begin() {
    guard !hasBegun else { return }
    hasBegun = true
    media.post(.shutDown)
    dub?.post(.shutDown)
    feed?.post(.shutDown)
    prompts?.close()
    let done = ControlLaneReply<Void>(inbox) { [lanes, last] in
      last()
      lanes.stop()
    }
    storage.close { done.send(()) }
  }
}
