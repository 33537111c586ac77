/// A setting that a board file gives the device: it holds from each start on, until somebody changes it.
///
/// Which settings there are is not known here; whoever knows them says what is wrong with one, by its place.
public struct BoardPreset: Hashable, Sendable {
  public enum Value: Hashable, Sendable {
    case text(String)
    case integer(Int)
    case number(Double)
    case flag(Bool)
  }

  /// `recording.format`.
  public let key: String
  /// May be a secret: never shown.
  public let value: Value
  public let place: SourcePlace

  init?(_ key: String, _ setting: BoardSetting) {
    (self.key, place) = (key, setting.place)
    switch setting.value {
    case .text(let text): value = .text(text)
    case .integer(let number): value = .integer(number)
    case .real(let number): value = .number(number)
    case .flag(let flag): value = .flag(flag)
    case .texts: return nil
    }
  }

  /// What is wrong with it, in the words of whoever knows the settings.
  public func problem(_ message: String) -> BoardProblem { BoardProblem(place, message.oneLine(limit: 300)) }
}

/// The operator that a board file sets up on a device that has none yet: a technician.
public struct FirstOperator: Hashable, Sendable {
  public let name: String
  /// A secret, as long as it is in the file.
  public let password: String
  public let place: SourcePlace

  /// What is wrong with it, in the words of whoever knows operators.
  public func problem(_ message: String) -> BoardProblem { BoardProblem(place, message.oneLine(limit: 300)) }
}
