internal import Console
internal import Hardware
internal import Library

extension Words {
  /// What `list` takes: fewer at a time than programs get.
  private struct Page: ParameterSet {
    let limit: Int
    let offset: Int
    let sort: LibraryList.Order

    init(_ given: inout Given) throws(CommandFailure) {
      limit = try given.value("limit", .integer(1...1000), default: 15, "how many at most")
      offset = try given.value(
        "offset", .integer(0...10_000_000), default: 0, "how many to leave out at the beginning")
      sort = try given.value("sort", .choice(.newest), default: .newest, "the order")
    }
  }

  private struct Query: ParameterSet {
    let text: String

    init(_ given: inout Given) throws(CommandFailure) {
      text = try given.value("query", .text(limit: 200), "the text")
    }
  }

  static let takes: [Word<CommandContext>] = [
    Word(
      "list", "lists takes, newest first", discussion: "For the next page give an offset: list 15 15.",
      methods: [LibraryList.self]
    ) { (page: Page, call: Call) in
      let wanted = LibraryList.Parameters(offset: page.offset, limit: page.limit, sort: page.sort)
      call.show(LibraryList.self, wanted, LibraryText.takes)
    },
    Word("find", "lists takes whose name or tags contain a text", methods: [LibraryList.self]) {
      (query: Query, call: Call) in
      call.show(LibraryList.self, LibraryList.Parameters(query: query.text), LibraryText.takes)
    },
    Word("show", "tells all about a take", calls: LibraryShow.self) { PeopleText.tree($0.json, $1) },
    Word("rename", "changes the name that people see", calls: LibraryRename.self),
    Word("delete", "deletes a take; \"undelete\" brings it back for a while", calls: LibraryDelete.self),
    Word("undelete", "brings back the take or clip that was deleted last", calls: LibraryUndelete.self),
    Word(
      "verify", "reads takes from end to end and says what is wrong", calls: LibraryVerify.self,
      lines: LibraryText.check),
    Word("repair", "mends what can be mended", calls: LibraryRepair.self, lines: LibraryText.check),
  ]
}

/// Takes, clips and what is wrong with them, as people read it.
enum LibraryText {
  @Sendable static func takes(_ list: LibraryList.Answer, width: Int) -> [String] {
    let rest =
      list.pending > 0
      ? ["\(list.pending) more being looked at: they were being changed when the device went off"] : []
    guard !list.takes.isEmpty else {
      return (list.total > 0 ? ["no more takes; there are \(list.total)"] : list.pending > 0 ? [] : ["no takes"]) + rest
    }
    let table = PeopleTable<TakeSummary>([
      .init("take", cell: \.id), .init("name", shrinks: true, cell: \.displayName),
      .init("length", alignsRight: true) { PeopleText.duration($0.duration) },
      .init("size", alignsRight: true) { PeopleText.bytes(Double($0.fileSizeBytes)) },
    ])
    return table.lines(list.takes, width: width)
      + ["\(list.offset + 1) to \(list.offset + list.takes.count) of \(list.total)"] + rest
  }

  @Sendable static func clips(_ list: ClipsList.Answer, width: Int) -> [String] {
    guard !list.clips.isEmpty else { return [list.total == 0 ? "no clips" : "no more clips; there are \(list.total)"] }
    let table = PeopleTable<ClipSummary>([
      .init("clip", shrinks: true, cell: \.id),
      .init("length", alignsRight: true) { PeopleText.duration($0.duration) },
      .init("size", alignsRight: true) { PeopleText.bytes(Double($0.bytes)) },
      .init("by") { $0.trigger ?? $0.stopReason ?? "-" }, .init("") { $0.isProtected ? "protected" : "" },
    ])
    return table.lines(list.clips, width: width)
      + ["\(list.offset + 1) to \(list.offset + list.clips.count) of \(list.total)"]
  }

  @Sendable static func check(_ check: LibraryCheck, width: Int) -> [String] {
    let lines = check.problems.flatMap { problem in
      PeopleText.wrap("\(problem.id): \(problem.problem)", width: width)
        + (problem.remedy.map { PeopleText.wrap($0, width: width, first: "  ", rest: "  ") } ?? [])
    }
    let outcome = check.problems.isEmpty ? "all good" : "\(check.problems.count) with problems"
    return lines + ["\(check.checked) checked, \(outcome)"]
  }
}
