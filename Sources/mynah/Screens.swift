import ArgumentParser
import Panel

/// `mynah screens FILE [--folder DIRECTORY NAME...]`: what the OLED shows, made by the code that draws it.
struct Screens: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write a contact sheet of all screens as a PNG, and single ones.", shouldDisplay: false)

  @Argument(help: "The PNG to write.") var file: String
  @Option(help: "Existing directory for single screens.") var folder: String?
  @Argument(help: "Names of single screens, as on the sheet.") var names: [String] = []

  /// Pixels of a picture for one of the OLED: large enough to be looked at in a text.
  private static let scale = 4

  func validate() throws {
    guard folder != nil || names.isEmpty else { throw ValidationError("--folder says where single screens go") }
  }

  func run() throws {
    try write(file, ContactSheet.png())
    guard let folder else { return }
    for name in names {
      guard let sample = SampleScreens.all.first(where: { $0.name == name }) else {
        throw Host.failure(Exit.noInput, "there is no screen \(name); their names are on the sheet")
      }
      let frame = Panel.Screens.render(sample.state, sample.readings, at: sample.now)
      try write("\(folder)/\(name).png", PNG.encode(frame, scale: Self.scale))
    }
  }

  private func write(_ path: String, _ bytes: [UInt8]) throws {
    if let complaint = Host.write(path, bytes) { throw Host.failure(Exit.inputOutput, complaint) }
  }
}
