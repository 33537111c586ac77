import Foundation
import Hardware
import JSON
import Library
import Media
import Recording
import SimulatedHardware
import TestSupport
import Testing

@testable import Clips

@Suite struct ClipRecorderTests {
  private let period = 1.0 / 30

  @Test func aPressSavesWhatHappenedBeforeIt() throws {
    let bench = try Bench(.small())
    bench.recorder.arm()
    bench.run(until: 20)
    bench.recorder.trigger(at: bench.instant(19.99), cause: .key)
    bench.run(until: 25.2)
    bench.finish()
    #expect(bench.log.failures == [])
    let receipt = try #require(bench.log.saved.first)
    #expect(bench.log.saved.count == 1)
    #expect(receipt.id == "000001_2026-11-20T21-54-14Z.mp4")
    let content = try ClipContent(bench, receipt.id)
    // From the picture that was to be seen at 14.99 s to the one at 24.99 s.
    let first = try #require(content.shown.first)
    #expect(first.at == 0)
    #expect(first.taken <= 14.99 && first.taken > 14.99 - period - 1e-6)
    #expect(content.shown.count == 301)
    #expect(content.isUnbroken)
    #expect(content.steps.allSatisfy { abs($0 - period) < 12e-6 })
    #expect(receipt.gaps == [])
    #expect(receipt.pictures.captured == content.shown.count)
    #expect(abs(receipt.duration - content.reader.duration) < 1e-9)
    #expect(abs((receipt.start - bench.instant(first.taken)).inSeconds) < 1e-6)
    #expect((receipt.end - receipt.requestedEnd).inSeconds >= 0)
    #expect((receipt.end - receipt.requestedEnd).inSeconds <= period)
    // Saved as soon as the picture after the last one had come.
    #expect((receipt.durableAt - receipt.end).inSeconds <= 0.05)
    #expect(receipt.largestSkew < 0.001)
    // And it plays, with the sound at its pictures.
    let folder = TemporaryFolder()
    let path = folder.put(try bench.bytes(of: receipt.id), "clip.mp4")
    let beeps = try ClipContent.beeps(path)
    #expect(beeps.count == 10)
    for beep in beeps {
      let heard = first.taken + beep
      #expect(abs(heard - heard.rounded()) < 0.005)
    }
  }

  /// Coarse clocks for a minute, the worst that crystals are for an hour; the camera's is off the other way.
  @Test(arguments: [(-400.0, 60.0), (400, 60), (-100, 3600), (100, 3600)])
  func pictureAndSoundStayTogetherWhateverTheirClocksAreOff(ppm: Double, seconds: Double) throws {
    var options = SimulatedCameraOptions()
    options.clockError = ClockError(partsPerMillion: -ppm / 2)
    options.jitter = .milliseconds(2)
    var settings = ClipSettings.small()
    settings.camera.framesPerSecond = 10
    let bench = try Bench(
      settings, source: NumberedSource(sizes: 20...40), camera: options, microphoneError: ppm, rate: 8000)
    bench.recorder.arm()
    bench.run(until: seconds)
    bench.recorder.trigger(at: bench.instant(seconds - 0.5), cause: .console)
    bench.run(until: seconds + 5)
    bench.finish()
    let receipt = try #require(bench.log.saved.first)
    #expect(abs(receipt.soundDriftPPM - ppm) < 5)
    let content = try ClipContent(bench, receipt.id)
    #expect(content.isUnbroken)
    let folder = TemporaryFolder()
    let beeps = try ClipContent.beeps(folder.put(try bench.bytes(of: receipt.id), "h.mp4"), rate: 8000)
    let start = (receipt.start - bench.origin).inSeconds
    #expect(beeps.count >= 9)
    for beep in beeps { #expect(abs(start + beep - (start + beep).rounded()) < 0.010) }
    // Jitter of the time stamps is taken out, and nothing is moved by more than it had.
    #expect(content.steps.allSatisfy { abs($0 - 0.1) < 0.001 })
    #expect(receipt.pictures.largestSmoothing < 0.0045)
  }

  @Test func theWallClockTouchesNothing() throws {
    let bench = try Bench(.small(pre: 2, post: 2))
    bench.recorder.arm()
    bench.run(until: 5)
    bench.recorder.trigger(at: bench.instant(5), cause: .key)
    bench.run(until: 6)
    bench.clock.jumpWall(by: .seconds(-86_400 * 365))
    bench.run(until: 8)
    bench.finish()
    let receipt = try #require(bench.log.saved.first)
    let content = try ClipContent(bench, receipt.id)
    #expect(content.isUnbroken)
    #expect(abs(content.reader.duration - 4) < 0.05)
    #expect(receipt.anchors.count == 3)
    #expect(receipt.anchors[1].wall < receipt.anchors[0].wall)
  }

  @Test(arguments: ClipSettings.Overlap.allCases) func noTriggerOfManyIsMissed(overlap: ClipSettings.Overlap) throws {
    var settings = ClipSettings.small(pre: 2, post: 1, overlap: overlap)
    settings.camera.framesPerSecond = 15
    let bench = try Bench(settings, source: NumberedSource(sizes: 20...60), rate: 8000)
    bench.recorder.arm()
    bench.run(until: 3)
    var dice = SeededGenerator(seed: 11)
    var time = 3.0
    for _ in 0..<20 {
      time += Int.random(in: 0..<4, using: &dice) == 0 ? 0.06 : Double.random(in: 0.06...4, using: &dice)
      bench.run(until: time + Double.random(in: 0...0.02, using: &dice))
      bench.recorder.trigger(at: bench.instant(time), cause: .key)
    }
    bench.run(until: time + 2)
    bench.finish()
    #expect(bench.log.failures == [])
    #expect(bench.log.outcomes.count == 20)
    let contents = try bench.log.saved.map { ($0, try ClipContent(bench, $0.id)) }
    for (receipt, content) in contents {
      #expect(content.isUnbroken)
      #expect(receipt.gaps == [])
      #expect(content.steps.allSatisfy { abs($0 - 1.0 / 15) < 12e-6 })
      #expect((receipt.start - receipt.requestedStart).inSeconds <= 1e-9)
    }
    for (trigger, _) in bench.log.outcomes {
      let second = (trigger.time - bench.origin).inSeconds
      let holders = contents.filter { $0.0.causes.contains { $0.trigger == trigger } }
      #expect(!holders.isEmpty)
      // Every picture of its two seconds before and one after is in a clip.
      let numbers = Set(contents.flatMap { $0.1.shown.map(\.number) })
      for number in Int(((second - 2) * 15).rounded(.up))...Int(((second + 1) * 15).rounded(.down)) where number >= 0 {
        #expect(numbers.contains(number))
      }
    }
    if overlap == .merge {
      let all = contents.flatMap { $0.1.shown.map(\.number) }
      #expect(Set(all).count == all.count)
    }
  }

  @Test func aLostCameraIsAGapAndTheSoundGoesOn() throws {
    let bench = try Bench(.small(pre: 2, post: 6))
    bench.recorder.arm()
    bench.run(until: 5)
    bench.recorder.trigger(at: bench.instant(5), cause: .key)
    bench.run(until: 6)
    bench.camera.unplug(at: bench.clock.now)
    bench.run(until: 7.5)
    bench.camera.replug()
    bench.run(until: 11.5)
    bench.finish()
    let receipt = try #require(bench.log.saved.first)
    let gap = try #require(receipt.gaps.first)
    #expect(receipt.gaps.count == 1)
    #expect(gap.track == "picture" && gap.reason == "camera-lost")
    #expect(gap.start > 2.9 && gap.start < 3.1)
    #expect(gap.seconds > 1.4 && gap.seconds < 3)
    let content = try ClipContent(bench, receipt.id)
    #expect(content.steps.count { $0 > 0.05 } == 1)
    // What comes after the gap is where its time says.
    for shown in content.shown { #expect(abs(shown.at - (shown.taken - content.shown[0].taken)) < 0.002) }
    let beeps = try ClipContent.beeps(TemporaryFolder().put(try bench.bytes(of: receipt.id), "x.mp4"))
    _ = beeps
    #expect(abs(content.reader.duration - 8) < 0.05)
  }

  @Test func aCameraThatStaysAwayLeavesTheSoundToTheEnd() throws {
    let bench = try Bench(.small(pre: 2, post: 4))
    bench.recorder.arm()
    bench.run(until: 5)
    bench.recorder.trigger(at: bench.instant(5), cause: .key)
    bench.run(until: 6)
    bench.camera.unplug(at: bench.clock.now)
    bench.run(until: 10)
    bench.finish()
    let receipt = try #require(bench.log.saved.first)
    #expect(receipt.gaps.map(\.reason) == ["camera-lost"])
    #expect(abs(receipt.duration - 6) < 0.05)
    #expect(abs((receipt.gaps.first?.seconds ?? 0) - 3) < 0.1)
  }

  @Test func aLostMicrophoneIsSilenceAndItsReturnIsInItsPlace() throws {
    let bench = try Bench(.small(pre: 2, post: 8))
    bench.recorder.arm()
    bench.run(until: 5)
    bench.recorder.trigger(at: bench.instant(5), cause: .key)
    bench.run(until: 6.5)
    bench.microphone?.unplug(at: bench.clock.now)
    bench.run(until: 8.7)
    bench.microphone?.replug()
    bench.run(until: 14)
    bench.finish()
    let receipt = try #require(bench.log.saved.first)
    #expect(receipt.gaps.map(\.track) == ["sound"])
    #expect(receipt.gaps.map(\.reason) == ["microphone-lost"])
    let content = try ClipContent(bench, receipt.id)
    #expect(content.isUnbroken)
    let folder = TemporaryFolder()
    let beeps = try ClipContent.beeps(folder.put(try bench.bytes(of: receipt.id), "m.mp4"))
    let start = (receipt.start - bench.origin).inSeconds
    // 3, 4, 5, 6, then silence, then 10 or so to 12.
    #expect(beeps.count >= 6 && beeps.count <= 8)
    for beep in beeps { #expect(abs(start + beep - (start + beep).rounded()) < 0.01) }
    #expect(abs(receipt.duration - 10) < 0.05)
  }

  @Test func withoutAMicrophoneClipsHavePicturesAlone() throws {
    let bench = try Bench(.small(pre: 2, post: 2), hasMicrophone: false)
    bench.capture(at: 5, until: 8)
    let receipt = try #require(bench.log.saved.first)
    #expect(receipt.sound.channels == 0)
    let content = try ClipContent(bench, receipt.id)
    #expect(content.isUnbroken)
    #expect(abs(content.reader.duration - 4) < 0.05)
  }

  @Test func aPowerCutWhileItIsMadeLeavesAClipAtTheNextStart() throws {
    let bench = try Bench(.small(pre: 3, post: 20))
    bench.recorder.arm()
    bench.run(until: 5)
    bench.recorder.trigger(at: bench.instant(5), cause: .key)
    bench.run(until: 10)
    #expect(try bench.names().contains { $0.hasSuffix(".part") })
    try bench.storage.cutPower()
    let next = try Bench(.small(), memory: bench.memory)
    #expect(next.library.report.sentences.count == 1)
    let found = next.clips.list().clips
    #expect(found.count == 1)
    let content = try ClipContent(next, found[0].id)
    // 8 s were there; at most a fragment is lost.
    #expect(content.reader.duration > 7.4)
    #expect(content.isUnbroken)
    #expect(try next.clips.receipt(of: found[0].id)["stopReason"] == "recovered")
    #expect(try next.names().count == 2)
  }

  @Test func continuousRecordingIsSplitWithoutLosingOrDoublingAPicture() throws {
    var settings = ClipSettings.small(pre: 2, post: 2)
    settings.longestSeconds = 10
    let bench = try Bench(settings)
    bench.recorder.arm()
    bench.run(until: 5)
    bench.recorder.startContinuous(at: bench.instant(5))
    bench.run(until: 40)
    #expect(bench.recorder.status.isContinuous)
    bench.recorder.endPostRoll(at: bench.instant(40))
    bench.run(until: 41)
    bench.finish()
    let contents = try bench.log.saved.map { try ClipContent(bench, $0.id) }
    #expect(contents.count == 4)
    let numbers = contents.flatMap { $0.shown.map(\.number) }
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
    #expect(bench.log.saved.map(\.stopReason) == ["split", "split", "split", "user"])
    let total = contents.reduce(0) { $0 + $1.reader.duration }
    #expect(abs(total - 37) < 0.1)
    // The sound has no seam either: lengths are those of the pictures, to a frame.
    for (receipt, content) in zip(bench.log.saved, contents) {
      #expect(abs(Double(receipt.sound.frames) / 16_000 - content.reader.duration) < 1e-4)
    }
  }

  @Test func aChangeOfTheWindowKeepsWhatFits() throws {
    let bench = try Bench(.small(pre: 10))
    bench.recorder.arm()
    bench.run(until: 15)
    #expect(bench.recorder.status.ring.isFull)
    let ready = bench.log.recorder.count { if case .bufferReady = $0 { true } else { false } }
    #expect(ready == 1)
    bench.recorder.configure(.small(pre: 5))
    bench.run(until: 15.1)
    #expect(bench.recorder.status.ring.isFull)
    bench.recorder.configure(.small(pre: 12))
    #expect(bench.recorder.status.ring.seconds > 5)
    bench.capture(at: 30, until: 36)
    let receipt = try #require(bench.log.saved.first)
    #expect(abs(receipt.duration - 17) < 0.1)
    #expect(receipt.gaps == [])
  }

  /// A board file that says too little of the camera's rate does not shorten the window, as far as the budget goes.
  @Test(arguments: [4 << 20, 700_000]) func theRingIsAsLargeAsTheCameraNeeds(budget: Int) throws {
    var settings = ClipSettings.small(pre: 5, ringBytes: 400_000)
    settings.largestRingBytes = budget
    let bench = try Bench(settings, source: NumberedSource(sizes: 9_000...11_000))
    bench.recorder.arm()
    bench.run(until: 25)
    let ring = bench.recorder.status.ring
    #expect(ring.capacity <= budget)
    #expect(ring.isFull == (budget > 3 << 20), "\(ring)")
    #expect(bench.log.recorder.count { if case .bufferReady = $0 { true } else { false } } == 1)
    // The next arming begins with what was found.
    bench.recorder.disarm(at: bench.clock.now)
    bench.run(until: 26)
    bench.recorder.arm()
    bench.run(until: 26.2)
    #expect(bench.recorder.status.ring.capacity == ring.capacity)
  }

  /// Another window is no reason to forget what the camera sends: the seconds that were there are in the next clip.
  @Test(arguments: [2, 10]) func anotherWindowKeepsWhatARingHoldsThatHasGrown(seconds: Int) throws {
    func settings(_ seconds: Int) -> ClipSettings {
      var settings = ClipSettings.small(pre: seconds, post: 1, ringBytes: seconds * 50_000)
      settings.largestRingBytes = 8 << 20
      return settings
    }
    let bench = try Bench(settings(5), source: NumberedSource(sizes: 9_000...11_000))
    bench.recorder.arm()
    bench.run(until: 20)
    #expect(bench.recorder.status.ring.isFull)
    bench.recorder.configure(settings(seconds))
    bench.capture(at: 20.2, until: 22)
    let content = try ClipContent(bench, try #require(bench.log.saved.first).id)
    #expect(content.isUnbroken)
    #expect((content.shown.first?.taken ?? 0) <= 20.25 - Double(min(seconds, 5)), "\(content.shown.first?.taken ?? 0)")
  }

  /// The ring was made for what the camera was asked for, 4 Mbit/s; it sends 7.
  @Test func aCameraThatSendsMoreThanItWasAskedForHasAllOfItsSecondsInTheClip() throws {
    var settings = ClipSettings.small(pre: 5, post: 1, ringBytes: 5 * 4_000_000 / 8)
    settings.largestRingBytes = 8 << 20
    let bench = try Bench(settings, source: NumberedSource(sizes: 28_000...30_000), pipeBytes: 8 << 20)
    bench.capture(at: 20, until: 22)
    #expect(bench.log.failures == [])
    let content = try ClipContent(bench, try #require(bench.log.saved.first).id)
    #expect(content.isUnbroken)
    #expect(abs((content.shown.first?.taken ?? 0) - 15) < 0.05, "\(content.shown.first?.taken ?? 0)")
    #expect(abs((content.shown.last?.taken ?? 0) - 21) < 0.05)
  }

  @Test func aTimeLapseHasAPictureForEveryTurnBesideTheClips() throws {
    let bench = try Bench(.small(pre: 1, post: 1))
    bench.recorder.arm()
    bench.run(until: 2)
    bench.recorder.startTimeLapse(every: .milliseconds(500), at: bench.instant(2))
    bench.run(until: 10)
    #expect(bench.recorder.status.remainingSeconds == .infinity)
    bench.recorder.trigger(at: bench.instant(10), cause: .key)
    bench.run(until: 22.2)
    bench.recorder.endPostRoll(at: bench.instant(22.2))
    bench.run(until: 23)
    bench.finish()
    let lapse = try #require(bench.log.saved.first { $0.timeLapseSeconds != nil })
    #expect(bench.log.saved.count == 2)
    let content = try ClipContent(bench, lapse.id)
    #expect(content.shown.count == 41)
    #expect(lapse.pictures.captured == 41)
    #expect(content.steps.allSatisfy { abs($0 - 1.0 / 30) < 1e-6 })
    for (index, shown) in content.shown.enumerated() {
      #expect(abs(shown.taken - 2 - Double(index) * 0.5) < 0.034)
    }
  }

  @Test func `A time-lapse that the card ends tells when its last picture was`() throws {
    let bench = try Bench(.small(pre: 1, post: 1))
    bench.recorder.arm()
    bench.run(until: 2)
    bench.recorder.startTimeLapse(every: .milliseconds(500), at: bench.instant(2))
    bench.run(until: 10)
    bench.storage.setFull(true)
    bench.run(until: 15)
    bench.storage.setFull(false)
    bench.run(until: 20)
    bench.finish()
    let lapse = try #require(bench.log.saved.first)
    #expect(lapse.stopReason == "storage-full")
    let last = try #require(try ClipContent(bench, lapse.id).shown.last)
    #expect(abs((lapse.end - bench.origin).inSeconds - last.taken) < 0.05)
  }

  @Test func `A time-lapse tells of the turns that it has no picture for`() throws {
    let bench = try Bench(.small(pre: 1, post: 1))
    bench.recorder.arm()
    bench.run(until: 2)
    bench.recorder.startTimeLapse(every: .milliseconds(500), at: bench.instant(2))
    bench.run(until: 5.2)
    bench.camera.unplug(at: bench.clock.now)
    bench.run(until: 10.2)
    bench.camera.replug()
    bench.run(until: 15.2)
    bench.recorder.endPostRoll(at: bench.instant(15.2))
    bench.run(until: 16)
    bench.finish()
    let lapse = try #require(bench.log.saved.first)
    let missed = lapse.pictures.missedByDevice + lapse.pictures.droppedBeforeKeyframe
    #expect((10...13).contains(missed))
    #expect(abs(lapse.pictures.captured + missed - 27) <= 1)
  }

  @Test func triggersOutsideOfClipModeAreRefusedAndLeaveNothing() throws {
    let bench = try Bench(.small())
    bench.recorder.trigger(at: bench.instant(1), cause: .key)
    bench.run(until: 2)
    guard case .refused(let code, _)? = bench.log.outcomes.first?.1 else {
      Issue.record("not refused")
      return
    }
    #expect(code == "busy")
    #expect(try bench.names() == [])
  }

  @Test func aTriggerWithoutACameraIsRefused() throws {
    let bench = try Bench(.small(pre: 1, post: 1))
    bench.camera.unplug(at: bench.clock.now)
    bench.capture(at: 3, until: 6)
    #expect(bench.log.failures.count == 1)
    #expect(bench.log.failures.first?.hasPrefix("device-lost") == true)
    #expect(!bench.recorder.isBusy && !bench.writer.isBusy)
    #expect(try bench.names() == [])
  }

  @Test func theReceiptIsJSONBesideTheClip() throws {
    let bench = try Bench(.small(pre: 1, post: 1))
    bench.recorder.arm()
    bench.run(until: 3)
    bench.recorder.trigger(at: bench.instant(3), cause: .input)
    bench.run(until: 5)
    bench.finish()
    let names = try bench.names()
    #expect(names.count == 2)
    let id = try #require(bench.log.saved.first?.id)
    let receipt = try bench.clips.receipt(of: id)
    #expect(receipt["path"]?.stringValue == "clips/\(id)")
    #expect(receipt["triggers"]?[0]?["cause"] == "input")
    #expect(receipt["inProgress"] == nil)
    #expect(receipt["pictures"]?["dropped"]?["queue"] == 0)
    #expect((receipt["triggerToDurableSeconds"]?.numberValue ?? 9) < 1.2)
    #expect(receipt["fileBytes"]?.integerValue == (try bench.bytes(of: id)).count)
  }

  @Test func loudSoundIsATrigger() throws {
    var settings = ClipSettings.small(pre: 1, post: 1)
    settings.soundTriggerDBFS = -20
    settings.postRollSeconds = 0
    let bench = try Bench(settings)
    bench.recorder.arm()
    bench.run(until: 2.9)
    bench.finish(within: 2)
    let causes = bench.log.outcomes.map(\.0)
    #expect(!causes.isEmpty)
    #expect(causes.allSatisfy { $0.cause == .sound })
    // The burst begins at a full second.
    for trigger in causes {
      let second = (trigger.time - bench.origin).inSeconds
      #expect(abs(second - second.rounded()) < 0.06)
    }
  }

  @Test func whatWasLoudWhileNobodyAskedIsNoTrigger() throws {
    let quiet = ClipSettings.small(pre: 10, post: 0, ringBytes: 8 << 20)
    var hearing = quiet
    hearing.soundTriggerDBFS = -20
    func triggers(_ bench: Bench) -> [Double] { bench.log.outcomes.map { ($0.0.time - bench.origin).inSeconds } }
    // A burst at every full second: of those before the trigger is switched on there is no clip.
    let bench = try Bench(quiet)
    bench.recorder.arm()
    bench.run(until: 8.5)
    bench.recorder.configure(hearing)
    bench.run(until: 8.9)
    #expect(triggers(bench) == [])
    bench.run(until: 9.3)
    #expect(triggers(bench).map { $0.rounded() } == [9])
    // Nor of those while the device was in another mode; the recorder's history goes on there.
    bench.recorder.disarm(at: bench.clock.now)
    bench.run(until: 14.5)
    bench.recorder.arm()
    bench.run(until: 14.9)
    #expect(triggers(bench).count == 1)
    bench.run(until: 15.3)
    #expect(triggers(bench).map { $0.rounded() } == [9, 15])
    bench.finish()
  }
}
