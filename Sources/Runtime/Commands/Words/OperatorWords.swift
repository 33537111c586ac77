internal import Console
internal import JSON
internal import Operators

extension Words {
  /// `operators`, `operators add ann technician`, `operators remove ann`, `operators password ann`.
  private struct OperatorWord: ParameterSet {
    enum Action: String, CaseIterable, Sendable {
      case list
      case add
      case remove
      case password
    }

    let action: Action
    let name: String?
    let role: Role?

    init(_ given: inout Given) throws(CommandFailure) {
      action = try given.value("action", .choice(.list), default: .list, "list, add, remove or password")
      name = try given.optional("name", .word(limit: 64), "of the operator")
      role = try given.optional("role", .choice(.viewer), "for add: viewer, operator or technician")
    }

    func named() throws(CommandFailure) -> String {
      guard let name else { throw CommandFailure(.badArgument, "operators \(action.rawValue) needs a NAME") }
      return name
    }
  }

  static let operators: [Word<CommandContext>] = [
    Word(
      "operators", "shows who may work with the device; add, remove or password changes it",
      discussion: "For example: operators add ann technician. The password is asked for, and not shown. The first "
        + "operator is a technician, and from then on one has to log in.",
      isConfidential: true,
      methods: [OperatorsList.self, OperatorsAdd.self, OperatorsRemove.self, OperatorsPassword.self]
    ) { (word: OperatorWord, call: Call) in
      do throws(CommandFailure) {
        switch word.action {
        case .list: call.show(OperatorsList.self, NoParameters()) { list, _ in lines(list) }
        case .remove: call.show(OperatorsRemove.self, OperatorName(name: try word.named()))
        case .password:
          let name = try word.named()
          newPassword(call) { call.show(OperatorsPassword.self, OperatorPassword(name: name, password: $0)) }
        case .add:
          let name = try word.named()
          guard let role = word.role else {
            throw CommandFailure(.badArgument, "operators add needs a ROLE: viewer, operator or technician")
          }
          newPassword(call) {
            call.show(OperatorsAdd.self, OperatorsAdd.Parameters(name: name, role: role, password: $0))
          }
        }
      } catch {
        call.fail(error)
      }
    },
    Word("audit", "shows who did what, and whether that record is whole", calls: AuditTail.self) { answer, width in
      answer.lines.flatMap { line in
        PeopleText.wrap(
          "\(line["wall"]?.stringValue ?? "") \(line["who"]?.stringValue ?? "-") at "
            + "\(line["from"]?.stringValue ?? ""): \(line["what"]?.stringValue ?? "") "
            + "\(line["with"].map { $0.text + " " } ?? "")\(line["outcome"]?.stringValue ?? "")", width: width,
          rest: "  ")
      } + PeopleText.wrap(answer.problem ?? "\(answer.checked) lines, the record is whole", width: width)
    },
  ]

  /// Asks for a password twice.
  private static func newPassword(_ call: Call, then: @escaping (String) -> Void) {
    call.askSecret("new password: ") { first in
      call.askSecret("once more: ") { second in
        guard first == second else {
          return call.fail(CommandFailure(.badArgument, "the two are not the same; nothing is changed"))
        }
        then(first)
      }
    }
  }

  private static func lines(_ list: OperatorsList.Answer) -> [String] {
    guard !list.operators.isEmpty else { return ["no operators are set up: everybody may do everything"] }
    return list.operators.map { answer in
      let failures = answer.entry.failures.count
      return "\(PeopleText.pad(answer.entry.name, 20))\(answer.entry.role.rawValue)"
        + (failures > 0 ? ", \(failures) wrong passwords in a row" : "")
    }
  }
}
