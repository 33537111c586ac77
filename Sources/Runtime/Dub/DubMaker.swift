internal import Appliance
internal import Board
internal import Budget
internal import Dubbing
internal import Hardware
internal import Speech
internal import Streaming
internal import Threads

/// Puts dubbed playback together; on a board that grants it no memory there is none of it.
struct DubMaker {
  private let ground: Ground
  private var hardware: HardwareSet { ground.hardware }
  private var board: BoardDescription { ground.board }

  init(_ ground: Ground) { self.ground = ground }

  private var isAvailable: Bool {
    ground.ledger.plan.line(.dubbing).memoryKB > 0 && hardware.speaker != nil
  }

  private var canShowPictures: Bool { hardware.display != nil || hardware.screen != nil }
  private var memory: DubMemory { DubMemory(ground.ledger.plan, board, hasScreen: hardware.screen != nil) }

  private var pictureRoom: PictureRoom { memory.pictureRoom { [ledger = ground.ledger] in ledger.left(for: .dubbing) } }

  /// `nil` on a board without a speaker, or without memory for dubs.
  ///
  /// - Throws: the table, if what dubs take does not fit the board's budget.
  func make(_ settings: Settings) throws(BudgetRefusal) -> DubContext? {
    guard isAvailable else { return nil }
    try memory.register(ground.ledger, hasPictures: canShowPictures)
    let wake = ground.lanes.waker(of: .dubbing)
    let inbox = ground.inbox
    let tell: @Sendable (DubPlayerEvent) -> Void = { inbox.post(.dub($0)) }
    let network = hardware.openNetwork.map {
      SwitchedNetwork(proxy: settings.dubProxy, authorities: settings.dubCAFile, open: $0)
    }
    let cache = "\(hardware.storage.root)/cache"
    let speech = SpeechLane { () throws(SpeechError) in try SpeechData(cache: cache) }
    let pictures =
      canShowPictures
      ? PictureShow(screen: hardware.screen, room: pictureRoom, onPreview: ground.lanes.waker(of: .control)) {
        tell(.screen($0))
      } : nil
    let worker = DubWorker(
      settings: Dubbing.DubSettings(settings, board: board), wake: wake, tell: tell,
      makeEngine: engine(
        network, speech: speech, pictures: pictures, wake: wake,
        open: opener(network, pictures: pictures)))
    worker.heedLowPower(settings.dubLowPower != .off)
    let context = DubContext(board: board, worker: worker, speech: speech, network: network, pictures: pictures)
    context.showPictures(settings)
    return context
  }

  /// More lines of a picture than these are of no use.
  func linesOfPictures(_ pictures: PictureShow?) -> Int {
    pictures?.hasScreen == true ? memory.mostLines : DubMemory.previewLines
  }

  private func opener(_ network: SwitchedNetwork?, pictures: PictureShow?) -> DubParts.Opener {
    let segments = board.dub.segments
    let decoders = Decoders(ground)
    let pictureBytes = memory.programmeBytes
    return { source, isLowPower, wake in
      pictures?.look()
      return ProgrammeOpener.open(
        source, network: network,
        options: HLSOptions(
          segments: segments, pictures: pictures?.isWanted ?? false, pictureBytes: pictureBytes,
          mostLines: linesOfPictures(pictures),
          isLowPower: isLowPower),
        decoders: decoders, wake: wake)
    }
  }

  /// Makes a player when it is needed.
  ///
  /// - Parameter open: makes a programme of an address or a file's path.
  func engine(
    _ network: SwitchedNetwork?, speech: SpeechLane, pictures: PictureShow?, wake: @escaping @Sendable () -> Void,
    open: @escaping DubParts.Opener
  ) -> (@escaping (DubEvent) -> Void) -> any DubEngine {
    let request = SoundRequest(
      format: PCMFormat(sampleRate: 48_000, channels: 2), periodFrames: board.speaker.periodFrames,
      bufferFrames: board.speaker.bufferFrames)
    let speaker = hardware.speaker
    return { report in
      speech.open()
      var parts = DubParts(
        open: open, network: network, speech: speech.queue, preparer: speech.preparer, speaker: speaker,
        request: request)
      parts.pictures = pictures
      let player = DubPlayer(parts: parts, settings: Dubbing.DubSettings(), report: report)
      player.attach(wake: wake)
      return player
    }
  }
}

extension DubPlayer: DubEngine {
  func perform(_ order: DubPlayerOrder, now: Instant) { post(order) }
}
