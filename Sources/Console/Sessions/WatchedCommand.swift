internal import Hardware

/// What `watch` repeats: a command, behind the seconds between two runs where they are given.
struct WatchedCommand: ParameterSet {
  /// The command as it would be typed.
  let line: String
  let interval: Duration

  init(_ given: inout Given) throws(CommandFailure) {
    let text = try given.value("command", .text(limit: 1000), "a command that only looks")
    let words = text.split(separator: " ", maxSplits: 1)
    if words.count == 2, let seconds = Int(words[0]) {
      guard (1...3600).contains(seconds) else {
        throw CommandFailure(.badArgument, "watch: the seconds have to be from 1 to 3600, not \(seconds)")
      }
      interval = .seconds(seconds)
      line = String(words[1])
    } else {
      interval = .seconds(2)
      line = text
    }
  }
}

extension WordCall {
  /// Has the console repeat a command, if nothing comes of it but its answer.
  func watch(_ wanted: WatchedCommand) throws(CommandFailure) {
    let console = try place.face("watch")
    guard let name = CommandLine(wanted.line).words.first else {
      throw CommandFailure(.badArgument, "watch: a command is missing; usage: watch COMMAND")
    }
    let word = try place.catalogue.typed(name)
    let methods = word.methods.compactMap { place.catalogue.method($0) }
    let consoles = ["session.", "events.", "files."]
    let onlyLooks = methods.allSatisfy { method in
      method.row.role == .viewer && !consoles.contains { method.method.hasPrefix($0) }
    }
    guard !methods.isEmpty, onlyLooks else {
      throw CommandFailure(.unsupported, "watch repeats what only looks, such as status; \(word.name) does more")
    }
    console.watch(wanted.line, every: wanted.interval)
  }
}
