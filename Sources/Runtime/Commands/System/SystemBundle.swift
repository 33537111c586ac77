internal import Appliance
internal import Board
internal import Console
internal import Doctor
internal import Hardware
internal import JSON
internal import Library

enum SystemBundle: DeviceTask {
  static let row = MethodRow(
    "system.bundle", "makes a file of all that helps to find out what is wrong", .technician, whileRecording: .queued,
    discussion: "A tar of doctor, settings, board, budget, the latest events, log and crash reports. Names of takes, "
      + "addresses and secrets are left out. files.read reads it; the next one takes its place.")

  struct Answer: WireObject {
    let bytes: Int
    let sha256: String
    static let fields: [Field<Self>] = [
      Field("id", { _ in SupportFile.name }, "its name, for files.read"), Field("bytes", \.bytes, "how long it is"),
      Field("sha256", \.sha256, "of the whole file, in hexadecimal digits"),
    ]
  }

  static func perform(_: NoParameters, in device: CommandContext, reply: @escaping Reply) {
    SystemDoctor.perform(NoParameters(), in: device) { found in
      do throws(CommandFailure) { make(try found.get(), in: device, reply) } catch { reply(.failure(error)) }
    }
  }

  private static func make(_ doctor: DoctorReport, in device: CommandContext, _ reply: @escaping Reply) {
    let settings = device.state.settings
    let privacy = SupportPrivacy(settings, device.board)
    let width = 100
    let info = DeviceText.version(SystemInfo.answer(in: device), width: width)
    let documents = [
      SupportBundle.Document(name: "device.txt", lines: info.map { privacy.text($0) }),
      .init(name: "doctor.txt", lines: DeviceText.doctor(doctor, width: width).map { privacy.text($0) }),
      .init(name: "settings.txt", lines: privacy.settings(settings)),
      .init(name: "board.txt", lines: BoardText.lines(device.board).map { privacy.text($0) }),
      .init(name: "budget.txt", lines: DeviceText.budget(device.budget.report(), width: width)),
      .init(name: "events.txt", lines: device.events.recent.map { privacy.logged($0.line) }),
      .init(name: "log.txt", lines: device.events.log.tail(.max).map { privacy.logged($0.stampedLine) }),
    ]
    let bundle = SupportBundle(documents, privacy, storage: device.storage.storage, time: device.clock.wallNow)
    device.onLibraryInSteps(reply) { _ throws(LibraryError) in
      do throws(StorageError) { return try bundle.step().map { Answer(bytes: $0.bytes, sha256: $0.sha256) } } catch {
        throw .storage(error)
      }
    }
  }
}

/// A board in lines: what is on it, and which lines of which files say so.
private enum BoardText {
  static func lines(_ board: BoardDescription) -> [String] {
    let sound = { (name: String, sound: SoundDescription) in
      "\(name): \(sound.driver.rawValue) \(sound.pcm), \(sound.format.sampleRate) Hz, \(sound.format.channels) channels, "
        + "period \(sound.periodFrames), buffer \(sound.bufferFrames)"
    }
    let camera = board.camera
    let head = [
      "board: \(board.name), \(board.ramMB) MiB", sound("microphone", board.microphone),
      sound("speaker", board.speaker),
      "camera: \(camera.driver.rawValue) \(camera.device), \(camera.width) x \(camera.height), "
        + "\(camera.framesPerSecond) a second, \(camera.bitrateKbps) kbit/s",
      "display: \(board.display.controller.rawValue) on \(board.display.bus)",
      "screen: \(board.screen.driver.rawValue)", "console: \(board.console.tty) at \(board.console.baud)",
      "storage: \(board.storage.data), reserve \(board.storage.reserveMB) MiB",
    ]
    let keys =
      board.buttons.map { "key \($0.button.rawValue): \($0.chip) line \($0.line)" }
      + board.keypad.devices.map { "keypad: \($0)" }
    let lamps = board.leds.map { "lamp \($0.lamp.rawValue): \($0.chip) line \($0.line)" }
    let set = board.origins.keys.sorted().compactMap { key in board.origins[key].map { "\(key) is set at \($0)" } }
    return head + keys + lamps + set
  }
}
