/// The list of takes, or in clip mode of clips: a window on the library, which lives on the storage worker.
public struct FileList: Hashable, Sendable {
  /// Takes in the library.
  public var count = 0
  /// The highlighted one, 0 is the newest.
  public var selected = 0
  /// Index of the first of `window`.
  public var windowStart = 0
  /// The takes around the highlighted one; empty until the library has answered.
  public var window: [TakeReference] = []
  /// Set while the user is asked whether to delete the highlighted take.
  public var isConfirmingDelete = false

  /// Takes that are asked of the library at a time.
  public static let windowLength = 32
  /// Rows that LEFT and RIGHT turn over.
  public static let pageLength = 5

  public init() {}

  /// The highlighted take, if the library has told about it.
  public var selection: TakeReference? {
    window.indices.contains(selected - windowStart) ? window[selected - windowStart] : nil
  }
}

/// The options menu.
public struct OptionsMenu: Hashable, Sendable {
  /// Index into `rows`.
  public var selected = 0
  /// Whose options they are.
  public var mode = Mode.dictaphone

  public init() {}
}
