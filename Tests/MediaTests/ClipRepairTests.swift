import Foundation
import Hardware
import Media
import TestSupport
import Testing

@Suite struct ClipRepairTests {
  let folder: TemporaryFolder
  let maker: ClipMaker

  init() throws {
    folder = TemporaryFolder()
    maker = try ClipMaker(TestVideo.shared.get())
  }

  /// A clip of which everything but the end is written.
  private func unfinished(skipped: Int = 0) throws -> MemoryFile {
    let file = MemoryFile()
    var clip = MovieWriter(file, maker.description(skipped: skipped))
    try maker.write(&clip)
    return file
  }

  @Test func anInterruptedClipBecomesAnOrdinaryOne() throws {
    let file = try unfinished(skipped: 5 * 3000)
    guard case .unfinished = try MediaRepair.inspect(file).condition else {
      Issue.record("not seen as unfinished")
      return
    }
    let result = try MediaRepair.repair(file)
    #expect(result.condition == .finished)
    #expect(result.pictures == 119)
    let path = folder.put(file.bytes, "r.mp4")
    #expect(try complaints(path) == "")
    let times = try shownTimes(path, "v")
    #expect(times.first == 0)
    #expect(times.count >= 113)
    #expect(try MediaRepair.inspect(file).condition == .finished)
  }

  @Test func aClipCutAtAnyByteKeepsEveryWholeGroup() throws {
    let whole = try unfinished()
    var random = SeededGenerator(seed: 7)
    for _ in 0..<40 {
      let length = Int.random(in: 2000..<whole.size, using: &random)
      let file = MemoryFile(Array(whole.bytes[..<length]))
      let result = try MediaRepair.repair(file)
      if case .damaged = result.condition { continue }
      #expect(result.condition == .finished)
      #expect(try MediaRepair.inspect(file).condition == .finished)
    }
    let file = MemoryFile(Array(whole.bytes[..<(whole.size * 2 / 3)]))
    let result = try MediaRepair.repair(file)
    #expect(result.pictures >= 70)
    let path = folder.put(file.bytes, "cut.mp4")
    #expect(try complaints(path) == "")
    #expect(try shownPictures(path) > 60)
  }

  @Test func zeroedBlocksCostTheirGroupsAndLeaveAHole() throws {
    let file = try unfinished()
    let start = file.size / 2 / 4096 * 4096
    for index in start..<(start + 4096) { file.bytes[index] = 0 }
    let result = try MediaRepair.repair(file)
    #expect(result.condition == .finished)
    #expect(result.pictures >= 90)
    let path = folder.put(file.bytes, "z.mp4")
    #expect(try shownPictures(path) >= 90)
    // The sound stays where it was: the hole is shown as one long picture.
    let times = try shownTimes(path, "v")
    #expect(abs((times.last ?? 0) - 118.0 / 30) < 0.04)
  }

  @Test func whatIsMissingInTheMiddleIsTold() throws {
    let file = try unfinished()
    let good = MemoryFile(file.bytes)
    #expect(try MediaRepair.repair(good).gaps == [])
    let heads = file.bytes.indices.dropLast(4).filter { file.bytes[$0..<$0 + 4].elementsEqual("moof".utf8) }
    try #require(heads.count > 5)
    file.bytes[heads[3] + 1] ^= 1
    let looked = try MediaRepair.inspect(file)
    let result = try MediaRepair.repair(file)
    #expect(result.condition == .finished && result.gaps == looked.gaps && result.gaps.count == 2)
    let pictures = try #require(result.gaps.first { $0.isPictures })
    let sound = try #require(result.gaps.first { !$0.isPictures })
    #expect(abs(pictures.start - sound.start) < 0.1 && sound.seconds > 0.4 && sound.seconds < 0.6)
    #expect(result.pictures == 119 - Int((pictures.seconds * 30).rounded()))
    let path = folder.put(file.bytes, "hole.mp4")
    #expect(try shownPictures(path) == result.pictures)
    let lost = try decodeWithFFmpeg(folder.put(good.bytes, "good.mp4")).count / 2 - decodeWithFFmpeg(path).count / 2
    #expect(abs(lost - sound.range.count) <= 2048)
  }

  @Test func oneWrongBitInWhatAPictureLastsPutsNoHoursIntoAClip() throws {
    let whole = try unfinished()
    let good = try MediaRepair.repair(MemoryFile(whole.bytes))
    let heads = whole.bytes.indices.dropLast(4).filter { whole.bytes[$0..<$0 + 4].elementsEqual("moof".utf8) }
    try #require(heads.count > 5)
    for (number, head) in heads.enumerated() where number % 2 == 1 || head == heads.last {
      for picture in [0, 6, 13] {
        for bit in stride(from: (number + picture) % 3, to: 32, by: 3) {
          let file = MemoryFile(whole.bytes)
          // Behind the heads of moof, mfhd, traf, tfhd, tfdt and trun.
          file.bytes[head + 84 + 12 * picture + bit / 8] ^= 1 << UInt8(bit % 8)
          let result = try MediaRepair.repair(file)
          // Nothing behind the last ones tells of less than half a second.
          let least = good.pictures - (head == heads.last ? 15 : 0)
          #expect(result.condition == .finished && result.pictures >= least, "\(number) \(picture) \(bit)")
          #expect(abs(result.seconds - good.seconds) < 0.05, "\(number) \(picture) \(bit): \(result.seconds)")
          guard picture == 6, bit < 3 else { continue }
          let times = try shownTimes(folder.put(file.bytes, "bit.mp4"), "v")
          #expect(abs((times.last ?? 0) - Double(good.pictures - 1) / 30) < 0.05, "\(number) \(bit)")
        }
      }
    }
  }

  @Test func oneWrongBitInATimeMovesNothing() throws {
    let whole = try unfinished()
    let good = try MediaRepair.repair(MemoryFile(whole.bytes))
    let heads = whole.bytes.indices.dropLast(4).filter { whole.bytes[$0..<$0 + 4].elementsEqual("moof".utf8) }
    for bit in stride(from: 0, to: 64, by: 3) {
      let file = MemoryFile(whole.bytes)
      // The time of the pictures, in their tfdt.
      file.bytes[heads[3] + 56 + bit / 8] ^= 1 << UInt8(bit % 8)
      let result = try MediaRepair.repair(file)
      #expect(result.pictures == good.pictures && result.gaps == [], "\(bit)")
      #expect(abs(result.seconds - good.seconds) < 0.001, "\(bit)")
    }
  }

  @Test func aCrashInsideTheRepairIsRepairedTheNextTime() throws {
    let whole = try unfinished()
    for budget in stride(from: 0, to: 6000, by: 300) {
      let file = MemoryFile(whole.bytes)
      file.budget = budget
      do { _ = try MediaRepair.repair(file) } catch {}
      file.budget = nil
      #expect(try MediaRepair.repair(file).condition == .finished)
      #expect(try MediaRepair.repair(file).pictures == 119)
    }
  }

  @Test func noBytesTrapTheRepair() throws {
    let whole = try unfinished()
    var random = SeededGenerator(seed: 4)
    for round in 0..<1500 {
      let length = round % 3 == 0 ? Int.random(in: 0..<20_000, using: &random) : 20_000
      let file = MemoryFile(Array(whole.bytes[..<length]))
      for _ in 0..<Int.random(in: 1...12, using: &random) where file.size > 0 {
        // The boxes are at the start; a hit in the middle of a picture says little.
        let place = Int.random(in: 0..<min(file.size, round % 2 == 0 ? 2500 : file.size), using: &random)
        file.bytes[place] = UInt8.random(in: 0...255, using: &random)
      }
      _ = try MediaRepair.inspect(file)
      let result = try MediaRepair.repair(file)
      if result.condition == .finished { _ = try MediaRepair.inspect(file) }
    }
    for _ in 0..<3000 {
      let noise = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(try MediaRepair.repair(MemoryFile(noise)).condition != .finished)
    }
  }
}
