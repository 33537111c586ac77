internal import Console
internal import Hardware
internal import Library

/// One take, or all.
struct ChosenTakes: ParameterSet {
  let id: String?

  init(_ given: inout Given) throws(CommandFailure) {
    id = try given.optional("id", .take, "one take or clip; all of them without it")
  }
}

/// What a check or a repair found.
struct LibraryCheck: WireObject {
  /// One thing that is, or was, wrong.
  struct Problem: WireObject {
    let id: String
    let problem: String
    let remedy: String?

    static let fields: [Field<Self>] = [
      Field("id", \.id, "the take or clip"), Field("problem", \.problem, "what is wrong with it"),
      Field("remedy", \.remedy, "what helps, or that it is done; null if nothing does"),
    ]
  }

  let checked: Int
  let problems: [Problem]
  /// Those that nobody could look into: sealed ones, and what is being recorded.
  let unseen: Int

  static let fields: [Field<Self>] = [
    Field("checked", \.checked, "takes and clips that were looked at"), Field("problems", \.problems, "what was found"),
  ]

  init(checked: Int, problems: [Problem]) {
    self.checked = checked
    self.problems = problems
    unseen = 0
  }

  init(_ findings: [Finding], checked: Int) {
    unseen = findings.unseen
    self.checked = checked - unseen
    problems = findings.filter { $0.severity != .note }.map { finding in
      Problem(
        id: finding.id, problem: "\(finding.code): \(finding.text)",
        remedy: finding.isRepairable ? "library.repair" : nil)
    }
  }
}

enum LibraryVerify: DeviceTask {
  static let row = MethodRow(
    "library.verify", "looks into takes and clips, at their notes and the catalogue, and says what is wrong", .operator,
    whileRecording: .queued)
  typealias Answer = LibraryCheck
  typealias Parameters = ChosenTakes

  static func perform(_ chosen: ChosenTakes, in device: CommandContext, reply: @escaping Reply) {
    let state = BetweenSteps<(cursor: VerifyCursor?, findings: [Finding])>((nil, []))
    device.onLibraryInSteps(reply) { library throws(LibraryError) in
      var cursor = state.value.cursor ?? library.beginVerify(chosen.id)
      guard let found = try library.verifyNext(&cursor) else {
        return LibraryCheck(state.value.findings, checked: chosen.id == nil ? cursor.done : 1)
      }
      state.value.cursor = cursor
      state.value.findings += found
      return nil
    }
  }
}

enum LibraryRepair: DeviceTask {
  static let row = MethodRow(
    "library.repair", "mends what can be mended; what cannot goes to _Corrupted/ with a note", .technician,
    whileRecording: .queued)
  typealias Answer = LibraryCheck
  typealias Parameters = ChosenTakes

  static func perform(_ chosen: ChosenTakes, in device: CommandContext, reply: @escaping Reply) {
    let state = BetweenSteps<(ids: [String]?, done: Int, problems: [LibraryCheck.Problem])>((nil, 0, []))
    device.onLibraryInSteps(reply) { library throws(LibraryError) in
      let ids = state.value.ids ?? library.repairable(chosen.id)
      state.value.ids = ids
      guard state.value.done < ids.count else {
        return LibraryCheck(checked: ids.count, problems: state.value.problems)
      }
      let id = ids[state.value.done]
      guard let sentences = try library.repairStep(id) else { return nil }
      state.value.done += 1
      // A file from elsewhere is left as it is.
      let remedy = library.summary(id)?.isUnreadable == true ? nil : "done"
      state.value.problems += sentences.map { LibraryCheck.Problem(id: id, problem: $0, remedy: remedy) }
      return nil
    }
  }
}
