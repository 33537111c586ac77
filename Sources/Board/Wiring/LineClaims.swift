internal import Hardware

/// Everything that wants a GPIO line, to find the ones that are wanted twice.
struct LineClaims {
  private struct Claim {
    var owner: String
    var chip: String
    var line: Int
    /// Where it was set; nil where a default holds.
    var place: SourcePlace?
    /// Which file of the chain set it, the inheriting ones higher.
    var rank: Int
  }

  private var claims: [Claim] = []
  private let file: String

  /// - Parameter rank: which file of the chain set a key.
  init(_ board: BoardDescription, rank: (String) -> Int?) {
    file = board.file
    func add(_ owner: String, chip: String, line: Int, key: String) {
      // Both spellings are one chip.
      let path = chip.hasPrefix("/") ? chip : "/dev/" + chip
      claims.append(Claim(owner: owner, chip: path, line: line, place: board.origins[key], rank: rank(key) ?? -1))
    }
    for fixed in board.fixedLines {
      add("\(fixed.owner) (\(fixed.signal))", chip: "/dev/gpiochip0", line: fixed.line, key: fixed.key)
    }
    for button in board.buttons {
      let owner = "buttons.\(button.button.rawValue)"
      add(owner, chip: button.chip, line: button.line, key: "\(owner).line")
    }
    for led in board.leds {
      let owner = "leds.\(led.lamp.rawValue)"
      add(owner, chip: led.chip, line: led.line, key: "\(owner).line")
    }
    for (owner, input) in [("trigger", board.trigger), ("power_key", board.powerKey), ("brown_out", board.brownOut)] {
      if let input { add(owner, chip: input.chip, line: input.line, key: "\(owner).line") }
    }
  }

  /// One problem a claim on a line that another one has already, at the place that was set last.
  func conflicts() -> [BoardProblem] {
    var problems: [BoardProblem] = []
    let sorted = claims.sorted { ($0.rank, $0.place?.line ?? 0) < ($1.rank, $1.place?.line ?? 0) }
    for (index, claim) in sorted.enumerated() {
      guard let first = sorted[..<index].first(where: { $0.chip == claim.chip && $0.line == claim.line }) else {
        continue
      }
      let place = claim.place ?? SourcePlace(file: file, line: 1)
      let other = first.place.map { "set at \($0)" } ?? "by default"
      problems.append(
        BoardProblem(place, "line \(claim.line) of \(claim.chip) is both \(claim.owner) and \(first.owner) (\(other))"))
    }
    return problems
  }
}
