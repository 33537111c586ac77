internal import Appliance
internal import Console
internal import Hardware
internal import JSON
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

  private struct Tagging: ParameterSet {
    let id: String
    let tags: [String]

    init(_ given: inout Given) throws(CommandFailure) {
      id = try TakeParameters(&given).id
      tags = try given.value("tags", .texts(limit: 200), "the tags, one word each")
    }
  }

  private struct Sending: ParameterSet {
    let id: String
    let withSafety: Bool

    init(_ given: inout Given) throws(CommandFailure) {
      id = try given.value("id", .take, "the file name of a take or of a clip")
      withSafety = try given.value("safety", .flag, default: false, "on: the safety take, too")
    }
  }

  private struct Exporting: ParameterSet {
    let id: String
    let format: ExportFormat?
    let withSafety: Bool

    init(_ given: inout Given) throws(CommandFailure) {
      id = try given.value("id", .take, "the file name or the number of a take or of a clip; all: all of them")
      format = try given.optional(
        "format", .choice(ExportFormat.asIs), "what takes become there; left out: as export.format says")
      withSafety = try given.value("safety", .flag, default: false, "on: safety takes, too")
    }
  }

  private struct Favouring: ParameterSet {
    let id: String
    let isOn: Bool

    init(_ given: inout Given) throws(CommandFailure) {
      id = try TakeParameters(&given).id
      isOn = try given.value("on", .flag, default: true, "off: no longer")
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
    Word("find", "lists takes whose name, tags or titles of marks contain some words", methods: [LibraryList.self]) {
      (query: Query, call: Call) in
      call.show(LibraryList.self, LibraryList.Parameters(filter: TakeFilter(query: query.text)), LibraryText.takes)
    },
    Word("show", "tells all about a take or a clip", methods: [LibraryShow.self, ClipsReceipt.self, ClockGet.self]) {
      (named: LibraryShow.Parameters, call: Call) in
      call.call(ClockGet.self, NoParameters()) { clock in
        call.call(LibraryShow.self, named, orOfClip: ClipsReceipt.self, named.id) {
          call.show(PeopleText.tree(clock.zone.localDates(in: $0), call.width))
        }
      }
    },
    Word(
      "marks", "lists the marks of a take",
      discussion: "More is done by the methods: marks.set ID number seconds title note, marks.move ID 2 61.5, "
        + "marks.remove ID 2.", calls: MarksList.self, lines: LibraryText.marks),
    Word("rename", "changes the name that people see", calls: LibraryRename.self),
    Word("tag", "gives a take tags: tag ID radio; one with - in front goes", methods: [LibraryTag.self]) {
      (wanted: Tagging, call: Call) in
      call.show(LibraryTag.self, LibraryTag.Parameters(wanted.id, wanted.tags)) { answer, _ in
        [answer.tags.map { $0.isEmpty ? "no tags" : "tags: \($0.joined(separator: ", "))" } ?? "done"]
      }
    },
    Word("favourite", "makes a take a favourite; favourite ID off: no longer", methods: [LibraryFavourite.self]) {
      (wanted: Favouring, call: Call) in
      call.show(LibraryFavourite.self, LibraryFavourite.Parameters(wanted.id, wanted.isOn)) { _, _ in
        [wanted.isOn ? "a favourite" : "no favourite"]
      }
    },
    Word(
      "send", "sends a take or a clip to this terminal's computer by ZMODEM",
      discussion: "Start rz there, or let the terminal program receive; rz -r goes on where it broke off. ^C ends it. "
        + "Of a split take all files are sent.", methods: [FilesList.self, FilesRead.self]
    ) { (wanted: Sending, call: Call) in
      call.call(FilesList.self, FilesList.Parameters(wanted.id)) { answer in
        let rows = answer.files.filter { wanted.withSafety || !$0.isSafety }
        call.send(
          rows.map { row in
            TransferFile(name: row.id, modified: row.created) { offset, bytes, answer in
              call.ask(FilesRead.self, FilesRead.Parameters(row.id, offset: offset, bytes: bytes)) {
                answer($0.map { ($0.piece.data, $0.piece.total) })
              }
            }
          })
      }
    },
    Word(
      "receive", aliases: ["rz"], "takes sounds and updates from this terminal's computer by ZMODEM",
      discussion: "Start sz there, or let the terminal program send: it says rz by itself. What broke off goes on when "
        + "it is sent again. ^C ends it before anything is sent.", methods: [FilesWrite.self]
    ) { (_: NoParameters, call: Call) in
      call.receive { offer, answer in
        let piece = Incoming.Piece(name: offer.name, total: offer.total, offset: offer.offset, bytes: offer.bytes)
        call.ask(FilesWrite.self, FilesWrite.Parameters(piece)) {
          answer($0.map { ($0.progress.bytes, $0.progress.id) })
        }
      }
    },
    Word(
      "export", "copies a take, a clip or all to the stick: export 42, export all, export 42 mp3",
      discussion: "The stick is unmounted at the end, and may be pulled out then. library.cancel ends it earlier.",
      methods: [LibraryExport.self]
    ) { (wanted: Exporting, call: Call) in
      call.show(
        LibraryExport.self, LibraryExport.Parameters(word: wanted.id, as: wanted.format, withSafety: wanted.withSafety)
      ) {
        answer, _ in LibraryText.exported(answer.end)
      }
    },
    Word("stick", "tells what is in the socket for a stick", calls: StickStatus.self) { answer, _ in
      [LibraryText.stick(answer)]
    },
    Word("copy", "copies a take", calls: LibraryCopy.self) { answer, _ in ["\(answer.id), \(answer.name)"] },
    Word(
      "delete", "deletes a take or a clip; \"undelete\" brings it back for a while",
      methods: [LibraryDelete.self, ClipsDelete.self]
    ) { (named: TakeParameters, call: Call) in
      call.call(LibraryDelete.self, SomeTakes(named.id), orOfClip: ClipsDelete.self, named.id) { _ in
        call.show(["\(named.id) is deleted: undelete brings it back"])
      }
    },
    Word("undelete", "brings back the takes or the clip deleted last", calls: LibraryUndelete.self) { answer, _ in
      answer.ids
    },
    Word(
      "verify", "looks into takes and clips, at their notes and the catalogue, and says what is wrong",
      calls: LibraryVerify.self,
      lines: LibraryText.check),
    Word("repair", "mends what can be mended", calls: LibraryRepair.self, lines: LibraryText.check),
  ]
}

extension WordCall<CommandContext> {
  /// Calls a method of the take that is meant or, where there is none, another of the clip; if both fail, so does the word.
  fileprivate func call<Take: Method, Clip: Method>(
    _ ofTake: Take.Type, _ take: Take.Parameters, orOfClip ofClip: Clip.Type, _ id: String,
    then: @escaping (JSONValue) -> Void
  ) where Take.Context == CommandContext, Clip.Context == CommandContext, Clip.Parameters == ClipParameters {
    ask(ofTake, take) { answer in
      switch answer {
      case .success(let answer): then(answer.json)
      case .failure(let failure) where failure.code == .notFound:
        ask(ofClip, ClipParameters(id)) { answer in
          switch answer {
          case .success(let answer): then(answer.json)
          case .failure(let other): fail(other.code == .notFound ? failure : other)
          }
        }
      case .failure(let failure): fail(failure)
      }
    }
  }
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
    var columns: [PeopleTable<TakeSummary>.Column] = [
      .init("take", cell: \.id), .init("name", shrinks: true) { TakeNames.shown($0.displayName) },
      .init("length", alignsRight: true) { PeopleText.duration($0.duration) },
      .init("size", alignsRight: true) { PeopleText.bytes(Double($0.fileSizeBytes)) },
    ]
    if list.takes.contains(where: \.hasSafety) { columns.append(.init("") { $0.hasSafety ? "safety" : "" }) }
    return PeopleTable(columns).lines(list.takes, width: width)
      + ["\(list.offset + 1) to \(list.offset + list.takes.count) of \(list.total)"] + rest
  }

  static func stick(_ answer: StickStatus.Answer) -> String {
    guard answer.hasSocket else { return "this board has no socket for a stick" }
    let stick = answer.state
    let facts = [stick.label, stick.bytes > 0 ? PeopleText.bytes(Double(stick.bytes)) : ""].filter { !$0.isEmpty }
    let known = facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))"
    return switch stick.condition {
    case .absent: "no stick is in"
    case .plugged: "a stick is in\(known)"
    case .mounted: "a stick is in use\(known): leave it in"
    case .safe: "the stick\(known) may be pulled out"
    case .unusable: "the stick\(known) cannot be used: \(stick.reason)"
    }
  }

  @Sendable static func exported(_ end: ExportEnd) -> [String] {
    let outcome = end.outcome
    let there = outcome.there > 0 ? ", \(outcome.there) of the files were there already" : ""
    return (end.isCancelled ? ["cancelled"] : []) + ["\(outcome.done) on the stick\(there)"]
      + outcome.failures.map { "\($0.id): \($0.error)" } + (end.isSafe ? ["the stick may be pulled out"] : [])
  }

  @Sendable static func marks(_ list: MarksAnswer, width: Int) -> [String] {
    guard !list.marks.isEmpty else { return ["no marks"] }
    let table = PeopleTable<MarkAnswer>([
      .init("", alignsRight: true) { "\($0.number)" },
      .init("at", alignsRight: true) { PeopleText.duration($0.mark.time) },
      .init("title", shrinks: true) { $0.mark.title ?? "" }, .init("note", shrinks: true) { $0.mark.note ?? "" },
    ])
    return table.lines(list.marks, width: width)
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
    let rest = check.unseen > 0 ? "; \(check.unseen) not looked into: sealed, or being recorded" : ""
    return lines + ["\(check.checked) checked, \(outcome)\(rest)"]
  }
}
