internal import Appliance
internal import Budget
internal import Clips
internal import Console
internal import Hardware
internal import JSON
internal import Library
internal import Panel
internal import Recording

/// Carries out what the machine asks of clip capture, and translates what camera, recorder and file writer report. Control
/// lane only.
struct ClipEffects {
  /// What is known of clip capture, where the board has a camera.
  let context: ClipContext?
  let media: MediaWorker
  let storage: StorageWorker
  let events: EventStream
  let authors: RecordingAuthors

  // MARK: From the machine

  func perform(_ order: ClipOrder) {
    switch order {
    case .arm:
      context?.grant = nil
      context?.preview.forget()
      context?.lostBefore = media.status.clips.droppedPictures
    case .snapshot: context?.answers.snapshotOrdered()
    case .trigger, .continuous, .timeLapse, .endPostRoll, .forgetKept, .disarm: break
    }
    media.post(.clip(order))
  }

  /// Makes settings count with those who make clips.
  func apply(_ settings: Settings) {
    if let context { media.post(.configureClips(context.settings(settings))) }
  }

  /// What is asked of the files of clips.
  func perform(onFiles order: LibraryOrder) {
    guard let context else { return }
    switch order {
    case .clipWindow(let start, let count):
      storage.clipWindow(start: start, count: count)
      storage.clipCards(from: start, count: count, known: Set(context.cards.keys), room: context.decodedBytes) {
        context.add($0)
      }
    case .deleteClip(let id):
      media.post(.unload(id: id))
      storage.delete(id, isClip: true)
    case .protectClip(let id, let isProtected): storage.protect(id, isProtected, isClip: true)
    case .receipt(let id):
      context.receipt = ("", .null)
      storage.receipt(of: id) { context.receipt = (id, $0) }
    case .window, .delete, .undelete, .favourite, .protect, .work, .cancelWork, .rename, .tag, .tags, .facts, .copy,
      .cancelCopy, .export, .exportAll, .cancelExport, .moveMark, .removeMark, .restoreMark:
      break
    }
  }

  // MARK: From the workers

  func events(of news: CameraInput.Event) -> [Event] {
    switch news {
    case .opened(let grant, let name):
      context?.grant = grant
      context?.cameraName = name
      let format = grant.format
      return [
        .deviceReturned(
          .camera,
          text: "\(name): \(format.width) x \(format.height), \(format.framesPerSecond) a second, "
            + "\(format.codec.rawValue), times by \(grant.timestamps)")
      ]
    case .lost(let text): return [.deviceLost(.camera, text: text)]
    case .unusable(let text): return [.clip(.trouble(code: "unsupported", text: text))]
    }
  }

  func events(of news: ClipRecorder.Event, settings: Settings, now: Instant) -> [Event] {
    switch news {
    case .bufferReady(let ring): return ready(ring)
    case .triggered(let trigger, let outcome):
      context?.answers.hear(trigger, outcome)
      return [.clip(report(trigger, outcome, settings: settings))]
    case .saving(let clip):
      context?.lengths.end(clip, now: now)
      return [.clip(.ended(number: clip))]
    case .failed(let clip, let code, let text):
      if let clip { context?.lengths.end(clip, now: now) }
      return [.clip(failure(clip, code, text))]
    }
  }

  /// The ring is as full as it gets; a camera that sends more than its board file says fills it before its time.
  private func ready(_ ring: RingStatus) -> [Event] {
    let tenths = { (seconds: Double) in (seconds * 10).rounded() / 10 }
    let ready = Event.clip(.bufferReady(seconds: (ring.seconds * 1000).rounded() / 1000))
    guard !ring.isFull, ring.wantedSeconds > 0 else { return [ready] }
    let sent = ring.seconds > 0 ? Int(Double(ring.bytes) * 8 / ring.seconds / 1000) : 0
    return [
      ready,
      .clip(
        .trouble(
          code: "short-window",
          text:
            "clips begin \(tenths(ring.seconds)) s before the key, not \(tenths(ring.wantedSeconds)) s: the camera sends "
            + "\(sent) kbit/s, and the board's memory for pictures holds no more of it; lower the camera's rate")),
    ]
  }

  private func failure(_ clip: Int?, _ code: String, _ text: String) -> ClipReport {
    guard let clip else {
      context?.answers.snapshotFailed(code: code, text: text)
      return .trouble(code: code, text: text)
    }
    context?.answers.failed(clip, code: code, text: text)
    return .failed(number: clip, code: code, text: text)
  }

  private func report(_ trigger: Trigger, _ outcome: TriggerOutcome, settings: Settings) -> ClipReport {
    let source = trigger.cause
    let isEndless = trigger.cause == .continuous || trigger.cause == .timeLapse
    var ends = isEndless ? .distantFuture : trigger.time + .seconds(settings.clipPostRollSeconds)
    switch outcome {
    case .started(let clip, let before):
      // A split that nobody has asked for: it ends when the one before would have.
      if trigger.number == 0, let before, let end = context?.lengths.end(of: before) { ends = end }
      // Where a clip goes on there is no pre-roll; nor has a time-lapse any.
      let preRoll = isEndless ? 0 : context?.windowSeconds(settings) ?? settings.clipDurationSeconds
      context?.lengths.begin(clip, at: trigger.time - .seconds(preRoll), ends: ends)
      return .started(number: clip, source: source, at: trigger.time, ends: ends)
    case .joined(let clip):
      context?.lengths.join(clip, ends: ends)
      ends = context?.lengths.end(of: clip) ?? ends
      return .joined(number: clip, source: source, at: trigger.time, ends: ends)
    case .bounced: return .bounced(source: source)
    case .refused(let code, let text): return .refused(source: source, code: code, text: text)
    }
  }

  /// What became of a clip's file.
  func events(ofClip news: FileWriter.Event) -> [Event] {
    switch news {
    case .started, .unnoted, .delayed: return []
    case .saved(_, _, let ending), .noted(_, _, let ending):
      var receipt = ending.receipt
      receipt.operatorName = authors.author(at: receipt.triggeredAt)?.name
      events.noteReceipt(receipt.json, id: receipt.id)
      context?.answers.saved(ending.number, path: "clips/\(ending.receipt.id)")
      return [.clip(.completed(number: ending.number, TakeReference(ending.receipt)))]
    case .refused(let clip, let reason, let text):
      media.post(.abandonClip(clip, reason: reason))
      return [storage.refusal(reason, text)]
    case .failed(let clip, let code, let text): return [.clip(failure(clip?.number, code, text))]
    case .picture(let path):
      context?.answers.snapshotSaved(path: path)
      return [.clip(.snapshotSaved(path: path))]
    }
  }

  /// A reading goes to whoever listens, and into the history. It is no event of the machine's.
  func telemetry(_ reading: Telemetry, now: Instant) -> [Event] {
    var reading = reading
    reading.storageFreeBytes = storage.status.freeBytes
    if let process = context?.process?.reading() {
      reading.residentBytes = process.residentBytes
      reading.processorLoad = process.processorLoad
      reading.temperature = process.temperature
    }
    context?.add(reading)
    context?.noteRing(bytes: media.status.clips.ring.capacity)
    events.publish(.onTelemetryUpdate, reading.json, at: now)
    return []
  }
}

extension TakeReference {
  /// A clip by its receipt.
  init(_ receipt: Receipt) {
    let rate = receipt.sound.sampleRate > 0 ? receipt.sound.sampleRate : 90_000
    let frames = receipt.duration.isFinite ? Int((min(1e9, max(0, receipt.duration)) * Double(rate)).rounded()) : 0
    self.init(id: receipt.id, displayName: ClipNames.short(receipt.id), frames: frames, sampleRate: rate)
    isProtected = receipt.isProtected
  }
}

/// What people are told a clip is called.
enum ClipNames {
  /// `Clip 43` of `000043_2026-11-21T09-41-07Z.mp4`; another camera's film is called what its file is.
  static func short(_ id: String) -> String {
    guard let name = TakeName(id), name.createdAt != nil else { return KernelName.shown(id) }
    return TakeNames.clip(name.number, in: .english)
  }
}
