internal import Appliance
public import Board
internal import Console
internal import Operators

/// The settings, and the first operator, that a board file gives the device.
public enum BoardPresets {
  /// What is wrong with them, by file and line; a value that is a secret is not repeated.
  public static func problems(in board: BoardDescription) -> [BoardProblem] {
    var settings = Settings()
    return set(board, in: &settings)
  }

  /// Puts those that are right into settings.
  ///
  /// - Returns: what is wrong with the others, and with the operator.
  static func set(_ board: BoardDescription, in settings: inout Settings) -> [BoardProblem] {
    var problems: [BoardProblem] = []
    for preset in board.presets {
      do throws(SettingError) { try settings.set(preset.key, to: SettingValue(preset.value)) } catch {
        problems.append(preset.problem("settings: \(error)"))
      }
    }
    if let complaint = complaint(about: board.firstOperator) { problems.append(complaint) }
    return problems
  }

  static func complaint(about first: FirstOperator?) -> BoardProblem? {
    guard let first else { return nil }
    guard OperatorBook.isName(first.name) else {
      return first.problem("operator.name: \(OperatorBook.nameRule)")
    }
    let lengths = PasswordHash.lengths
    guard lengths.contains(first.password.utf8.count) else {
      return first.problem("operator.password: expected \(lengths.lowerBound) to \(lengths.upperBound) bytes")
    }
    return nil
  }
}

extension SettingValue {
  fileprivate init(_ value: BoardPreset.Value) {
    switch value {
    case .text(let text): self = .text(text)
    case .integer(let number): self = .integer(number)
    case .number(let number): self = .number(number)
    case .flag(let flag): self = .flag(flag)
    }
  }
}
