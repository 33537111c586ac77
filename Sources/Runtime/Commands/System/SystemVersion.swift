internal import Console

enum SystemVersion: DeviceMethod {
  static let row = MethodRow(
    "system.version", "tells which firmware this is", .viewer, isForAnybody: true,
    discussion: "What system.info tells beside that is for those who have logged in.")

  struct Answer: WireObject {
    let version: String
    let board: String
    static let fields: [Field<Self>] = [
      Field("version", \.version, "of the firmware"), Field("board", \.board, "name of the board file"),
    ]
  }

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    Answer(version: device.version, board: device.boardName)
  }
}
