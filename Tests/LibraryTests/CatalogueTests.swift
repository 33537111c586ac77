import Hardware
import TestSupport
import Testing

@testable import Library

@Suite struct CatalogueTests {
  private func record(_ number: Int, name: String = "", tags: [String] = []) -> TakeRecord {
    var meta = MetadataTests.full
    let id = TakeName(number: number, createdAt: meta.createdAt, fileExtension: "m4a").file
    meta.displayName = name.isEmpty ? TakeName.split(id).stem : name
    meta.userTags = tags
    return TakeRecord(meta, id: id, sound: nil, sidecar: nil, verified: true)
  }

  @Test func aLineComesBackAsItWasWritten() throws {
    for record in [
      record(1), record(2, name: "tab\there\nback\\slash\u{1F}", tags: ["a\u{1F}b", "", "c"]),
      record(1_234_567, name: "Ночь", tags: ["один"]),
    ] {
      let bytes = CatalogueLine.put(record).bytes
      #expect(bytes.last == UInt8(ascii: "\n"))
      #expect(!bytes.dropLast().contains(UInt8(ascii: "\n")))
      #expect(CatalogueLine(bytes.dropLast()) == .put(record))
    }
    let removal = CatalogueLine.remove("Talk\t1.mp3")
    #expect(CatalogueLine(removal.bytes.dropLast()) == removal)
  }

  @Test func aDamagedLineIsDropped() {
    var dice = SeededGenerator(seed: 9)
    let bytes = Array(CatalogueLine.put(record(3, name: "Evening", tags: ["x"])).bytes.dropLast())
    for _ in 0..<20_000 {
      var damaged = bytes
      let place = dice.below(damaged.count)
      damaged[place] ^= UInt8(1 << dice.below(8))
      #expect(CatalogueLine(damaged[...]) == nil)
      #expect(CatalogueLine(damaged[..<place]) == nil)
      // Fields of any content behind a checksum that is right.
      let body = [UInt8(ascii: "+")] + dice.bytes(30).flatMap { [$0 % 58, UInt8(ascii: "\t")] }.prefix(40)
      let line = Array(Checksum.hexadecimal(UInt64(Checksum.fnv32(body)), digits: 8).utf8) + body
      _ = CatalogueLine(line[...])
    }
  }

  @Test func aChangeAppendsOneLineAndTheFileStaysBounded() throws {
    let bench = try Bench.opened()
    let id = try bench.record()
    bench.settle()
    let size = try #require(bench.storage.nodes["catalogue"]).bytes.count
    try bench.library.setFavourite(id, true)
    let grown = try #require(bench.storage.nodes["catalogue"]).bytes.count
    #expect(grown > size && grown < size + 400)
    for count in 0..<1000 {
      try bench.library.setFavourite(id, count % 2 == 0)
      bench.settle()
    }
    let bounded = try #require(bench.storage.nodes["catalogue"]).bytes.count
    #expect(bounded < 80 * 400)
    #expect(try bench.faults() == [])
  }

  @Test func numbersDecideWhatIsNewest() {
    var index = TakeIndex()
    for number in [3, 1, 1_000_000, 2] { index.put(record(number)) }
    let window = index.window(offset: 0, limit: 10, order: TakeSort())
    #expect(window.records.map(\.session) == [1_000_000, 3, 2, 1])
    index.remove(record(3).id)
    let oldest = index.window(
      offset: 1, limit: 1, order: TakeSort(.date, reversed: true))
    #expect(oldest.records.map(\.session) == [2])
    #expect(oldest.total == 3)
    #expect(index.totalSeconds == 7.5)
  }

  @Test(arguments: [
    ("вечер", [1]), ("ВЕЧЕР", [1]), ("radio", [2, 1]), ("radio вечер", [1]), ("000003", [3]), ("t21-54", [3]),
    ("nothing", []), ("  ", [3, 2, 1]),
    // The third has no name: it is shown as Take 3.
    ("take 3", [3]), ("Take", [3]), ("tak", [3]), ("take 000003", []), ("take 2", []), ("take radio", []),
  ])
  func searchLooksAtNamesAndTags(query: String, expected: [Int]) {
    var index = TakeIndex([
      record(1, name: "Тихий Вечер", tags: ["Radio"]), record(2, name: "Morning", tags: ["radio", "x"]), record(3),
    ])
    let window = index.window(offset: 0, limit: 10, filter: TakeFilter(query: query), order: TakeSort())
    #expect(window.records.map(\.session) == expected)
    #expect(window.total == expected.count)
  }

  @Test func sortsAreReadFromTheConsole() {
    #expect(TakeSort("date") == TakeSort())
    #expect(TakeSort("-size") == TakeSort(.size, reversed: true))
    #expect(TakeSort("colour") == nil)
  }

  /// Ten thousand takes. Prints its times; they are judged by people, not by the clock of a busy machine.
  @Test func tenThousandTakesOpenListAndSearch() throws {
    let storage = MemoryStorage()
    storage.makeAll(Library.directories)
    let clock = StillClock()
    let sound = FakeDoctor.complete(frames: 10)
    var dice = SeededGenerator(seed: 11)
    let words = ["morning", "Вечер", "street", "birds", "interview", "река", "train", "rain"]
    var records: [TakeRecord] = []
    for number in 1...10_000 {
      let name = TakeName(number: number, createdAt: clock.wallNow, fileExtension: "wav")
      var meta = FileMeta(
        id: name.file, displayName: number % 3 == 0 ? "\(words[dice.below(8)]) \(number)" : name.stem,
        createdAt: clock.wallNow,
        audio: AudioAttributes(duration: 0, sampleRate: 48_000, channels: 2, format: "wav", fileSizeBytes: 0))
      meta.userTags = number % 5 == 0 ? [words[dice.below(8)]] : []
      meta.setLength(frames: 10, fileSizeBytes: sound.count)
      storage.plant("recordings/\(name.file)", sound)
      // Only a few are ever read.
      storage.plant("recordings/\(name.stem).json", number > 9900 || number == 5000 ? meta.json() : [1])
      storage.plant("recordings/\(name.stem).json.bak", [1])
      // The catalogue has not seen the last hundred.
      if number <= 9900 {
        let paths = [name.file, "\(name.stem).json"].map { "recordings/\($0)" }
        records.append(
          TakeRecord(
            meta, id: name.file, sound: try storage.entry(paths[0]), sidecar: try storage.entry(paths[1]),
            verified: true))
      }
    }
    let watch = ContinuousClock()
    func time(_ what: String, _ body: () throws -> Void) rethrows {
      let taken = try watch.measure(body)
      print("library of 10,000: \(what): \(taken)")
    }
    let catalogue = Catalogue(Disk(storage))
    try time("write the catalogue") { try catalogue.rewrite(records) }
    try time("of that: the storage's own listing") { _ = try storage.list("recordings") }
    try time("of that: read the catalogue") { _ = try Catalogue(Disk(storage)).load() }
    let bench = Bench(storage)
    let library = bench.library
    try time("open, both included") { try library.open() }
    #expect(library.report.known == 9900)
    time("read in and check 100 new takes") { bench.settle() }
    #expect(library.count == 10_000)
    #expect(bench.doctor.inspections == 100)
    time("first page, newest first") { #expect(library.list(limit: 50).takes.count == 50) }
    for key in TakeSort.Key.allCases {
      time("whole list by \(key)") { #expect(library.list(sort: TakeSort(key)).total == 10_000) }
      time("page by \(key)") { #expect(library.list(offset: 5000, limit: 50, sort: TakeSort(key)).total == 10_000) }
    }
    time("search \"вечер\"") { #expect(library.list(limit: 50, filter: TakeFilter(query: "вечер")).total > 100) }
    time("search \"9999\"") { #expect(library.list(limit: 50, filter: TakeFilter(query: "9999")).total > 0) }
    let id = try #require(records.dropFirst(4999).first?.id)
    try time("rename one") { _ = try library.rename(id, to: "Renamed") }
    try time("delete one") { try library.delete(id, now: .zero) }
    #expect(library.count == 9999)
  }
}
