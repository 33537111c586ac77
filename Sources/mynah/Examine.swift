import ArgumentParser
import Runtime

/// `mynah examine`: the process in which the device looks at files that it has not made. Nobody types it.
struct Examine: ParsableCommand {
  static let name = "examine"
  static let configuration = CommandConfiguration(
    commandName: name, abstract: "Answer paths on standard input with what sound is in them.", shouldDisplay: false)

  @Option(help: "Data directory.") var data: String

  func run() throws { ExaminerServer.run(on: try Host.storage(data, reserveMB: 0)) }
}

/// `mynah decode`: the process in which the device decodes one of them for its player. Nobody types it.
struct Decode: ParsableCommand {
  static let name = "decode"
  static let configuration = CommandConfiguration(
    commandName: name, abstract: "Answer questions on standard input with the sound of a file.", shouldDisplay: false)

  @Flag(help: "Read it as a programme, with what lies beside it; by its path.") var programme = false
  @Option(help: "Of pictures that may wait.") var pictureBytes = 0
  @Argument(help: "Name of the file that is open as descriptor 3.") var file: String

  func run() {
    if programme {
      DecodingServer.run(programme: file, pictureBytes: pictureBytes)
    } else {
      DecodingServer.run(name: file)
    }
  }
}
