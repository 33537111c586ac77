import ArgumentParser
import Console
import JSON
import LinuxHardware
import Runtime

/// `mynah console`: attaches the terminal to a running appliance.
struct ConsoleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "console", abstract: "Attach to the console of a running appliance.",
    discussion: "^] leaves. Without a terminal, lines of standard input are sent as they are.")

  @Argument(help: "Unix socket or serial line.") var path = "mynah-data/console"
  @Option(help: "Bits a second of a serial line.") var baud = 115_200
  @Flag(help: "Print the OpenRPC document of all methods instead; attaches to nothing.") var schema = false

  func run() throws {
    if schema { return Host.say(DeviceTable.catalogue.openRPC(version: Version.text).indentedText) }
    let status = ConsoleClient.run(path: path, baud: baud)
    if status != 0 { throw ExitCode(status) }
  }
}
