internal import Appliance
internal import Console
internal import Hardware
internal import Library
internal import Proof

enum ProofKeyMethod: DeviceTask {
  static let row = MethodRow(
    "proof.key", "tells the device's public key, by which anybody checks what it signed", .viewer)
  typealias Parameters = NoParameters

  struct Answer: WireObject {
    let key: PublicKey
    let isOn: Bool

    static let fields: [Field<Self>] = [
      Field("key", { $0.key.text }, "64 hexadecimal digits, for mynah verify --key"),
      Field("words", { $0.key.words.joined(separator: " ") }, "eight words that stand for it, to compare"),
      Field("signs", \.isOn, "whether new takes and clips are signed"),
    ]
  }

  static func perform(_: NoParameters, in device: CommandContext, reply: @escaping Reply) {
    device.onLibrary(reply) { library throws(LibraryError) in
      Answer(key: try library.proofs.publicKey(), isOn: library.proofs.isOn)
    }
  }
}

enum ProofVerify: DeviceTask {
  static let row = MethodRow(
    "proof.verify", "compares a take or clip with its signed receipt", .operator, whileRecording: .queued)

  struct Parameters: ParameterSet {
    let id: String

    init(_ given: inout Given) throws(CommandFailure) { id = try given.value("id", .take, "the take or clip") }
  }

  struct Answer: WireObject {
    let verdict: ProofVerdict

    static let fields: [Field<Self>] = [
      Field("verdict", \.verdict.word, "whole, cut off, changed, unsigned"),
      Field("seconds", ifAny: \.verdict.seconds, "up to which it is proven, where it is cut off or changed"),
      Field("reason", \.verdict.reason, "why"),
      Field("key", ifAny: \.verdict.key?.text, "who signed it"),
      Field("words", ifAny: { $0.verdict.key?.words.joined(separator: " ") }, "the same in words"),
    ]
  }

  static func perform(_ parameters: Parameters, in device: CommandContext, reply: @escaping Reply) {
    // Its proof has no end yet, and nobody has cut it off.
    guard parameters.id != device.state.openTake?.id else {
      return reply(.failure(CommandFailure(LibraryError.busy(parameters.id))))
    }
    let check = BetweenSteps<ProofCheck?>(nil)
    device.onLibraryInSteps(reply) { library throws(LibraryError) in
      let current = if let begun = check.value { begun } else { try library.checkProof(of: parameters.id) }
      check.value = current
      return try current.step().map { Answer(verdict: $0) }
    }
  }
}
