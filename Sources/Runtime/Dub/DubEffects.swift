internal import Appliance
internal import Console
internal import Dubbing
internal import Hardware
internal import JSON
internal import Library
internal import Threads

/// Carries out what the machine asks of dubbed playback, and translates what the dubbing lane reports. Control lane only.
struct DubEffects {
  /// What dubbed playback is made of, where the board grants it memory.
  let context: DubContext?
  let storage: StorageWorker
  let events: EventStream
  private let receipts: DubReceiptKeeper

  init(context: DubContext?, storage: StorageWorker, events: EventStream, clock: any DeviceClock) {
    self.context = context
    self.storage = storage
    self.events = events
    receipts = DubReceiptKeeper(storage: storage, clock: clock)
  }

  // MARK: From the machine

  func perform(_ order: DubOrder, state: State) {
    guard let dub = context else { return }
    switch order {
    case .list: storage.dubSources(after: dub.streams(state.settings))
    case .start(let source, let language, let isOn, let run):
      receipts.end(dub)
      receipts.begin(source, language, run)
      start(source, language, isOn, run, dub)
    case .stop:
      receipts.end(dub)
      dub.worker.post(.order(.stop))
    case .pause: dub.worker.post(.order(.pause))
    case .resume: dub.worker.post(.order(.resume))
    case .seek(let seconds): dub.worker.post(.order(.seek(seconds: seconds)))
    case .scrub(let direction): dub.worker.post(.scrub(direction))
    case .language(let language): dub.worker.post(.order(.language(language)))
    case .volume: dub.worker.post(.order(.configure(dub.settings(state.settings))))
    case .enable(let isOn): dub.worker.post(.order(.dubbing(isOn)))
    }
  }

  private func start(_ source: DubSource, _ language: String, _ isOn: Bool, _ run: Int, _ dub: DubContext) {
    let worker = dub.worker
    switch source.kind {
    case .stream: worker.post(.start(run: run, source: source.id, language: language, isOn: isOn))
    case .clip, .take:
      storage.locateForDub(source, run: run) { path in
        worker.post(.start(run: run, source: path, language: language, isOn: isOn))
      }
    }
  }

  /// Makes settings of dubbing count.
  func apply(_ settings: Settings) {
    guard let dub = context else { return }
    dub.network?.configure(proxy: settings.dubProxy, authorities: settings.dubCAFile)
    dub.worker.heedLowPower(settings.dubLowPower != .off)
    dub.showPictures(settings)
    dub.worker.post(.order(.configure(dub.settings(settings))))
    // What can be played may have become more.
    storage.dubSources(after: dub.streams(settings))
  }

  // MARK: From the dubbing lane

  func events(of telling: DubPlayerEvent, state: State, now: Instant) -> [Event] {
    switch telling {
    case .report(let report, let run):
      receipts.note(report, of: run)
      return [.dub(report, run: run)]
    case .sources(let sources): return [.dubSources(sources)]
    case .missing(let run, let text):
      return self.events(of: .report(.failed(code: "not-found", text: text), run: run), state: state, now: now)
    case .remark(let text):
      events.log(.warning, "dub", text, at: now)
      return []
    case .screen(let error):
      if let error {
        events.log(.warning, "screen", "\(error)", at: now)
      } else if let mode = context?.pictures?.screenMode {
        events.log(.info, "screen", "pictures are shown on \(DubContext.text(mode))", at: now)
      }
      return []
    case .figures(let run):
      guard let dub = context, run == state.dub.run, state.dub.isBusy else { return [] }
      events.publish(
        .onDubbingStatus, DubNow.Answer(status: state.dubbingStatus, figures: dub.figures(run: run)).json, at: now)
      return []
    }
  }
}

extension StorageWorker {
  /// Clips and takes in the list of what can be played, at most so many of each.
  private static let listedForDub = 24

  /// Tells the machine what can be played: streams, then the newest clips and takes.
  func dubSources(after streams: [DubSource]) {
    submit { [inbox] library throws(LibraryError) in
      let clips = library.clips.ids(limit: Self.listedForDub).filter { !TakeName.isSealed($0) }.map {
        DubSource(id: $0, name: ClipNames.short($0), kind: .clip)
      }
      // Of a split take each file.
      let takes = library.list(limit: Self.listedForDub).takes.flatMap { take in
        take.files.filter { !TakeName.isSealed($0.id) }.map {
          DubSource(id: $0.id, name: $0.id == take.id ? take.displayName : EffectRunner.name(of: $0.id), kind: .take)
        }
      }
      inbox.post(.dub(.sources(streams + clips + takes)))
    } onFailure: { _ in
    }
  }

  /// Finds the file of a clip or take.
  func locateForDub(_ source: DubSource, run: Int, then: @escaping @Sendable (_ path: String) -> Void) {
    let fail: @Sendable (LibraryError) -> Void = { [inbox] error in
      inbox.post(.dub(.missing(run: run, text: "\(source.name) cannot be played: \(error)")))
    }
    let id = source.id
    if source.kind == .clip {
      submitClips(
        { clips throws(LibraryError) in
          guard clips.summary(id) != nil else { throw .notFound(id) }
          then(clips.absolutePath(of: id))
        }, onFailure: fail)
    } else {
      submit(
        { library throws(LibraryError) in
          guard library.summary(id) != nil else { throw .notFound(id) }
          then(library.absolutePath(of: id))
        }, onFailure: fail)
    }
  }
}
