import ArgumentParser

@main
struct Mynah: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "mynah", abstract: "Field recorder firmware.")
}
