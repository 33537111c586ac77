/// What the runtime knows and the table does not: asked for completions, answered at once from memory.
public enum CompletionSubject: Hashable, Sendable {
  /// Ids of takes, newest first.
  case takes
  /// Ids of clips, newest first.
  case clips
  /// Names of settings.
  case settings
  /// The words that a setting takes; none if it takes numbers.
  case values(ofSetting: String)
}

/// Finds what a word may go on with.
struct Completer {
  let catalogue: CommandCatalogue
  let knowledge: (CompletionSubject) -> [String]
  /// Whether a word does anything for whoever types.
  let isOffered: (WordDescription) -> Bool

  struct Answer {
    /// Characters before the cursor that belong to the word, quotes and all.
    let typed: Int
    /// What they say.
    let said: String
    /// Whole words that begin with what is typed, in order, without doubles.
    let candidates: [String]
  }

  /// The candidates for the end of `head`, which is what stands before the cursor.
  func complete(_ head: String) -> Answer {
    let line = CommandLine(head)
    let current = line.isLastOpen ? line.words.last ?? "" : ""
    let before = line.isLastOpen ? Array(line.words.dropLast()) : line.words
    let key = current.lowercased()
    var seen = Set<String>()
    let fitting = words(after: before).filter { $0.lowercased().hasPrefix(key) && seen.insert($0).inserted }
    // Methods come in only where no command's word fits: few people type them.
    let words = fitting.filter { catalogue.method($0) == nil }
    let candidates = words.isEmpty ? fitting : words
    return Answer(typed: line.typedCount, said: current, candidates: candidates)
  }

  private func words(after before: [String]) -> [String] {
    guard let name = before.first else { return commands }
    guard let word = catalogue.word(name), isOffered(word) else { return [] }
    let given = before.count - 1
    let last = word.arguments.count - 1
    guard last >= 0 else { return [] }
    // A last argument that takes the rest of the line completes each of its words.
    let index = min(given, last)
    guard given <= last || word.arguments[last].takesTheRest else { return [] }
    switch word.arguments[index].kind {
    case .choice(let choices), .list(let choices): return choices
    case .flag: return ["true", "false"]
    case .take, .takes: return knowledge(.takes)
    case .clip, .clips: return knowledge(.clips)
    case .settingKey: return knowledge(.settings)
    case .settingValue: return given == index ? knowledge(.values(ofSetting: before[given])) : []
    case .fault: return FaultGrammar.continuations(after: Array(before.dropFirst(index + 1)))
    case .command: return commands
    case .language: return ["de", "en", "es", "fr", "it", "pt", "ru"]
    case .text, .anyText, .word, .secret, .texts, .integer, .number: return []
    }
  }

  private var commands: [String] {
    catalogue.words.filter(isOffered).map(\.name).sorted()
      + catalogue.methods.map(\.method).filter { catalogue.word($0).map(isOffered) ?? false }.sorted()
  }

  /// What all candidates begin with, in the case of the first.
  static func commonPrefix(_ candidates: [String]) -> String {
    guard var prefix = candidates.first else { return "" }
    for candidate in candidates.dropFirst() {
      let count = zip(prefix, candidate).prefix { $0.lowercased() == $1.lowercased() }.count
      prefix = String(prefix.prefix(count))
    }
    return prefix
  }
}
