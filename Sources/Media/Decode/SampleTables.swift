internal import Hardware

/// Looks access units up in the sample tables of a finished take, on the medium: memory does not grow with the take.
struct SampleTables {
  /// Where an access unit lies, and when its sound begins (media time, priming included).
  struct Unit {
    var offset: Int
    var size: Int
    var time: Int
    var duration: Int
  }

  /// A table and a file of its own to read it by, so that its buffer is not thrown away at every look.
  private struct Table {
    var file: any StoredFile
    var start: Int
    var count: Int

    func word(_ index: Int, at byte: Int) throws(StorageError) -> Int? {
      var reader = ByteReader(try file.bytes(at: start + byte, count: 4))
      return index < count ? reader.big32().map(Int.init) : nil
    }
  }

  private var times: [(first: Int, start: Int, delta: Int)] = []
  private let sizes: Table
  private let chunks: Table
  private let offsets: Table
  private let offsetsAreLong: Bool
  /// Every so many runs of `stsc`: the run's number and the first access unit in it.
  private var checkpoints: [(run: Int, unit: Int)] = []
  private static let checkpointEvery = 256
  private static let mostTimeRuns = 4096
  /// A chunk of ours has a second of sound. Whoever seeks reads the sizes of all in it before the one that is meant.
  private static let mostUnitsInChunk = 1 << 16
  /// Two days of seconds; all are read when the file is opened.
  private static let mostRuns = 1 << 20
  /// Beyond any real take: keeps sums and products of damaged tables from overflowing.
  private static let mostEntries = 1 << 30
  private static let longestTime = 1 << 48

  /// Access units in all.
  let count: Int
  private var next: Int?
  private var cursor = Cursor()

  /// A place in `stsc`, and in a chunk.
  private struct Cursor {
    var run = 0
    var unitsPerChunk = 0
    /// The chunk (from 0) at which the next run begins.
    var runEnd = 0
    var chunk = 0
    var unitInChunk = 0
    var offset = 0
  }

  /// - Parameters:
  ///   - tables: the `stbl` box, whose tables are as long as their counts say.
  ///   - open: opens the file once more.
  init?(_ tables: BoxWalker.Box, open: () -> (any StoredFile)?) throws(StorageError) {
    guard let file = open(), let sizeFile = open(), let chunkFile = open(), let offsetFile = open() else { return nil }
    let walker = BoxWalker(file)
    guard let times = try walker.find(["stts"], in: tables), let chunks = try walker.find(["stsc"], in: tables),
      let sizes = try walker.find(["stsz"], in: tables)
    else { return nil }
    let long = try walker.find(["co64"], in: tables)
    let short = try walker.find(["stco"], in: tables)
    guard let offsets = long ?? short else { return nil }
    func entries(_ box: BoxWalker.Box, at byte: Int) throws(StorageError) -> Int {
      var reader = ByteReader(try file.bytes(at: box.content + byte, count: 4))
      return Int(reader.big32() ?? 0)
    }
    count = try entries(sizes, at: 8)
    self.sizes = Table(file: sizeFile, start: sizes.content + 12, count: count)
    self.chunks = Table(file: chunkFile, start: chunks.content + 8, count: try entries(chunks, at: 4))
    self.offsets = Table(file: offsetFile, start: offsets.content + 8, count: try entries(offsets, at: 4))
    offsetsAreLong = long != nil
    // Entries that are not there would be looked for one after the other; a common size is not of our making.
    guard try entries(sizes, at: 4) == 0, self.chunks.count <= Self.mostRuns,
      Self.holds(sizes, 12, count, width: 4), Self.holds(chunks, 8, self.chunks.count, width: 12),
      Self.holds(offsets, 8, self.offsets.count, width: long != nil ? 8 : 4)
    else { return nil }
    let runs = try entries(times, at: 4)
    guard runs <= Self.mostTimeRuns, count <= Self.mostEntries, self.offsets.count <= Self.mostEntries else {
      return nil
    }
    var reader = ByteReader(try file.bytes(at: times.content + 8, count: 8 * runs))
    var unit = 0
    var time = 0
    // bounded: their product, and the sum of those before, by the longest time
    while let number = reader.big32(), let delta = reader.big32() {
      guard Int(number) <= count - unit, Int(delta) <= Self.longestTime / max(1, Int(number)), time <= Self.longestTime
      else { return nil }
      self.times.append((unit, time, Int(delta)))
      unit += Int(number)
      time += Int(number) * Int(delta)
    }
    guard unit == count, try noteCheckpoints() else { return nil }
  }

  /// Whether a box is as long as its table, whose entries begin at a byte of its content.
  private static func holds(_ box: BoxWalker.Box, _ first: Int, _ count: Int, width: Int) -> Bool {
    (ClaimedNumber(count) * ClaimedNumber(width)).within(0...max(0, box.end - box.content - first)) != nil
  }

  /// The first chunk (from 0) and the access units a chunk of a run; chunks go on to the next run's first.
  private func run(_ index: Int) throws(StorageError) -> (first: Int, units: Int)? {
    guard let first = try chunks.word(index, at: 12 * index), let units = try chunks.word(index, at: 12 * index + 4),
      first > 0, units > 0
    else { return nil }
    return (first - 1, units)
  }

  /// - Returns: false if the runs do not add up.
  private mutating func noteCheckpoints() throws(StorageError) -> Bool {
    var unit = 0
    var previous = (first: 0, units: 0)
    // In blocks: a day's take has half a million runs.
    var block = ByteReader([])
    for index in 0..<chunks.count {
      if block.remaining < 12 {
        let place = chunks.start + 12 * index
        block = ByteReader(try chunks.file.bytes(at: place, count: min(48 << 10, 12 * (chunks.count - index))))
      }
      // bounded: by the number of chunks, which is below 2^30
      guard let number = block.big32().map(Int.init), let units = block.big32().map(Int.init), block.skip(4),
        index == 0 ? number == 1 : number - 1 > previous.first,
        number <= offsets.count, (1...min(max(1, count), Self.mostUnitsInChunk)).contains(units)
      else { return false }
      unit += (number - 1 - previous.first) * previous.units
      guard unit <= count else { return false }
      if index % Self.checkpointEvery == 0 { checkpoints.append((index, unit)) }
      previous = (number - 1, units)
    }
    return unit + (offsets.count - previous.first) * previous.units == count
  }

  /// The access unit in which `time` falls; the first or last where it lies outside.
  func index(at time: Int) -> Int {
    guard let run = times.last(where: { $0.start <= time }) else { return 0 }
    let index = run.first + (time - run.start) / max(1, run.delta)
    let end = (times.first { $0.first > run.first }?.first ?? count) - 1
    return max(0, min(index, end))
  }

  /// The access unit `index`; quickest one after the other. `nil` past the end or where the tables make no sense.
  mutating func unit(_ index: Int) throws(StorageError) -> Unit? {
    guard index >= 0, index < count, let size = try sizes.word(index, at: 4 * index) else { return nil }
    if next != index {
      guard try find(index) else { return nil }
    }
    guard let run = times.last(where: { $0.first <= index }) else { return nil }
    let unit = Unit(
      offset: cursor.offset, size: size, time: run.start + (index - run.first) * run.delta, duration: run.delta)
    cursor.offset += size
    cursor.unitInChunk += 1
    next = index + 1
    if cursor.unitInChunk == cursor.unitsPerChunk, index + 1 < count {
      guard try enter(chunk: cursor.chunk + 1) else {
        next = nil
        return unit
      }
    }
    return unit
  }

  /// Brings the cursor to an access unit.
  private mutating func find(_ index: Int) throws(StorageError) -> Bool {
    next = nil
    guard let checkpoint = checkpoints.last(where: { $0.unit <= index }) else { return false }
    var first = checkpoint.unit
    for number in checkpoint.run..<chunks.count {
      guard let current = try run(number) else { return false }
      let end = number + 1 < chunks.count ? try run(number + 1)?.first ?? offsets.count : offsets.count
      let units = (end - current.first) * current.units
      guard index >= first + units else {
        cursor.run = number
        cursor.unitsPerChunk = current.units
        cursor.runEnd = end
        let (chunk, rest) = (index - first).quotientAndRemainder(dividingBy: current.units)
        guard try enter(chunk: current.first + chunk) else { return false }
        for earlier in index - rest..<index { cursor.offset += try sizes.word(earlier, at: 4 * earlier) ?? 0 }
        cursor.unitInChunk = rest
        return true
      }
      first += units
    }
    return false
  }

  /// Puts the cursor at the beginning of a chunk of this run or the next.
  private mutating func enter(chunk: Int) throws(StorageError) -> Bool {
    if chunk >= cursor.runEnd {
      guard let current = try run(cursor.run + 1) else { return false }
      cursor.run += 1
      cursor.unitsPerChunk = current.units
      cursor.runEnd = cursor.run + 1 < chunks.count ? try run(cursor.run + 1)?.first ?? offsets.count : offsets.count
    }
    cursor.chunk = chunk
    cursor.unitInChunk = 0
    let width = offsetsAreLong ? 8 : 4
    guard var offset = try offsets.word(chunk, at: width * chunk) else { return false }
    if offsetsAreLong {
      guard let low = try offsets.word(chunk, at: width * chunk + 4), offset < 1 << 24 else { return false }
      offset = offset << 32 | low
    }
    cursor.offset = offset
    return true
  }
}
