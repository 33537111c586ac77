internal import Appliance
internal import Board
internal import Budget
internal import Console
internal import Hardware
internal import Library
internal import Recording
internal import Threads

/// The library and everything that is written to it. A medium that fails or is full stops takes and clips, which says
/// so; keys, screens and consoles go on.
struct StorageParts {
  let library: Library
  let worker: StorageWorker
  let audit = AuditWriter()

  init(_ ground: Ground, settings: KeptSettings, pipe: RecordingPipe, clips: ClipParts?) {
    let hardware = ground.hardware
    let inbox = ground.inbox
    library = ApplianceRuntime.library(
      on: hardware.storage, clock: ground.clock, examination: ground.options.examination
    ) { inbox.post(.say($0)) }
    Self.prepare(library.proofs, library.seals, ground, settings.values)
    let store = LibraryTakeStore(
      library: library, storage: hardware.storage, clock: ground.clock, authors: ground.authors)
    let writer = FileWriter(
      pipe: pipe, stores: [.take: store, .safety: store], clock: ground.clock,
      notes: { [book = ground.governorBook] in book.notes(from: $0, to: $1) },
      steps: RecordingSteps(lanes: ground.lanes)
    ) {
      inbox.post(.takeFiles($0))
    }
    worker = StorageWorker(
      writer: writer, clips: clips?.makeFiles(library, ground, settings: settings.values), library: library,
      settings: settings.store,
      log: StoredLog(
        files: LogFiles(hardware.storage), writer: ground.logWriter,
        found: ControlLaneReply(inbox) { [events = ground.events] in events.noteEarlier($0) }),
      audit: (AuditFiles(hardware.storage), audit), storage: hardware.storage, clock: ground.clock,
      stick: Self.stick(ground), updates: UpdateFetch(wake: ground.lanes.waker(of: .storage)),
      lowBytes: ground.board.storage.lowMB << 20, inbox: inbox,
      wake: ground.lanes.waker(of: .storage))
  }

  /// What proofs say of the device, and its key, if recordings are signed; whom they are sealed to.
  private static func prepare(_ proofs: Proofs, _ seals: Seals, _ ground: Ground, _ settings: Settings) {
    var device = ["board": ground.board.name, "firmware": ground.options.version]
    if let board = ground.hardware.sensors?.identity() {
      device["model"] = board.model
      device["serial"] = board.serial
    }
    proofs.device = device
    seals.recipients = settings.recipients
    do throws(LibraryError) { try proofs.turn(settings.signsRecordings) } catch {
      ground.inbox.post(.say("recordings are not signed: \(error)"))
    }
  }

  /// Needs a socket for a stick. Absent: takes leave the device by the console.
  private static func stick(_ ground: Ground) -> StickWorker {
    let inbox = ground.inbox
    let news = ControlLaneReply<StickState>(inbox) { [events = ground.events, clock = ground.clock] state in
      if !state.update.isEmpty { inbox.post(.update(.found(state.update))) }
      events.publish(.onStick, StickStatus.Answer(hasSocket: true, state: state).json, at: clock.now)
    }
    return StickWorker(
      ground.hardware.stick, tell: { inbox.post(.library($0)) }, onChange: { news.send($0) },
      wake: ground.lanes.waker(of: .storage))
  }
}
