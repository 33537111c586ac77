/// Finds the word that was probably meant.
public enum Suggestion {
  /// The candidate nearest to `word`, if it is near enough to be a slip of the finger: at most a third of the
  /// letters differ, case not counted.
  public static func nearest(to word: String, among candidates: [String]) -> String? {
    let typed = Array(word.lowercased().utf8)
    guard typed.count <= 40 else { return nil }
    var best: (word: String, distance: Int)?
    for candidate in candidates {
      let distance = distance(typed, Array(candidate.lowercased().utf8))
      guard distance <= max(1, max(typed.count, candidate.utf8.count) / 3) else { continue }
      if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
    }
    return best?.word
  }

  /// Edits between two words: insertions, deletions, replacements and swaps of neighbours (optimal string
  /// alignment; Boytsov, "Indexing methods for approximate dictionary searching", 2011, section 2.1).
  public static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for (row, letter) in one.enumerated() {
      var current = [row + 1]
      for (column, target) in other.enumerated() {
        var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (letter == target ? 0 : 1))
        if row > 0, column > 0, letter == other[column - 1], one[row - 1] == target {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      beforeLast = last
      last = current
    }
    return last[other.count]
  }
}
