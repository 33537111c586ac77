import Foundation
import Hardware
import Media
import Recording
import SimulatedHardware
import TestSupport
import Testing

@testable import Clips

/// Streams of which pictures are missing or left out: what a clip or time-lapse of them shows, and what its receipt says of it.
@Suite struct LossyStreamTests: CameraStreams {
  let folder = TemporaryFolder()

  /// A picture a second from 2 s on.
  private func timeLapse(of path: String, until end: Double) throws -> Bench {
    let bench = try Bench(.small(pre: 2, post: 1, codecs: [.h264]), source: VideoFileSource(path: path))
    bench.recorder.arm()
    bench.run(until: 2)
    bench.recorder.startTimeLapse(every: .seconds(1), at: bench.instant(2))
    bench.run(until: end)
    return bench
  }

  /// Clips that a hole has parted join without a seam, and show their pictures in order: seconds from the first one's start.
  private func joined(_ films: [(receipt: Receipt, times: [Double])]) throws -> [Double] {
    let start = try #require(films.first).receipt.start
    for (one, next) in zip(films, films.dropFirst()) {
      #expect(next.receipt.continues == one.receipt.number && one.receipt.stopReason == "split")
      #expect(abs((next.receipt.start - one.receipt.start).inSeconds - one.receipt.duration) < 0.002)
    }
    let times = films.flatMap { film in film.times.map { $0 + (film.receipt.start - start).inSeconds } }
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 > 0.03 })
    return times
  }

  @Test(
    "Behind a loss in mid-clip, pictures that a refresh bit by bit has not made whole yet are not counted, but missing")
  func lossInARefresh() throws {
    let path = try stream("refresh", "bframes=0:intra-refresh=1:keyint=30:ref=1")
    let films = try films(of: path) { bench in
      bench.run(until: 5.2)
      bench.camera.unplug(at: bench.clock.now)
      bench.run(until: 5.7)
      bench.camera.replug()
    }
    let (receipt, times) = try #require(films.first)
    #expect(films.count == 1 && receipt.pictures.captured == times.count)
    let steps = zip(times, times.dropFirst()).map { $1 - $0 }
    let place = try #require(steps.indices.max { steps[$0] < steps[$1] })
    let step = steps[place]
    #expect(step > 1 && abs(receipt.pictures.longestDelta - step) < 0.001, "\(receipt.pictures.longestDelta) \(step)")
    #expect(receipt.gaps.map(\.reason) == ["camera-lost"])
    let gap = try #require(receipt.gaps.first)
    #expect(abs(gap.start - times[place] - 1.0 / 30) < 0.002 && abs(gap.start + gap.seconds - times[place + 1]) < 0.002)
    #expect(receipt.pictures.droppedBeforeKeyframe > 10)
  }

  @Test(
    "Clips of a refresh bit by bit that are trimmed, joined or completed after a power cut count whole pictures only")
  func editedRefresh() throws {
    let path = try stream("refresh", "bframes=0:intra-refresh=1:keyint=30:ref=1")
    let bench = try triggered(path)
    bench.run(until: 5.2)
    bench.camera.unplug(at: bench.clock.now)
    bench.run(until: 5.7)
    bench.camera.replug()
    bench.run(until: 8.5)
    let cutOff = MemoryFile(try part(bench))
    bench.run(until: 10)
    bench.finish()
    let receipt = try #require(bench.log.saved.first)
    let clip = MemoryFile(try bench.bytes(of: receipt.id))
    let times = try whole(clip.bytes, "whole.mp4", of: path)
    #expect(receipt.pictures.captured == times.count)
    #expect(try ClipReader(clip).facts(of: clip).pictures == times.count)

    var repair = MediaRepair(cutOff, scratch: nil)
    var found: MediaInspection?
    while found == nil { found = try repair.step() }
    let kept = try whole(cutOff.bytes, "kept.mp4", of: path)
    #expect(found?.facts?.pictures == kept.count && kept.count < (found?.pictures ?? 0) - 10)

    let wall = WallTime(nanosecondsSince1970: 1_790_000_000_000_000_000)
    let target = MemoryFile()
    let both = try ClipEditor(joining: [clip, clip], into: target, createdAt: wall, title: "both")
    while try !both.step() {}
    #expect(both.facts.pictures == 2 * times.count)
    // Over the loss, and from within the refresh behind it.
    let steps = zip(times, times.dropFirst()).map { $1 - $0 }
    let hole = try #require(steps.indices.max { steps[$0] < steps[$1] })
    for start in [0.5, times[hole + 1] - 0.4] {
      let target = MemoryFile()
      let editor = try ClipEditor(trimming: clip, to: start..<6.5, into: target, createdAt: wall, title: "part")
      while try !editor.step() {}
      let left = try whole(target.bytes, "part.mp4", of: path)
      #expect(editor.facts.pictures == left.count, "\(start)")
      let all = try ClipReader(target).pictures.count
      #expect(left.count < all - 5, "\(start)")
    }
  }

  @Test(
    "A camera that skips pictures which others refer to: only what plays is counted, and the gap reaches to there",
    arguments: [
      ("plain", "bframes=0:keyint=15"), ("bframes", "bframes=3:b-adapt=0:b-pyramid=none:keyint=30"),
      ("open", "bframes=2:b-adapt=0:open-gop=1:keyint=15"), ("refresh", "bframes=0:intra-refresh=1:keyint=30:ref=1"),
    ])
  func skippedPictures(name: String, x264: String) throws {
    let path = try stream(name, x264)
    let films = try films(of: path) { bench in
      bench.run(until: 5.21)
      bench.camera.stall(.milliseconds(600), at: bench.clock.now)
    }
    for film in films { #expect(film.receipt.pictures.captured == film.times.count, "\(name)") }
    #expect(films.reduce(0) { $0 + $1.receipt.pictures.missedByDevice } == 18)
    #expect(films.flatMap { $0.receipt.gaps.map(\.reason) } == ["camera-missed"])
    // Behind an open group's hole the clip may go on in another.
    #expect(films.count == 1 || name == "open")
    let times = try joined(films)
    let receipt = try #require(films.first).receipt
    let steps = zip(times, times.dropFirst()).map { $1 - $0 }
    let place = try #require(steps.indices.max { steps[$0] < steps[$1] })
    #expect(steps[place] > 0.6)
    #expect(films.count > 1 || abs(receipt.pictures.longestDelta - steps[place]) < 0.001)
    let gap = try #require(receipt.gaps.first)
    #expect(abs(gap.start + gap.seconds - times[place + 1]) < 0.04)
  }

  @Test(
    "Behind a hole in a refresh bit by bit the next clip begins where pictures are whole, without a seam",
    arguments: [700, 1100, 1300, 1500] as [Int64], [false, true])
  func longHoleInARefresh(milliseconds: Int64, isEndless: Bool) throws {
    let path = try stream("refresh", "bframes=1:b-adapt=0:intra-refresh=1:keyint=30:ref=1")
    let bench = try armed(path, post: 8, until: 4)
    if isEndless {
      bench.recorder.startContinuous(at: bench.instant(4))
    } else {
      bench.recorder.trigger(at: bench.instant(4), cause: .key)
    }
    bench.run(until: 5.2)
    bench.camera.stall(.milliseconds(milliseconds), at: bench.clock.now)
    bench.run(until: 12)
    bench.recorder.endPostRoll(at: bench.instant(12))
    bench.run(until: 13)
    bench.finish()
    #expect(bench.log.failures == [])
    let films = try bench.log.saved.map { ($0, try whole(bench, $0, of: path)) }
    _ = try joined(films)
    let (first, last) = (try #require(films.first).0, try #require(films.last).0)
    #expect((last.start - first.start).inSeconds + last.duration > 9.9)
  }

  @Test(
    "What has no end begins with the first picture of a camera, and so does the ring on disk",
    arguments: [0.02, 0.1, 0.3, 0.6])
  func withoutEndFromTheStart(seconds: Double) throws {
    let path = try stream("early", "bframes=2:keyint=15")
    var settings = ClipSettings.small(pre: 2, post: 2, codecs: [.h264], ringBytes: 6 << 20)
    settings.ringStore = .disk
    let bench = try Bench(settings, source: VideoFileSource(path: path), pipeBytes: 4 << 20)
    bench.recorder.arm()
    bench.run(until: seconds)
    bench.recorder.startContinuous(at: bench.instant(seconds))
    bench.run(until: 4)
    #expect(bench.recorder.status.isSpooling)
    bench.recorder.endPostRoll(at: bench.instant(4))
    bench.run(until: 5)
    bench.finish()
    #expect(bench.log.failures == [] && bench.log.saved.map(\.stopReason) == ["user"])
    #expect(bench.log.saved.first.map { $0.duration > 3 } == true)
  }

  @Test(
    "Whatever coded pictures a camera with B-frames loses, and wherever: receipts count what decoders show, and none more",
    arguments: [
      "bframes=2:b-adapt=0:open-gop=1:keyint=15", "bframes=2:b-adapt=0:open-gop=1:keyint=15:b-pyramid=none",
      "bframes=3:b-adapt=0:keyint=30",
    ], [1, 2, 3, 4] as [UInt64])
  func manyLosses(x264: String, seed: UInt64) throws {
    let path = try stream("losses", x264)
    var dice = SeededGenerator(seed: seed)
    var lost = 0.0
    let films = try films(of: path) { bench in
      for place in 0..<3 {
        bench.run(until: 4.2 + 1.5 * Double(place) + Double.random(in: 0..<0.5, using: &dice))
        let seconds = Double.random(in: 0.1..<0.95, using: &dice)
        bench.camera.stall(.milliseconds(Int64(seconds * 1000)), at: bench.clock.now)
        lost += seconds
      }
    }
    for film in films { #expect(film.receipt.pictures.captured == film.times.count, "\(film.receipt.id)") }
    let times = try joined(films)
    // A hole costs no more than the rest of its group and what is seen before the next one.
    #expect(Double(times.count) > (7 - lost - 3 * 1.1) * 30)
  }

  @Test("Of a camera with open groups a time-lapse has the pictures that decoders show")
  func timeLapseOfOpenGroups() throws {
    let path = try stream("open", "bframes=2:b-adapt=0:open-gop=1:keyint=15:b-pyramid=none")
    let bench = try timeLapse(of: path, until: 16)
    bench.recorder.endPostRoll(at: bench.clock.now)
    bench.finish()
    #expect(bench.log.failures == [])
    let receipt = try #require(bench.log.saved.first)
    let clip = folder.put(try bench.bytes(of: receipt.id), "clip.mp4")
    let shown = try pictures(clip)
    #expect(shown.count == receipt.pictures.captured && shown.count >= 3)
    #expect(try Set(shown).isSubset(of: pictures(path)))
  }

  @Test("A time-lapse of a camera that refreshes bit by bit says what the camera has to be set to")
  func timeLapseOfARefresh() throws {
    let bench = try timeLapse(of: stream("refresh", "bframes=0:intra-refresh=1:keyint=15:ref=1"), until: 8)
    bench.finish()
    #expect(bench.log.failures.count == 1)
    #expect(bench.log.failures.first?.contains("set it to IDR pictures") == true)
    #expect(bench.log.saved.isEmpty)
  }
}
