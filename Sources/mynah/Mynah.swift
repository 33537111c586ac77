import ArgumentParser
import Glibc

/// The command line; every subcommand is in a file of its own.
@main
struct Mynah: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mynah", abstract: "The firmware of a field recorder on a small Linux board.",
    discussion:
      "Exit codes: 0 done, 1 a self-test failed, 64 usage, 65 bad data file, 66 no such input, 69 device unavailable, "
      + "70 internal error, 74 input or output error, 78 bad configuration.",
    version: Version.text,
    subcommands: [
      Simulate.self, Run.self, ConsoleCommand.self, PCMCommand.self, DoctorCommand.self, SelftestCommand.self,
      BudgetCommand.self, BoardCommand.self, LibraryCommand.self, VerifyCommand.self, DecryptCommand.self,
      LogCommand.self, DriveCommand.self, Examine.self, Decode.self, SystemCommand.self, VersionCommand.self,
      Screens.self, Manual.self,
    ])

  /// As the default is, but words of the command line in a complaint steer no terminal.
  static func main() {
    // What is opened next would have their numbers, and be written to.
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 { _ = open("/dev/null", O_RDONLY) }
    // A limit of the size of files is an error of who writes, as a full card is.
    signal(SIGXFSZ, SIG_IGN)
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch {
      let (code, text) = (exitCode(for: error), fullMessage(for: error))
      // Help and the like is output as any other.
      guard code.isSuccess else {
        if !text.isEmpty { Host.complain(text) }
        exit(withError: code)
      }
      if !text.isEmpty { print(text) }
    }
    Host.finishOutput()
  }
}

/// What `mynah version` prints.
struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "version", abstract: "Print the version.")

  func run() { print("mynah \(Version.text)") }
}

/// The version of this program.
enum Version {
  static let text = "0.1.0"
}
