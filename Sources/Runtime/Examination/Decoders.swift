internal import Dictaphone
internal import Hardware
internal import Library
internal import Media
internal import Streaming
internal import Threads

/// Who reads and decodes files that the device has not made: a process for each, or, where there can be none, this one.
/// Any lane.
struct Decoders {
  private let program: [String]
  private let waits: Bool
  private let say: @Sendable (String) -> Void

  private static let patience = Duration.seconds(30)

  init(_ ground: Ground) {
    program = ground.options.examination?.decoder ?? []
    waits = !ground.options.isRealTime
    say = { [inbox = ground.inbox] in inbox.post(.say($0)) }
  }

  /// For the player.
  var links: SoundLinks { { file throws(MediaError) in try link(file) } }

  private func link(_ file: PlayerFile, _ arguments: [String] = []) throws(MediaError) -> (any SoundLink)? {
    guard !program.isEmpty else { return nil }
    let tell = { say("\(file.id.shown) is decoded in this process: another could not be started") }
    let found = try DecodingProcess(
      program + arguments + ["--"], file: file, waits: waits, patience: Self.patience, tellNotBegun: tell)
    if found == nil { tell() }
    return found
  }

  /// A local file as a programme. What has our name, bears our marks, and has nothing of others beside it, is read here.
  func programme(_ path: String, pictures: Bool, pictureBytes: Int) throws(MediaError) -> any Programme {
    let here = { () throws(MediaError) -> any Programme in
      try FileProgramme(path: path, pictures: pictures, pictureBytes: pictureBytes)
    }
    let name = String(path.utf8.split(separator: UInt8(ascii: "/")).last.map(Substring.init) ?? "")
    let isOurs =
      TakeName.isOurs(name) && MediaRepair.isFinishedRecording(path) && !FileProgramme.hasFilesBeside(path)
    let arguments = ["--programme", "--picture-bytes", "\(pictures ? pictureBytes : 0)"]
    guard !isOurs, let link = try link(PlayerFile(id: WholePath.of(path), path: path, isForeign: true), arguments)
    else { return try here() }
    return ApartProgramme(path: path, link: link, pictureBytes: pictureBytes, openHere: here)
  }
}
