internal import Appliance
public import Board
internal import Console
internal import Hardware
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
      let value = SettingValue(preset.value)
      do throws(SettingError) {
        try board.allow(preset.key, value)
        try settings.set(preset.key, to: value)
      } catch {
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

extension BoardDescription {
  /// - Throws: that the board has not what the setting is for: with a PIN that nobody can enter the panel would be locked
  ///   for good.
  func allow(_ key: String, _ value: SettingValue) throws(SettingError) {
    guard key == "lock.pin", value != .text("") else { return }
    let keys = keys
    var missing = [Button.lock, .right, .centre].filter { !keys.contains($0) }
    // The digits go round.
    if keys.isDisjoint(with: [.up, .down]) { missing.append(.up) }
    guard !missing.isEmpty else { return }
    throw .noKeys(key: key, missing: missing.map(\.rawValue).joined(separator: ", "))
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
