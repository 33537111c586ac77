import Foundation
import Hardware
import JSON
import SimulatedHardware
import Synchronization
import Testing

/// A room in which the microphone hears the speaker, and its echo from the wall.
private final class Room: SoundSource {
  /// What the speaker has played, one channel at 48 kHz, by time.
  private let played = Mutex<[Float]>([])
  let fixedFormat: PCMFormat? = PCMFormat(sampleRate: 8000, channels: 1)
  private static let rate = 48_000
  private static let echo = rate * 120 / 1000

  func listen(to speaker: SimulatedSpeaker) {
    speaker.listen { at, samples, format in
      let start = Int((at.seconds * Double(Self.rate)).rounded())
      let step = Self.rate / max(1, format.sampleRate)
      self.played.withLock { played in
        let end = start + samples.count / format.channels * step
        if played.count < end { played += [Float](repeating: 0, count: end - played.count) }
        for frame in 0..<(samples.count / format.channels) {
          for index in 0..<step { played[start + frame * step + index] = samples[frame * format.channels] }
        }
      }
    }
  }

  /// The loudest between two times.
  func peak(from start: Double, to end: Double) -> Float {
    played.withLock { played in
      let range = Int(start * Double(Self.rate))..<Int(end * Double(Self.rate))
      return range.clamped(to: 0..<played.count).map { abs(played[$0]) }.max() ?? 0
    }
  }

  func fill(_ target: UnsafeMutablePointer<Float>, frames: Int, from position: Int, format: PCMFormat) {
    played.withLock { played in
      func sound(_ index: Int) -> Float { played.indices.contains(index) ? played[index] : 0 }
      for frame in 0..<frames {
        let place = (position + frame) * Self.rate / format.sampleRate
        for channel in 0..<format.channels {
          target[frame * format.channels + channel] = sound(place) + 0.5 * sound(place - Self.echo)
        }
      }
    }
  }
}

/// What somebody does who only hears.
@Suite(.serialized) struct BlindUserTests {
  /// A key, and words of what is said next; `nil`: nothing is.
  private struct Step {
    let time: Double
    let line: String
    let hears: [String]?

    init(_ time: Double, _ line: String, _ hears: String...) {
      self.time = time
      self.line = line
      self.hears = hears.isEmpty ? nil : hears
    }
  }

  private static func check(_ steps: [Step], _ bench: RuntimeBench) {
    let prompts = bench.events("onPrompt")
    for (index, step) in steps.enumerated() {
      let end = index + 1 < steps.count ? steps[index + 1].time : .infinity
      let heard = prompts.filter { $0.time >= step.time && $0.time < end }.compactMap { $0.data["text"]?.stringValue }
      guard let words = step.hears else {
        #expect(heard.isEmpty, "\(step.line): \(heard)")
        continue
      }
      for word in words { #expect(heard.joined(separator: " ").contains(word), "\(step.line): \(heard)") }
    }
  }

  private static func script(_ steps: [Step], _ settings: String) -> String {
    let lines = steps.map { "\($0.time) \($0.line)" }
    return (["0 call settings.set {\(settings)}"] + lines + ["\((steps.last?.time ?? 0) + 3) quit"])
      .joined(separator: "\n")
  }

  @Test func `Somebody records, marks, finds, plays and deletes by what is said alone`() throws {
    let bench = try RuntimeBench(onDisk: true)
    let steps = [
      Step(1, "press REC"),
      Step(3, "press CENTRE"),
      Step(5, "press STOP", "Kept: Take 1", "1 mark", "Ready"),
      Step(8, "press REC"),
      Step(10, "press STOP", "Kept: Take 2"),
      Step(13, "press DOWN", "Takes", "Take 2", "1 of 2"),
      Step(15, "press DOWN", "Take 1", "2 of 2"),
      Step(17, "press DOWN", "end"),
      Step(19, "press CENTRE", "Playing Take 1"),
      Step(20, "hold DOWN 0.7", "Marks", "Mark 1"),
      Step(22, "press STOP", "Take 1"),
      Step(24, "press DOWN", "Takes", "Take 2"),
      Step(26, "hold RIGHT 0.7", "Delete take?", "Take 2", "centre deletes it"),
      Step(29, "press LEFT", "Kept"),
      Step(31, "hold RIGHT 0.7", "Delete take?"),
      Step(34, "press CENTRE", "Take 2 is deleted", "left brings it back"),
      Step(36, "press LEFT", "Take 2 is back"),
      Step(39, "hold LOCK 0.1", "Locked", "Hold lock 2 seconds"),
      Step(41, "press REC", "Locked"),
      Step(43, "hold LOCK 2.2", "Unlocked"),
    ]
    let settings = #""recording.format":"wav","recording.preRecordSeconds":0,"ui.voice":true"#
    #expect(try bench.run(Self.script(steps, settings)) == nil)
    Self.check(steps, bench)
  }

  @Test func `Somebody names, tags, finds and takes away by what is said alone`() throws {
    let bench = try RuntimeBench(onDisk: true)
    let steps = [
      Step(1, "press REC"),
      Step(3, "press STOP", "Kept: Take 1"),
      Step(6, "press DOWN", "Takes", "Take 1"),
      Step(8, "hold LEFT 0.7", "Menu", "Take 1", "Mark several"),
      Step(10, "press DOWN", "Favourite", "no"),
      Step(11, "press CENTRE", "yes"),
      Step(12, "press DOWN", "Tags"),
      Step(13, "press CENTRE", "Tags", "New tag"),
      Step(15, "press CENTRE", "New tag", "a"),
      Step(17, "press CENTRE", "A"),
      Step(18, "press DOWN", "n"),
      Step(19, "press DOWN", "0"),
      Step(20, "press DOWN", "Done"),
      Step(21, "press CENTRE", "Tags"),
      Step(24, "press STOP", "Menu"),
      Step(25, "press DOWN", "Info"),
      Step(25.8, "press DOWN", "Search"),
      Step(26.6, "press DOWN", "Sort"),
      Step(27.4, "press DOWN", "Show"),
      Step(28.2, "press DOWN", "Copy"),
      Step(29, "press DOWN", "Rename"),
      Step(30, "press CENTRE", "Rename", "Take 1", "a"),
      Step(32, "press RIGHT", "b"),
      Step(33, "press CENTRE", "B"),
      Step(34, "press DOWN", "o"),
      Step(35, "press CENTRE", "Bo"),
      Step(36, "press DOWN", "1"),
      Step(37, "press DOWN", "Done"),
      Step(38, "press CENTRE", "Bo"),
      Step(41, "press DOWN", "To stick", "No stick"),
      Step(43, "fault stick in", "To stick"),
      Step(46, "press CENTRE", "To stick"),
      Step(52, "press STOP", "Menu", "Bo"),
      Step(55, "call library.list"),
    ]
    let settings = #""recording.format":"wav","recording.preRecordSeconds":0,"ui.voice":true"#
    #expect(try bench.run(Self.script(steps, settings)) == nil)
    Self.check(steps, bench)
    let said = bench.events("onPrompt").compactMap { $0.data["text"]?.stringValue }.joined(separator: " ")
    #expect(said.contains("afe to remove"), "\(said.suffix(300))")
    let take = bench.results("library.list").last?["takes"]?.arrayValue?.first
    #expect(take?["name"] == "Bo" && take?["tags"] == ["A"] && take?["favourite"] == true, "\(take as Any)")
  }

  /// The samples of a WAV: what its data chunk holds.
  private static func samples(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    var place = 12
    while place + 8 <= bytes.count {
      let size = (0..<4).reduce(0) { $0 | Int(bytes[place + 4 + $1]) << (8 * $1) }
      if bytes[place..<(place + 4)].elementsEqual("data".utf8) {
        return bytes[(place + 8)..<min(bytes.count, place + 8 + size)]
      }
      place += 8 + size + size % 2
    }
    return []
  }

  @Test func `Prompts are heard after the key, and no take has any of them`() throws {
    let bench = try RuntimeBench()
    let room = Room()
    var options = SimulationOptions(clock: bench.clock, storage: bench.memory)
    options.source = room
    let devices = try SimulatedHardware(options)
    bench.hardware = devices.hardwareSet
    room.listen(to: try #require(devices.speaker))
    #expect(
      try bench.run(
        """
        0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":5,"ui.voice":true,"ui.language":"ru"}
        2 press DOWN
        2.3 press REC
        5 press CENTRE
        6 press STOP
        6.4 press UP
        7 hold CENTRE 0.7
        8.5 press REC
        10.5 press STOP
        26 press REC
        28 press STOP
        33 call system.info
        34 quit
        """) == nil)
    // The answer to a key is on its way within a tenth of a second.
    #expect(room.peak(from: 2, to: 2.1) > 0.01)
    #expect(room.peak(from: 6, to: 7) > 0.05)
    let voice = try #require(bench.results("system.info").first?["voice"])
    #expect((voice["spoken"]?.integerValue ?? 0) > 3 && (voice["heldBack"]?.integerValue ?? 0) > 3)
    #expect((voice["longestDelayMilliseconds"]?.numberValue ?? 1000) <= 100)
    let takes = try bench.memory.list("recordings").map(\.name).filter { $0.hasSuffix(".wav") }.sorted()
    try #require(takes.count == 3)
    for take in takes {
      let samples = Self.samples(try bench.memory.read("recordings/\(take)", limit: 1 << 24))
      #expect(samples.count > 8000 && samples.allSatisfy { $0 == 0 }, "\(take): \(samples.count) bytes")
    }
    // The last one has what it can of the seconds before REC: nothing was said for so long.
    let metadata = try bench.metadata()
    #expect((metadata.last?["preRecordSeconds"]?.numberValue ?? 0) > 4, "\(metadata.last as Any)")
  }

  @Test func `A key ends what is being said`() throws {
    let bench = try RuntimeBench()
    let room = Room()
    room.listen(to: try #require(bench.devices.speaker))
    #expect(
      try bench.run(
        """
        0 call settings.set {"ui.voice":true}
        3 hold UP 0.7
        5 press LOCK
        6 call settings.set {"ui.voice":false}
        6.5 call panel.state
        9 quit
        """) == nil)
    let prompts = bench.events("onPrompt").compactMap { $0.data["text"]?.stringValue }
    #expect(prompts.contains { $0.hasPrefix("Keys and info. record") })
    #expect(bench.results("panel.state").last?["prompt"]?.stringValue == prompts.last)
    #expect(room.peak(from: 8.5, to: 9) == 0)
  }
}
