import ArgumentParser
import Hardware
import LinuxHardware
import Media
import Sealing

/// `mynah decrypt`: a take or clip that was sealed, opened with its key, and completed if the power had cut it off. Needs no
/// device.
struct DecryptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decrypt", abstract: "Open a sealed take or clip with its key.",
    discussion:
      "Any file of age (age-encryption.org) for such a key is opened. One that was being written when the power went is "
      + "completed. Exit code 0 if all is there that was written, 65 if something is missing, changed, or is sealed to "
      + "another key; what can be opened is in OUT, with zeros between.")

  @Option(help: "The file of age-keygen with the secret key, AGE-SECRET-KEY-1….") var identity: String
  @Argument(help: "The sealed file, NAME.age.") var input: String
  @Argument(help: "The file to be made; it must not exist. Without it NAME.") var output: String?

  private static let suffix = ".age"

  func run() throws {
    guard let target = output ?? (input.hasSuffix(Self.suffix) ? String(input.dropLast(Self.suffix.count)) : nil) else {
      throw ValidationError("\(input) is not called NAME.age: say what OUT is to be")
    }
    let (folder, name) = try Self.place(input)
    let source = try Self.attempt { () throws(StorageError) in try folder.open(name, writable: false) }
    defer { source.close() }
    guard let keys = AgeIdentity.list(String(decoding: try Host.read(identity, limit: 1 << 20), as: UTF8.self)) else {
      throw Host.failure(Exit.badData, "\(identity): there is no secret key of age in it, AGE-SECRET-KEY-1…".shown)
    }
    var text: SealedText
    do throws(SealedFailure) { text = try SealedText(source, keys, mends: true) } catch {
      throw Host.failure(Exit.badData, "\(input): \(error)".shown)
    }
    let (made, madeName) = try Self.place(target, isNew: true)
    let file = try Self.attempt { () throws(StorageError) in try made.create(madeName) }
    defer { file.close() }
    var size = 0
    var failure: SealedFailure?
    do throws(SealedFailure) {
      while let piece = try text.next() {
        do throws(StorageError) { try file.write(piece, at: size) } catch { throw .storage(error) }
        size += piece.count
      }
    } catch { failure = error }
    if case .storage(let error) = failure { throw Host.failure(Exit.inputOutput, "\(error)".shown) }
    let isWhole = failure == nil && text.condition == .whole
    let seconds = isWhole ? nil : try Self.attempt { () throws(StorageError) in try Self.complete(file) }
    try Self.attempt { () throws(StorageError) in try file.sync() }
    guard !isWhole else { return Host.say("\(target): whole".shown) }
    let kept = seconds.map { "what was there is completed, \(Self.spoken($0))" } ?? "nothing in it can be played"
    if failure == nil, text.condition == .unfinished {
      return Host.say("\(target): its end is missing, as behind a power cut; \(kept)".shown)
    }
    let reason = failure.map { "\($0)" } ?? "its end is missing"
    throw Host.failure(Exit.badData, "\(input): \(reason); in \(target) \(kept)".shown)
  }

  /// Completes what was cut off, as the device would.
  ///
  /// - Returns: seconds; nil if there are none.
  private static func complete(_ file: any StoredFile) throws(StorageError) -> Double? {
    var repair = MediaRepair(file, scratch: nil)
    while true {
      guard let found = try repair.step() else { continue }
      return found.condition == .finished ? found.seconds : nil
    }
  }

  private static func spoken(_ seconds: Double) -> String { "\(Double(Int(seconds * 10)) / 10) s" }

  private static func place(_ given: String, isNew: Bool = false) throws -> (FileStorage, String) {
    let (parent, name) = given.pathParts
    guard let folder = Host.realPath(parent.map { $0.isEmpty ? "/" : $0 } ?? "."), isNew || Host.realPath(given) != nil
    else {
      throw Host.failure(Exit.noInput, "\(given): there is no such file".shown)
    }
    return (try Host.storage(folder, reserveMB: 0), KernelName.listed(name))
  }

  @discardableResult
  private static func attempt<Value>(_ work: () throws(StorageError) -> Value) throws -> Value {
    do throws(StorageError) { return try work() } catch {
      throw Host.failure(error.kind == .notFound ? Exit.noInput : Exit.inputOutput, "\(error)".shown)
    }
  }
}
