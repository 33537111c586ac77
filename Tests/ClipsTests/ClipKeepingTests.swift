import Hardware
import JSON
import Library
import Media
import Recording
import SimulatedHardware
import TestSupport
import Testing

@testable import Clips

/// Retention, protection, leftovers: clips as files.
@Suite struct ClipKeepingTests {
  /// A bench with a clip in whose last two seconds the camera was away.
  private func holed() throws -> Bench {
    let bench = try Bench(.small(pre: 1, post: 3))
    bench.recorder.arm()
    bench.run(until: 3)
    bench.recorder.trigger(at: bench.instant(3), cause: .key)
    bench.run(until: 4)
    bench.camera.unplug(at: bench.clock.now)
    bench.run(until: 8)
    bench.finish()
    return bench
  }

  @Test func deletedClipsAreGoneAndNumbersAreNeverGivenTwice() throws {
    let bench = try Bench.made(2)
    let before = bench.ids
    try bench.library.delete(before[1], now: bench.clock.now)
    #expect(throws: LibraryError.notFound(before[1])) { try bench.library.delete(before[1], now: bench.clock.now) }
    let next = try Bench(.small(pre: 1, post: 0), memory: bench.memory)
    next.capture(at: 3, until: 4)
    #expect(next.ids.map { $0.prefix(6) } == ["000001", "000003"])
  }

  @Test func leftoversAreClearedAtStart() throws {
    let bench = try Bench.made(1)
    func put(_ name: String, _ bytes: [UInt8]) throws { try bench.storage.replace("clips/\(name)", with: bytes) }
    let stamp = "2026-11-20T21-54-00Z"
    try put("000007_\(stamp).mp4.part", [])
    try put("000007_\(stamp).json", Array(#"{"inProgress":true}"#.utf8))
    try put("000008_\(stamp).json", Array(#"{"inProgress":true}"#.utf8))
    try put("000009_\(stamp).mp4.part", [UInt8](repeating: 7, count: 100_000))
    try put("000009_\(stamp).json", Array("{".utf8))
    // What the device has not made stays.
    try put("notes.json", Array("{}".utf8))
    try put("000007_x.mp4.part", [])
    try put("000008_x.json", Array(#"{"inProgress":true}"#.utf8))
    let next = try Bench(.small(), memory: bench.memory)
    let left = try next.names()
    let clip = "000001_2026-11-20T21-54-01Z"
    #expect(left == ["\(clip).json", "\(clip).mp4", "000007_x.mp4.part", "000008_x.json", "notes.json"])
    // With its receipt, and a note on each.
    #expect(try next.storage.list("_Corrupted").count == 4)
    #expect(next.library.report.sentences.count == 2 && next.library.report.emptyRemoved == 1)
  }

  @Test func aPowerCutAtAnyMomentLeavesAWholeClipOrNone() throws {
    for step in 0..<18 {
      let bench = try Bench(.small(pre: 1, post: 1))
      bench.recorder.arm()
      bench.run(until: 2.5)
      bench.recorder.trigger(at: bench.instant(2.5), cause: .key)
      let cut = 2.5 + Double(step) * 0.066
      bench.run(until: cut)
      try bench.storage.cutPower(step % 2 == 0 ? .nothingKept : .someKept(seed: UInt64(step)))
      let next = try Bench(.small(), memory: bench.memory)
      let names = try next.names()
      #expect(!names.contains { $0.hasSuffix(".part") })
      for clip in next.clips.list().clips {
        let content = try ClipContent(next, clip.id)
        #expect(content.isUnbroken)
        #expect(content.shown.count > 0)
        #expect(abs(content.reader.duration - clip.duration) < 0.05)
        #expect(clip.stopReason == "recovered" || clip.stopReason == "post-roll")
      }
      // What was announced is there.
      for receipt in bench.log.saved { #expect(next.clips.summary(receipt.id)?.stopReason == "post-roll") }
      // From the first fragment on there is something.
      if step > 2 { #expect(next.clips.list().total == 1, "cut at \(cut)") }
    }
  }
}

extension ClipKeepingTests {
  @Test func clipsAreJoinedAndTrimmedIntoNewOnes() throws {
    let bench = try Bench.made(3)
    let before = bench.ids
    let joining = bench.clips.join(before)
    var joined: String?
    while joined == nil { joined = try joining.step() }
    let whole = try ClipContent(bench, try #require(joined))
    let parts = try before.map { try ClipContent(bench, $0) }
    #expect(whole.shown.map(\.number) == parts.flatMap { $0.shown.map(\.number) })
    #expect(abs(whole.reader.duration - parts.reduce(0) { $0 + $1.reader.duration }) < 1e-6)
    let trimming = bench.clips.trim(before[0], to: 0.4..<0.8)
    var trimmed: String?
    while trimmed == nil { trimmed = try trimming.step() }
    let part = try ClipContent(bench, try #require(trimmed))
    #expect(part.shown.count == 12 || part.shown.count == 13)
    #expect(bench.clips.list().total == 5)
    #expect(throws: LibraryError.self) { try bench.clips.trim(before[0], to: 7..<8).step() }
    #expect(throws: LibraryError.self) { try bench.clips.join(["nothing.mp4"]).step() }
    #expect(try !bench.names().contains { $0.hasSuffix(".edit") })
    #expect(try bench.clips.receipt(of: try #require(joined))["sources"]?.arrayValue?.count == 3)
  }
}

extension ClipKeepingTests {
  @Test func `Nothing is wrong with a clip that was trimmed or joined, but with one of which a part is gone`() throws {
    let bench = try Bench.made(2)
    let before = bench.ids
    for editing in [bench.clips.join(before), bench.clips.trim(before[0], to: 0.4..<0.8)] {
      var made: String?
      while made == nil { made = try editing.step() }
      let id = try #require(made)
      #expect(try bench.library.verify(id) == [])
      let whole = try bench.bytes(of: id)
      for count in [whole.count - 1, whole.count - 200, whole.count / 2] {
        try bench.storage.replace("clips/\(id)", with: Array(whole.prefix(count)))
        let found = try bench.library.verify(id)
        #expect(found.map(\.code) == ["clip-damaged"] && found.map(\.isRepairable) == [false], "\(count): \(found)")
      }
      // A sector of its index, a wrong bit in where its samples are and how many bytes they have.
      for (box, offset, change) in [
        ("moov", 0, nil), ("stbl", 0, nil), ("stco", 14, UInt8(0x10)), ("stsz", 19, UInt8(0x20)),
      ] {
        var bytes = whole
        let places = bytes.indices.dropLast(4).filter { bytes[$0..<$0 + 4].elementsEqual(box.utf8) }
        // That of the pictures, which is the first of two.
        let place = try #require(places.suffix(2).first)
        if let change {
          bytes[place + offset] ^= change
        } else {
          for index in place..<min(place + 512, bytes.count) { bytes[index] = 0 }
        }
        try bench.storage.replace("clips/\(id)", with: bytes)
        #expect(try bench.library.verify(id).map(\.code) == ["clip-damaged"], "\(box)")
      }
    }
  }
}

extension ClipKeepingTests {
  /// Players that take no more of an edit list than where it begins see the pictures that lead in to a part, and must not
  /// see all that is behind them late.
  @Test(arguments: [0.4, 0.55, 0.7])
  func whatIsJoinedStaysInStepWithoutItsEditList(from start: Double) throws {
    let bench = try Bench.made(1)
    let trimming = bench.clips.trim(try #require(bench.ids.first), to: start..<start + 0.4)
    var trimmed: String?
    while trimmed == nil { trimmed = try trimming.step() }
    let joining = bench.clips.join(Array(repeating: try #require(trimmed), count: 6))
    var joined: String?
    while joined == nil { joined = try joining.step() }
    let folder = TemporaryFolder()
    let path = folder.put(try bench.bytes(of: try #require(joined)), "clip.mp4")
    let ends = try ["v", "a"].map { kind in
      let times = try Tool.succeed(
        "ffprobe",
        [
          "-v", "error", "-ignore_editlist", "1", "-select_streams", kind, "-show_entries", "packet=pts_time", "-of",
          "csv=p=0", path,
        ])
      return try #require(times.split(separator: "\n").last.flatMap { Double($0.prefix { $0 != "," }) })
    }
    // The lead-in of the first part is in both.
    let lead = try ClipContent(bench, try #require(trimmed)).reader.shown.first?.lowerBound ?? 0
    #expect(abs(ends[0] - Double(lead) / 90_000 - ends[1]) < 0.2, "\(ends)")
  }

  @Test func theQuotaHoldsOnceAClipIsThereAndSparesThatOne() throws {
    let bench = try Bench.made(3)
    let one = bench.clips.totalBytes / 3
    bench.clips.retention.quotaBytes = one * 2 + one / 2
    bench.capture(at: 20, until: 21)
    #expect(bench.clips.totalBytes <= one * 2 + one / 2)
    #expect(bench.clips.list().total == 2)
    // The newest stays, however little there may be.
    bench.clips.retention.quotaBytes = 1
    bench.capture(at: 25, until: 26)
    #expect(bench.ids.map { $0.prefix(6) } == ["000005"])
  }

  /// What ffmpeg makes of a clip, beside what its receipt says.
  private func check(_ bench: Bench, _ id: String, _ what: String) throws {
    let receipt = try bench.clips.receipt(of: id)
    let content = try ClipContent(bench, id)
    let facts = try content.reader.facts(of: MemoryFile(bench.bytes(of: id)))
    #expect(receipt["pictures"]?["captured"]?.integerValue == content.shown.count, "\(what)")
    #expect(
      receipt["pictures"]?["keyframes"]?.integerValue == content.reader.pictures.count { $0.isKeyframe }, "\(what)")
    #expect(receipt["pictures"]?["width"]?.integerValue == content.reader.description.pictures?.width, "\(what)")
    let longest = receipt["pictures"]?["longestDeltaSeconds"]?.numberValue ?? -1
    #expect(abs(longest - (content.steps.max() ?? 0)) < 1e-4, "\(what): \(longest)")
    let folder = TemporaryFolder()
    let path = folder.put(try bench.bytes(of: id), "clip.mp4")
    let duration = try Tool.succeed(
      "ffprobe", ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path])
    let told = Double(duration.split(separator: "\n").first ?? "") ?? -1
    #expect(abs((receipt["durationSeconds"]?.numberValue ?? 0) - told) < 0.002, "\(what)")
    let raw = try Tool.run("ffmpeg", ["-v", "error", "-i", path, "-vn", "-f", "s16le", "-ac", "1", "-"])
    // ffmpeg gives the last packet of each part out to its end.
    let frames = receipt["sound"]?["frames"]?.integerValue ?? 0
    #expect(frames == facts.frames && (-1024..<2048).contains(raw.data.count / 2 - frames), "\(what)")
    #expect(receipt["fileBytes"]?.integerValue == (try bench.bytes(of: id)).count, "\(what)")
    for gap in receipt["gaps"]?.arrayValue ?? [] {
      let end = (gap["start"]?.numberValue ?? 0) + (gap["seconds"]?.numberValue ?? 0)
      #expect(end <= facts.duration + 1e-6, "\(what)")
    }
  }

  @Test func aReceiptSaysWhatIsInTheFileWhateverBecameOfIt() throws {
    let bench = try Bench.made(2)
    let plain = bench.ids
    try check(bench, plain[0], "plain")
    var joined: String?
    let joining = bench.clips.join(plain)
    while joined == nil { joined = try joining.step() }
    try check(bench, try #require(joined), "joined")
    var trimmed: String?
    let trimming = bench.clips.trim(plain[0], to: 0.31..<0.83)
    while trimmed == nil { trimmed = try trimming.step() }
    try check(bench, try #require(trimmed), "trimmed")

    let hole = try holed()
    let holed = try #require(hole.log.saved.first)
    try check(hole, holed.id, "a hole at the end")
    #expect(holed.gaps.map(\.reason) == ["camera-lost"])

    let full = try Bench(.small(pre: 1, post: 10))
    full.recorder.arm()
    full.run(until: 3)
    full.recorder.trigger(at: full.instant(3), cause: .key)
    full.run(until: 5)
    full.storage.setFull(true)
    full.run(until: 8)
    full.storage.setFull(false)
    full.finish()
    try check(full, try #require(full.log.saved.first).id, "full")

    let cut = try Bench(.small(pre: 1, post: 10))
    cut.recorder.arm()
    cut.run(until: 3)
    cut.recorder.trigger(at: cut.instant(3), cause: .key)
    cut.run(until: 6)
    try cut.storage.cutPower()
    let next = try Bench(.small(), memory: cut.memory)
    try check(next, try #require(next.clips.list().clips.first).id, "recovered")
  }

  @Test func whatIsMissingInAClipIsMissingInThoseThatAreMadeOfIt() throws {
    let bench = try holed()
    let id = try #require(bench.log.saved.first).id
    let whole = try bench.clips.receipt(of: id)
    let (length, source) = (try #require(whole["durationSeconds"]?.numberValue), gaps(whole))
    try #require(source.count == 1 && source[0].start > 1.1 && source[0].start < 2.5)

    var (joined, trimmed): (String?, String?)
    let (joining, trimming) = (bench.clips.join([id, id]), bench.clips.trim(id, to: 1..<2.5))
    while joined == nil { joined = try joining.step() }
    while trimmed == nil { trimmed = try trimming.step() }
    let twice = gaps(try bench.clips.receipt(of: try #require(joined)))
    try #require(twice.count == 2)
    #expect(abs(twice[0].start - source[0].start) < 0.001 && abs(twice[1].start - source[0].start - length) < 0.001)
    #expect(abs(twice[0].seconds - source[0].seconds) < 0.001)
    let part = gaps(try bench.clips.receipt(of: try #require(trimmed)))
    try #require(part.count == 1)
    #expect(abs(part[0].start - (source[0].start - 1)) < 0.001)
    #expect(part[0].start + part[0].seconds < 1.501)
    // None is there where none is missing.
    let before = bench.clips.trim(id, to: 0.1..<1)
    var clean: String?
    while clean == nil { clean = try before.step() }
    #expect(try bench.clips.receipt(of: try #require(clean))["gaps"]?.arrayValue == [])
  }

  @Test func `Pictures that were lost beside the part that a clip is made of are not lost in it`() throws {
    let bench = try Bench(.small(pre: 1, post: 4))
    bench.recorder.arm()
    bench.run(until: 3)
    bench.recorder.trigger(at: bench.instant(3), cause: .key)
    bench.run(until: 4)
    bench.camera.stall(.milliseconds(900), at: bench.clock.now)
    bench.run(until: 8)
    bench.finish()
    let id = try #require(bench.log.saved.first).id
    func lost(_ id: String) throws -> Int {
      let dropped = try bench.clips.receipt(of: id)["pictures"]?["dropped"]?.objectValue ?? [:]
      return dropped.values.reduce(0) { $0 + ($1.integerValue ?? 0) }
    }
    func part(_ range: Range<Double>) throws -> String {
      let trimming = bench.clips.trim(id, to: range)
      while true { if let made = try trimming.step() { return made } }
    }
    let all = try lost(id)
    #expect(all > 20)
    #expect(try lost(part(0.2..<1.2)) == 0)
    #expect(try lost(part(1..<4)) == all)
  }

  private func gaps(_ receipt: JSONValue) -> [(start: Double, seconds: Double)] {
    (receipt["gaps"]?.arrayValue ?? []).map { ($0["start"]?.numberValue ?? -1, $0["seconds"]?.numberValue ?? -1) }
  }

  @Test func aSmallClipOfWhichNothingCanBeSavedIsKeptWithItsReceipt() throws {
    let bench = try Bench(.small(pre: 1, post: 10))
    bench.recorder.arm()
    bench.run(until: 3)
    bench.recorder.trigger(at: bench.instant(3), cause: .key)
    bench.run(until: 4)
    try bench.storage.cutPower()
    let name = try #require(try bench.memory.list("clips").map(\.name).first { $0.hasSuffix(".part") })
    let (part, json) = ("clips/\(name)", "clips/\(name.dropLast(9)).json")
    func bytes(_ path: String) throws -> [UInt8] {
      let file = try bench.memory.open(path, writable: false)
      return try file.bytes(at: 0, count: file.size)
    }
    let (whole, receipt) = (Array(try bytes(part).prefix(60_000)), try bytes(json))
    let head = try #require(whole.firstRange(of: Array("moof".utf8))).lowerBound - 4
    // No head can be made of what is left of it.
    var damaged = whole
    let code = try #require(whole.firstRange(of: Array("mp4v".utf8))).lowerBound
    for place in head - 200..<head { damaged[place] = 0xA5 }
    for place in code..<code + 200 { damaged[place] = 0xA5 }
    try bench.memory.replace(part, with: damaged)
    let next = try Bench(.small(), memory: bench.memory)
    #expect(next.clips.list().total == 0)
    #expect(try next.storage.list("clips").isEmpty)
    let kept = try next.storage.open("_Corrupted/\(name)", writable: false)
    #expect(try kept.bytes(at: 0, count: kept.size) == damaged)
    let notes = try next.storage.open("_Corrupted/\(name.dropLast(9)).json", writable: false)
    #expect(try notes.bytes(at: 0, count: notes.size) == receipt)
    #expect(next.library.report.sentences.contains { $0.contains("_Corrupted/\(name)") })

    // What ends within its head goes.
    try next.memory.replace(part, with: Array(whole.prefix(head)))
    try next.memory.replace(json, with: receipt)
    let last = try Bench(.small(), memory: bench.memory)
    #expect(try last.storage.list("clips").isEmpty && last.storage.list("_Corrupted").count == 4)
    #expect(last.library.report.emptyRemoved == 1)
  }

  @Test func whatIsMissingInAClipThatWasMendedIsInItsReceipt() throws {
    let bench = try Bench(.small(pre: 1, post: 10))
    bench.recorder.arm()
    bench.run(until: 3)
    bench.recorder.trigger(at: bench.instant(3), cause: .key)
    bench.run(until: 6)
    try bench.storage.cutPower()
    let name = try #require(try bench.memory.list("clips").map(\.name).first { $0.hasSuffix(".part") })
    let part = "clips/\(name)"
    var bytes = try bench.memory.read(part, limit: 1 << 30)
    let heads = bytes.indices.dropLast(4).filter { bytes[$0..<$0 + 4].elementsEqual("moof".utf8) }
    try #require(heads.count > 4)
    bytes[heads[heads.count / 2]] ^= 1
    try bench.memory.replace(part, with: bytes)
    let next = try Bench(.small(), memory: bench.memory)
    let id = try #require(next.clips.list().clips.first).id
    let receipt = try next.clips.receipt(of: id)
    let told = try #require(receipt["gaps"]?.arrayValue).filter { $0["reason"] == "damaged" }
    #expect(Set(told.compactMap { $0["track"]?.stringValue }) == ["picture", "sound"])
    for gap in told { #expect((0.1..<1.5).contains(gap["seconds"]?.numberValue ?? 0), "\(gap)") }
    let lost = told.first { $0["track"] == "picture" }?["seconds"]?.numberValue ?? 0
    let missing = receipt["pictures"]?["dropped"]?["damaged"]?.integerValue ?? 0
    #expect(abs(Double(missing) - lost * 30) <= 1.5)
  }

  @Test(arguments: ["moov", "stsz", "stco", "stbl"])
  func aFinishedClipWhoseIndexIsDamagedGetsANewOne(box: String) throws {
    let bench = try Bench.made(2)
    let id = try #require(bench.ids.first)
    let (before, receipt) = (try ClipContent(bench, id), try bench.clips.receipt(of: id))
    var bytes = try bench.bytes(of: id)
    let place = try #require(
      bytes.indices.dropLast(4).last { bytes[$0..<$0 + 4].elementsEqual(box.utf8) })
    bytes[place + 1] ^= 4
    try bench.memory.replace("clips/\(id)", with: bytes)
    let next = try Bench(.small(), memory: bench.memory)
    let found = try next.library.verify(id)
    #expect(found.map(\.code) == ["clip-damaged"] && found.allSatisfy(\.isRepairable))
    #expect(next.library.repairable(nil).contains(id))
    #expect(try next.library.repair(id).count == 1)
    #expect(try next.library.verify(id) == [] && next.library.repair(id) == [])
    let after = try ClipContent(next, id)
    #expect(after.isUnbroken && after.shown.map(\.number).starts(with: before.shown.map(\.number)))
    let told = try next.clips.receipt(of: id)
    #expect(told["stopReason"] == receipt["stopReason"] && told["triggers"] == receipt["triggers"])
    #expect(told["fileBytes"]?.integerValue == (try next.bytes(of: id)).count)
    try check(next, id, "mended")
    // The other one is as it was.
    #expect(try next.library.repair(try #require(next.ids.last)) == [])
  }

  @Test func aFinishedClipOfWhichMuchIsLostStaysAsItIs() throws {
    let bench = try Bench.made(1)
    let id = try #require(bench.ids.first)
    var bytes = try bench.bytes(of: id)
    let index = try #require(bytes.indices.dropLast(4).last { bytes[$0..<$0 + 4].elementsEqual("moov".utf8) })
    let heads = bytes.indices.dropLast(4).filter { bytes[$0..<$0 + 4].elementsEqual("moof".utf8) }
    bytes[index + 1] ^= 4
    for place in try #require(heads.first)..<index { bytes[place] = 0xA5 }
    try bench.memory.replace("clips/\(id)", with: bytes)
    let next = try Bench(.small(), memory: bench.memory)
    _ = try next.library.repair(id)
    #expect(try next.bytes(of: id) == bytes)
  }
}
