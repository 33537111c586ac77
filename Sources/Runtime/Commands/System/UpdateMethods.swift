internal import Appliance
internal import Console
internal import Hardware

/// How far an update is, as consoles see it.
struct UpdateAnswer: WireObject {
  let report: UpdateReport

  static let fields: [Field<Self>] = [
    Field(
      "phase", \.report.phase.rawValue,
      "none, fetching (by the network), checking, writing, installed (the next start is its first), refused (nothing was written), failed (the version "
        + "from before runs), trial (it runs, and has to prove itself) or good"),
    Field("percent", \.report.percent, "of the fetching or the writing"),
    Field(
      "text", \.report.text,
      "the version; of what was refused why: unsigned, damaged, board, older, busy or unreadable, of what was fetched "
        + "http-404 and the like, no-such-host, unreachable, certificate, tls, timeout, interrupted, redirects, bad-address, "
        + "too-large, storage-full or cancelled, then a sentence; of what has come, what it waits for"),
  ]
}

enum UpdateStatus: DeviceMethod {
  typealias Answer = UpdateAnswer
  static let row = MethodRow("update.status", "tells how far an update is, or what became of it", .viewer)

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> UpdateAnswer {
    UpdateAnswer(report: try device.boardOrders.update())
  }
}

enum UpdateInstall: DeviceMethod {
  typealias Answer = Done
  static let row = MethodRow(
    "update.install", "has an update file checked, and written to the root that does not run", .technician,
    discussion:
      "The file of a stick is found by itself. What an address leads to is fetched first, while nothing is recorded. All of it is read against its signature before the first byte is written. "
      + "`update.status` tells how far it is; when it is installed, `system.reboot` starts it. It is given up for the version "
      + "from before unless it is armed for a minute and passes its self-test.")

  struct Parameters: ParameterSet {
    let file: String?
    var isAddress: Bool { file?.lowercased().hasPrefix("https://") ?? false }

    init(_ given: inout Given) throws(CommandFailure) {
      file = try given.optional(
        "file", .text(limit: UpdateSource.limit),
        "its whole path, on the data partition, or its address, https://…; without it, the newest on a stick")
    }
  }

  static func answer(_ wanted: Parameters, in device: CommandContext) throws(CommandFailure) -> Done {
    var source = UpdateSource.stick
    if let file = wanted.file {
      if wanted.isAddress {
        try device.boardOrders.install(from: file, in: device.state)
        return Done()
      }
      // An address with a mistake in it may hold a password: it is not repeated.
      guard let named = UpdateSource(path: file) else {
        throw CommandFailure(
          .badArgument, "update.install: file is a whole path, which begins with /, or an address, with https://")
      }
      source = named
    }
    try device.boardOrders.install(source, in: device.state)
    return Done()
  }
}

enum UpdateCancel: DeviceMethod {
  static let row = MethodRow(
    "update.cancel", "ends what update.install fetches by the network; nothing of it stays", .technician)

  struct Answer: WireObject {
    let isCancelled: Bool
    static let fields: [Field<Self>] = [Field("cancelled", \.isCancelled, "whether something was being fetched")]
  }

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    Answer(isCancelled: try device.boardOrders.cancelUpdate())
  }
}

enum UpdateConfirm: DeviceMethod {
  typealias Answer = Done
  static let row = MethodRow(
    "update.confirm", "has a version on trial judged now, by its self-test alone", .technician,
    discussion:
      "Nobody waits for the rest of the minute in which it has to be armed. `update.status` tells what came of it: good, or "
      + "failed, and the version from before is started.")

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Done {
    try device.boardOrders.confirmUpdate()
    return Done()
  }
}
