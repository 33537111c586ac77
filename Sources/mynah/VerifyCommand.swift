import ArgumentParser
import Hardware
import JSON
import LinuxHardware
import Proof

/// `mynah verify`: what a signed receipt says of a take or clip. Needs no device, and changes nothing.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check takes and clips by their signed receipts.",
    discussion:
      "Of each file: whole, cut off at T, changed at T, or unsigned, and who signed it. FILE.proof lies beside it; so may "
      + "its notes, FILE.json or those of the data directory. Exit code 0 if all are whole, else 65; if one cannot be "
      + "read, 66 or 74, after the others.")

  @Argument(help: "Takes and clips.") var files: [String]
  @Option(help: "Only what this key signed counts: 64 hexadecimal digits, as proof.key and the info page tell it.")
  var key: String?
  @Flag(help: "As JSON.") var json = false

  func run() throws {
    let wanted = try key.map { text throws in
      guard let key = PublicKey(text) else {
        throw ValidationError("--key \(text): a public key is 64 hexadecimal digits")
      }
      return key
    }
    var answers: [JSONValue] = []
    var isAllWhole = true
    var unread: ExitCode?
    for file in files {
      let verdict: ProofVerdict
      do { verdict = try verify(file, wanted) } catch let code as ExitCode {
        // It has complained. The others are asked for, too.
        unread = unread ?? code
        continue
      }
      isAllWhole = isAllWhole && verdict.state == .whole
      guard !json else {
        var answer = verdict.json
        answer["file"] = .string(file)
        answers.append(answer)
        continue
      }
      Host.say("\(file): \(verdict.text)".shown)
      Host.say("  \(verdict.reason)".shown)
      if let key = verdict.key {
        Host.say("  signed by \(key.words.joined(separator: " "))")
        Host.say("  key \(key.text)")
      }
    }
    if json { Host.say(JSONValue.array(answers).text) }
    if let unread { throw unread }
    if !isAllWhole { throw Exit.badData }
  }

  private func verify(_ given: String, _ wanted: PublicKey?) throws -> ProofVerdict {
    guard let path = Host.realPath(given) else {
      throw Host.failure(Exit.noInput, "\(given): there is no such file".shown)
    }
    let (folder, last) = path.pathParts
    let name = KernelName.listed(last)
    let files = try Host.storage(folder.map { $0.isEmpty ? "/" : $0 } ?? ".", reserveMB: 0)
    do throws(StorageError) {
      let media = try files.open(name, writable: false)
      defer { media.close() }
      let proof = try Self.open(name + ".proof", files)
      defer { proof?.close() }
      var verifier = ProofVerifier(media: media, proof: proof, notes: try Self.notes(of: name, files), key: wanted)
      return try verifier.run()
    } catch {
      var error = error
      if error.path == name { error.path = given }
      throw Host.failure(error.kind == .notFound ? Exit.noInput : Exit.inputOutput, "\(error)".shown)
    }
  }

  private static func open(_ name: String, _ files: FileStorage) throws(StorageError) -> (any StoredFile)? {
    do throws(StorageError) { return try files.open(name, writable: false) } catch {
      if error.kind == .notFound { return nil }
      throw error
    }
  }

  /// The notes beside a file that are about it: on a stick or in a data directory.
  private static func notes(of name: String, _ files: FileStorage) throws(StorageError) -> JSONValue? {
    let stem = name.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(name[..<$0]) } ?? name
    for candidate in ["\(name).json", "\(stem).json"] {
      guard let file = try open(candidate, files) else { continue }
      defer { file.close() }
      let bytes = try file.bytes(at: 0, count: 4 << 20)
      return (try? JSONValue(parsing: bytes, limits: JSONLimits(bytes: 4 << 20))) ?? .null
    }
    return nil
  }
}
