import ArgumentParser
import Panel

/// `mynah screens FILE`: every screen of the OLED on one sheet, made by the code that draws them.
struct Screens: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write a contact sheet of all screens as a PNG.", shouldDisplay: false)

  @Argument(help: "The PNG to write.") var file: String

  func run() throws {
    if let complaint = Host.write(file, ContactSheet.png()) { throw Host.failure(Exit.inputOutput, complaint) }
  }
}
