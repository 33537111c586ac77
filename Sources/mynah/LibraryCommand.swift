import ArgumentParser
import Console
import Hardware
import JSON
import Library
import LinuxHardware
import Media
import Runtime

/// `mynah library …`: looks at a data directory without running the appliance.
struct LibraryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "library", abstract: "List, search, verify and repair what is in a data directory.",
    subcommands: [List.self, Search.self, Show.self, Verify.self, Repair.self, Export.self])

  struct Options: ParsableArguments {
    @Option(help: "Data directory.") var data: String
    @Flag(help: "As JSON.") var json = false
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List all takes, newest first; changes nothing.")
    @OptionGroup var options: Options
    func run() throws { try LibraryTool(looking: options).list(query: "") }
  }

  struct Search: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the takes whose name or tags contain all words.")
    @OptionGroup var options: Options
    @Argument(help: "Words.") var words: [String]
    func run() throws { try LibraryTool(looking: options).list(query: words.joined(separator: " ")) }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show all that is known of a take; changes nothing.")
    @OptionGroup var options: Options
    @Argument(help: "The take's file name.") var id: String
    func run() throws { try LibraryTool(looking: options).show(id) }
  }

  struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check takes and clips; changes nothing, ever.")
    @OptionGroup var options: Options
    @Argument(help: "One take or clip; all without it.") var id: String?
    func run() throws { try LibraryTool(looking: options, alone: true).verify(id) }
  }

  struct Repair: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Mend what can be mended; what cannot goes to _Corrupted/ with a note.")
    @OptionGroup var options: Options
    @Argument(help: "One take; all without it.") var id: String?
    func run() throws { try LibraryTool(mending: options).repair(id) }
  }

  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Copy takes and clips to a folder, as to a stick; changes nothing here.")
    @OptionGroup var options: Options
    @Option(help: "The folder; in it they are in one that is called as on a stick.") var to: String
    @Option(help: "m4a, flac, wav, mp3, alaw or mulaw; as they are without it.") var format: String?
    @Argument(help: "File names, or numbers, of takes and clips; all without any.") var ids: [String] = []
    func run() throws {
      let converted = format.flatMap(ConvertedFormat.init)
      guard format == nil || converted != nil else {
        throw ValidationError("\(format ?? "") is no format: m4a, flac, wav, mp3, alaw or mulaw")
      }
      try LibraryTool(looking: options).export(ids, to: to, as: converted)
    }
  }
}

/// The work of `mynah library`.
private struct LibraryTool {
  private let library: Library
  private let isJSON: Bool
  /// Nil where nothing is changed.
  private let lock: DirectoryLock?

  /// Looks at a data directory and leaves it as it is.
  ///
  /// - Parameter alone: what is half done by another process would be taken for a fault.
  init(looking options: LibraryCommand.Options, alone: Bool = false) throws {
    isJSON = options.json
    lock = nil
    try Self.require(options.data)
    if alone, let process = DirectoryLock.process(in: options.data) {
      throw Host.failure(
        Exit.unavailable, "\(options.data): process \(process) works in it; ask that one, by library.verify")
    }
    let storage = ReadOnlyStorage(try Host.storage(options.data, reserveMB: 0))
    library = ApplianceRuntime.library(
      on: storage, clock: SystemClock(), examination: Host.examination(of: options.data), say: Host.complain)
    do throws(LibraryError) {
      try library.open()
      try library.listUnchecked()
    } catch { throw Self.failure(error) }
  }

  /// Completes first what a crash left, as at every start.
  init(mending options: LibraryCommand.Options) throws {
    isJSON = options.json
    try Self.require(options.data)
    let storage = try Host.storage(options.data, reserveMB: 0)
    lock = try Host.lock(options.data)
    library = ApplianceRuntime.library(
      on: storage, clock: SystemClock(), examination: Host.examination(of: options.data), say: Host.complain)
    do throws(LibraryError) { try library.open() } catch { throw Self.failure(error) }
    while !library.report.isFinished, library.step(now: SystemClock().now) != nil {}
    library.report.sentences.forEach { Host.complain($0.shown) }
  }

  /// A directory that is not there would be made.
  private static func require(_ data: String) throws {
    guard Host.isDirectory(data) else { throw Host.failure(Exit.noInput, "\(data): there is no such directory") }
  }

  func list(query: String) throws {
    let page = library.list(filter: TakeFilter(query: query))
    if isJSON { return Host.say(JSONValue.array(page.takes.map(\.json)).text) }
    for take in page.takes {
      let length = take.isUnreadable ? "unreadable" : "\(Int(take.duration / 60))m\(Int(take.duration) % 60)s"
      Host.say("\(take.id)  \(length)  \(take.fileSizeBytes / 1000) kB  \(take.displayName)".shown)
    }
    let unreadable = page.takes.count { $0.isUnreadable }
    Host.say("\(page.total - unreadable) takes" + (unreadable > 0 ? ", \(unreadable) unreadable" : ""))
  }

  /// The id of what is called so: byte by byte, and where there is no such file, as text, if that is one only.
  private func known(_ given: String) -> String {
    let exact = KernelName.listed(given)
    if library.summary(exact) != nil { return exact }
    if library.summary(given) != nil { return given }
    let alike = library.list().takes.map(\.id).filter { KernelName.shown($0) == given }
    return alike.count == 1 ? alike[0] : exact
  }

  func show(_ id: String) throws {
    let meta = try attempt { () throws(LibraryError) in try library.show(known(id)) }
    Host.say(isJSON ? meta.value.text : meta.value.indentedText)
  }

  func verify(_ id: String?) throws {
    var findings: [Finding] = []
    if let id {
      findings = try attempt { () throws(LibraryError) in try library.verify(known(id)) }
    } else {
      var cursor = library.beginVerify()
      while let found = try attempt({ () throws(LibraryError) in try library.verifyNext(&cursor) }) {
        findings += found
      }
    }
    let unseen = findings.unseen
    findings = findings.filter { $0.severity != .note }
    if isJSON {
      Host.say(
        JSONValue.array(findings.map { ["id": .string($0.id), "code": .string($0.code), "text": .string($0.text)] })
          .text)
    } else {
      for finding in findings { Host.say("\(finding.id): \(finding.code): \(finding.text)".shown) }
      let outcome =
        findings.isEmpty ? "all good" : "\(findings.count) findings; mynah library repair mends what can be mended"
      Host.say(unseen > 0 ? "\(outcome); \(unseen) not looked into: sealed" : outcome)
    }
    if !findings.isEmpty { throw Exit.badData }
  }

  /// First what recovery at start would do, then each take thoroughly.
  func repair(_ id: String?) throws {
    var sentences = library.report.sentences
    var unmended: ExitCode?
    for id in library.repairable(id.map(known)) {
      do { sentences += try attempt { () throws(LibraryError) in try library.repair(id) } } catch let code as ExitCode {
        // It has complained. The others are mended, too.
        unmended = unmended ?? code
      }
    }
    try attempt { () throws(LibraryError) in try library.close() }
    if isJSON {
      Host.say(JSONValue.array(sentences.map { .string($0) }).text)
    } else {
      for sentence in sentences { Host.say(sentence.shown) }
      Host.say(sentences.isEmpty ? "nothing to repair" : "\(sentences.count) done")
    }
    if let unmended { throw unmended }
  }

  func export(_ ids: [String], to folder: String, as format: ConvertedFormat?) throws {
    guard Host.isDirectory(folder) else { throw Host.failure(Exit.noInput, "\(folder): there is no such directory") }
    let target = try Host.storage(folder, reserveMB: 0)
    let all = try attempt { () throws(LibraryError) in try library.exports.all() }
    let wanted = ids.isEmpty ? all : ids.map { all.contains(known($0)) ? known($0) : $0 }
    let export = library.exports.begin(wanted, to: target, as: format)
    var ended: ExportOutcome?
    while ended == nil { ended = try attempt { () throws(LibraryError) in try export.step() } }
    guard let outcome = ended else { return }
    if isJSON {
      let failures: [JSONValue] = outcome.failures.map {
        ["id": .string($0.id), "code": .string($0.error.code), "text": .string("\($0.error)")]
      }
      Host.say(
        JSONValue.object([
          "done": .integer(outcome.done), "copied": .integer(outcome.copied), "there": .integer(outcome.there),
          "failures": .array(failures),
        ]).text)
    } else {
      Host.say("\(outcome.done) takes and clips: \(outcome.copied) files copied, \(outcome.there) were there")
    }
    let codes = outcome.failures.map { Self.failure($0.error) }
    if let code = codes.first { throw code }
  }

  private func attempt<Value>(_ work: () throws(LibraryError) -> Value) throws -> Value {
    do throws(LibraryError) { return try work() } catch { throw Self.failure(error) }
  }

  private static func failure(_ error: LibraryError) -> ExitCode {
    if case .notFound = error { return Host.failure(Exit.noInput, "\(error)".shown) }
    return Host.failure(Exit.inputOutput, "\(error)".shown)
  }
}
