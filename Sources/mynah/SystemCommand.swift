import ArgumentParser
import Hardware
import LinuxHardware

/// `mynah system clock`: does what the recorder has asked of the system. Run by units of systemd's; nobody types it.
struct SystemCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "system", abstract: "Do what the recorder has asked of the system: set the clock, reboot, switch off.",
    shouldDisplay: false)

  @Argument(help: "Which request: clock or power.") var request: String
  @Option(help: "Where requests are.") var folder = SystemRequests.folder

  func validate() throws {
    guard ["clock", "power"].contains(request) else { throw ValidationError("there is no request \(request)") }
  }

  func run() throws {
    if let sentence = SystemWork.perform(request, in: folder) { throw Host.failure(Exit.inputOutput, sentence) }
  }
}
