internal import Appliance
internal import Console
internal import Hardware
internal import Library

/// Which take or clip somebody means by what was typed for it: its file name, `last`, its number, its name, or the
/// beginning of one of them. Pure.
struct TypedNames {
  /// A take or a clip that there is, newest first.
  struct Row {
    let id: String
    /// What people see.
    let name: String

    /// `42` of `000042_2026-11-20T21-54-00Z.m4a`; another program's `42_talk.wav` has none.
    fileprivate var number: Int? { TakeName.number(in: id) }
  }

  private let rows: [Row]
  private static let mostShown = 5

  /// - Parameter rows: newest first.
  init(_ rows: [Row]) { self.rows = rows }

  /// The file name; `nil` if nothing is called so.
  ///
  /// - Throws: `badArgument` with the first candidates if it may be several.
  func id(_ typed: String) throws(CommandFailure) -> String? {
    // Byte by byte first: `==` takes é in two for that of one letter.
    for id in [KernelName.listed(typed), typed] where rows.contains(where: { $0.id == id }) { return id }
    // Then as people write it: a keyboard does not part é in two, and a Mac does.
    if let called = try only(rows.filter { KernelName.shown($0.id) == typed }, typed) { return called }
    let key = typed.lowercased()
    if key == "last" { return rows.first?.id }
    // All of them, whatever one of them is called.
    if key == "all" { return nil }
    // Two devices may have given it.
    if let number = Int(typed), let row = try only(rows.filter { $0.number == number }, typed) { return row }
    if let called = try only(rows.filter { $0.name.lowercased() == key }, typed) { return called }
    // A number that nothing has is no beginning of a name: what had it may have been deleted.
    guard !key.isEmpty, Int(key) == nil else { return nil }
    return try only(rows.filter { Self.begins($0.id, with: key) || Self.begins($0.name, with: key) }, typed)
  }

  /// `take 1` is no beginning of `Take 10`.
  private static func begins(_ text: String, with key: String) -> Bool {
    let text = text.lowercased()
    guard text.hasPrefix(key) else { return false }
    return key.last?.isNumber != true || text.dropFirst(key.count).first?.isNumber != true
  }

  private func only(_ fitting: [Row], _ typed: String) throws(CommandFailure) -> String? {
    guard fitting.count > 1 else { return fitting.first?.id }
    let shown = fitting.prefix(Self.mostShown).map { "\($0.id) (\($0.name))" }
    let more = fitting.count > Self.mostShown ? ", and \(fitting.count - Self.mostShown) more" : ""
    throw CommandFailure(
      .badArgument, "\"\(typed.prefix(60))\" may be \(shown.joined(separator: ", "))\(more)")
  }
}

extension CommandContext {
  func identify(
    _ words: [String], isClip: Bool, reply: @escaping (Result<[String], CommandFailure>) -> Void
  ) {
    let language = state.settings.language
    onLibrary({ (found: Result<Result<[String], CommandFailure>, CommandFailure>) in reply(found.flatMap { $0 }) }) {
      library throws(LibraryError) -> Result<[String], CommandFailure> in
      // Whole file names need no list of ten thousand.
      let files = words.map(KernelName.listed)
      if !isClip, files.allSatisfy({ library.summary($0)?.id == $0 }) { return .success(files) }
      let takes = TypedNames(
        library.list(limit: 1_000_000).takes.map { take in
          TypedNames.Row(id: take.id, name: TakeNames.shown(take.displayName, in: language))
        })
      let clips = TypedNames(
        library.clips.ids(limit: .max).map { id in
          let name = TakeName(id).map { TakeNames.clip($0.number, in: language) } ?? KernelName.shown(id)
          return TypedNames.Row(id: id, name: name)
        })
      do throws(CommandFailure) {
        var ids: [String] = []
        // Where both can be meant, `send` and `export`, it is a take's parameter: a clip is what no take is called.
        for word in words {
          var id = isClip ? nil : try takes.id(word)
          if id == nil { id = try clips.id(word) }
          ids.append(id ?? word)
        }
        return .success(ids)
      } catch {
        return .failure(error)
      }
    }
  }
}
