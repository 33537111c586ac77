import Appliance
import ArgumentParser
import Console
import JSON
import Runtime

/// `mynah manual`: the manual page mynah(1), made of what the program itself goes by: the description of the command
/// line and the table of the console.
struct Manual: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print the manual page mynah(1) in roff.", shouldDisplay: false)

  @Flag(help: "Print the table of settings instead, in Markdown.") var settings = false

  func run() throws {
    guard !settings else { return Host.say(Settings.markdownTable) }
    // What --experimental-dump-help prints: the parser's own description, in JSON.
    let description = try JSONValue(parsing: Mynah._dumpHelp())
    guard let command = description["command"] else {
      throw Host.failure(Exit.internalError, "the command line's description has no command")
    }
    let page = ManualPage(command: command, version: Version.text)
    Host.say(page.text + DeviceTable.catalogue.manPageSection() + SettingsManual.section)
  }
}

/// The sections about the command line, from the parser's description of it (ArgumentParser's ToolInfo, version 0).
private struct ManualPage {
  let command: JSONValue
  let version: String

  /// Every command has these two; they are told once.
  private static let common = ["help", "version"]

  var text: String {
    let name = command["commandName"]?.stringValue ?? ""
    var lines = [
      ".TH \(name.uppercased()) 1 \"\" \"\(name) \(Roff.text(version))\" \"User Commands\"",
      ".SH NAME", "\(name) \\- \(Roff.text(Self.phrase(command["abstract"])))",
      ".SH SYNOPSIS", ".B \(name)", "command [options]",
      ".SH DESCRIPTION", Roff.text(command["discussion"]?.stringValue ?? ""),
      ".SH COMMANDS",
    ]
    lines += Self.shown(command["subcommands"]).flatMap { Self.section($0, path: name) }
    lines.append(".SH OPTIONS")
    lines += (command["arguments"]?.arrayValue ?? []).flatMap(Self.entry)
    return lines.joined(separator: "\n") + "\n"
  }

  /// A command that does something, or those of a group of commands.
  private static func section(_ command: JSONValue, path: String) -> [String] {
    let path = path + " " + (command["commandName"]?.stringValue ?? "")
    let subcommands = shown(command["subcommands"])
    guard subcommands.isEmpty else { return subcommands.flatMap { section($0, path: path) } }
    let arguments = shown(command["arguments"]).filter { !common.contains($0["valueName"]?.stringValue ?? "") }
    var lines = [".SS " + Roff.text(([path] + arguments.map(usage)).joined(separator: " "))]
    lines.append(Roff.text(command["abstract"]?.stringValue ?? ""))
    if let discussion = command["discussion"]?.stringValue { lines += [".PP", Roff.text(discussion)] }
    return lines + arguments.flatMap(entry)
  }

  /// The commands or arguments that are meant to be seen; the command `help` is told by `--help`.
  private static func shown(_ list: JSONValue?) -> [JSONValue] {
    (list?.arrayValue ?? []).filter { $0["shouldDisplay"]?.boolValue != false && $0["commandName"] != "help" }
  }

  /// `[--data DIR]`, `FILE`, `WORDS...`.
  private static func usage(_ argument: JSONValue) -> String {
    let text = heading(argument, names: [argument["preferredName"]].compactMap(\.self))
    let repeated = argument["isRepeating"] == true ? text + "..." : text
    return argument["isOptional"] == true ? "[\(repeated)]" : repeated
  }

  /// `.TP` of an argument: its names and value, then what it means, what it takes and its default.
  private static func entry(_ argument: JSONValue) -> [String] {
    var text = argument["abstract"]?.stringValue ?? ""
    if let words = argument["allValues"]?.arrayValue?.compactMap(\.stringValue) {
      text += " One of \(words.joined(separator: ", "))."
    }
    if let fallback = argument["defaultValue"]?.stringValue { text += " Default: \(fallback)." }
    return [".TP", ".B " + Roff.text(heading(argument, names: argument["names"]?.arrayValue ?? [])), Roff.text(text)]
  }

  private static func heading(_ argument: JSONValue, names: [JSONValue]) -> String {
    let value = argument["valueName"]?.stringValue?.uppercased() ?? ""
    let spelled = names.map { name in
      (name["kind"] == "long" ? "--" : "-") + (name["name"]?.stringValue ?? "")
    }.joined(separator: ", ")
    switch argument["kind"]?.stringValue {
    case "positional": return value
    case "option": return "\(spelled) \(value)"
    default: return spelled
    }
  }

  /// A sentence as NAME has it: no capital, no full stop.
  private static func phrase(_ sentence: JSONValue?) -> String {
    let text = sentence?.stringValue ?? ""
    return text.prefix(1).lowercased() + text.dropFirst().prefix { $0 != "." }
  }
}
