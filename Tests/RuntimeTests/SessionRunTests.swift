import Foundation
import Hardware
import JSON
import SimulatedHardware
import TestSupport
import Testing

/// Rows S1, S2 and S4: whole appliances on devices that have one rate.
@Suite struct SessionRunTests {
  private static func rates(_ status: JSONValue, _ side: String = "capture") -> [Int?] {
    ["requested", "granted", "delivered"].map { status[$0]?[side]?["sampleRate"]?.integerValue }
  }

  @Test(arguments: [("baseline", 8000), ("pre-initialised", 8000), ("forced-rate", 48_000), ("locked", 48_000)])
  func `S1 S2 S4: a recorder that wants 48 kHz on a microphone of 8 kHz, by each strategy`(
    strategy: String, delivered: Int
  ) throws {
    let bench = try RuntimeBench(rate: 8000)
    let failure = try bench.run(
      """
      0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0,"session.strategy":"\(strategy)"}
      1 call session.status
      1 press REC
      3 press STOP
      4 call system.doctor
      5 quit
      """)
    #expect(failure == nil)
    let status = try #require(bench.results("session.status").first)
    #expect(status["strategy"]?.stringValue == strategy)
    #expect(Self.rates(status) == [48_000, 8000, delivered])
    let meta = try #require(try bench.metadata().first)
    #expect(meta["audio"]?["sampleRate"]?.integerValue == delivered)
    #expect(meta["audio"]?["duration"]?.numberValue == 2)
    #expect(meta["receipt"]?["requestedSampleRate"]?.integerValue == 48_000)
    #expect(meta["receipt"]?["grantedSampleRate"]?.integerValue == 8000)
    // Nothing is silent: where 48 kHz do not come, the log, the event and the doctor say so.
    let isOther = delivered != 48_000
    let warned = bench.log.contains { $0.contains("session") && $0.contains("requested 48000 Hz") }
    #expect(warned)
    let told = bench.events("onSessionChanged").last?.data
    #expect(told.map { Self.rates($0) } == [48_000, 8000, delivered])
    let finding = bench.results("system.doctor").first?["checks"]?.arrayValue?.first { $0["device"] == "microphone" }
    #expect(finding?["verdict"]?.stringValue == (isOther || strategy == "locked" ? "limited" : "works"))
    #expect(finding?["facts"]?["askedSampleRate"]?.integerValue == 48_000)
    #expect(finding?["facts"]?["deliveredSampleRate"]?.integerValue == delivered)
  }

  @Test func `Talk-back that is switched on right behind REC does not end the take`() throws {
    let bench = try RuntimeBench()
    let failure = try bench.run(
      """
      0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":1}
      3 press REC
      3 call settings.set {"session.talkBack":true}
      5 press STOP
      7 quit
      """)
    #expect(failure == nil)
    let meta = try #require(try bench.metadata().first)
    #expect(meta["stopReason"] == "user" && meta["frames"]?.integerValue == 3 * 8000)
  }

  @Test(
    arguments: [(8000, 8000), (16_000, 16_000), (44_100, 48_000), (96_000, 48_000), (48_000, 8000)],
    ["baseline", "locked"])
  func `an Opus take has 48 kHz, whatever the microphone runs at`(
    rates: (device: Int, asked: Int), strategy: String
  ) throws {
    let device = rates.device
    let bench = try RuntimeBench(onDisk: true, rate: device) { Float(sin(Double($0) * 880 * .pi / Double(device))) / 4 }
    let failure = try bench.run(
      """
      0 call settings.set {"recording.format":"opus","recording.sampleRate":\(rates.asked),\
      "recording.preRecordSeconds":1,"session.strategy":"\(strategy)"}
      3 call session.status
      4 press REC
      6 press STOP
      7 call library.list
      7 call recorder.status
      8 quit
      """)
    #expect(failure == nil)
    #expect(bench.events("onError").isEmpty)
    #expect(Self.rates(try #require(bench.results("session.status").first)) == [48_000, device, 48_000])
    let take = try #require(bench.results("library.list").first?["takes"]?[0])
    #expect(take["format"] == "opus" && take["sampleRate"] == 48_000)
    let id = try #require(take["id"]?.stringValue)
    let file = try #require(bench.folder).appendingPathComponent("recordings/\(id)")
    let notes = file.deletingPathExtension().appendingPathExtension("json")
    let meta = try JSONValue(parsing: [UInt8](try Data(contentsOf: notes)))
    #expect(meta["audio"]?["sampleRate"] == 48_000 && meta["receipt"]?["grantedSampleRate"] == .integer(device))
    let info = try Tool.run("opusinfo", [file.path])
    #expect(info.status == 0 && !info.output.contains("WARNING"), "\(info.output)")
    try Tool.succeed("ffmpeg", ["-v", "error", "-i", file.path, "-ac", "1", "-y", file.path + ".wav"])
    let heard = try Tool.run("sox", [file.path + ".wav", "-n", "trim", "0.5", "2", "stat"]).errors
    let words = heard.split(whereSeparator: \.isWhitespace)
    let frequency = words.firstIndex(of: "frequency:").flatMap { Double(words[$0 + 1]) } ?? 0
    #expect(abs(frequency - 440) < 5, "\(heard)")
    let length = words.firstIndex(of: "(seconds):").flatMap { Double(words[$0 + 1]) } ?? 0
    #expect(abs(length - 2) < 0.01, "\(heard)")
  }

  @Test func `S1: strategies are switched while the device runs, and a take in progress is not touched`() throws {
    let bench = try RuntimeBench(rate: 8000)
    let failure = try bench.run(
      """
      0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0}
      1 press REC
      2 call session.strategy {"name":"locked"}
      3 call session.status
      4 press STOP
      5 call session.status
      6 press REC
      7 press STOP
      8 quit
      """)
    #expect(failure == nil)
    #expect(bench.results("session.strategy").first?["strategy"]?.stringValue == "locked")
    let statuses = bench.results("session.status").map { Self.rates($0) }
    #expect(statuses == [[48_000, 8000, 8000], [48_000, 8000, 48_000]])
    let takes = try bench.metadata()
    #expect(takes.map { $0["audio"]?["sampleRate"]?.integerValue } == [8000, 48_000])
    #expect(takes.map { $0["audio"]?["duration"]?.numberValue } == [3, 1])
    #expect(takes.allSatisfy { $0["gaps"]?.arrayValue?.isEmpty != false })
  }

  @Test func `S1: what another strategy has opened is not held by the next one at its rate`() throws {
    let bench = try RuntimeBench(rate: nil)
    let failure = try bench.run(
      """
      0 call settings.set {"recording.preRecordSeconds":0,"session.strategy":"locked"}
      1 call session.status
      2 call session.strategy {"name":"forced-rate"}
      2.5 call session.status
      3 press REC
      4 call session.strategy {"name":"locked"}
      5 press STOP
      6 call session.status
      7 quit
      """)
    #expect(failure == nil)
    let statuses = bench.results("session.status").map { Self.rates($0) }
    try #require(statuses.count == 3)
    #expect(statuses[1][1] == 8000 && statuses[0][1] != 8000)
    #expect(statuses[2] == statuses[0])
  }

  @Test func `S4: a take of 48 kHz is heard on a speaker of 8 kHz that is held`() throws {
    let bench = try RuntimeBench(onDisk: true, rate: 48_000, speakerRate: 8000)
    let failure = try bench.run(
      """
      0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0,"session.strategy":"locked"}
      1 press REC
      3 press STOP
      4 press CENTRE
      5 call session.status
      7 call session.status
      8 quit
      """)
    #expect(failure == nil)
    let statuses = bench.results("session.status")
    #expect(Self.rates(try #require(statuses.first), "playback") == [48_000, 8000, 48_000])
    #expect(Self.rates(try #require(statuses.last), "playback") == [nil, 8000, nil])
    #expect(statuses.first?["playbackProblem"]?.stringValue == "the device runs at 8000 Hz, and not at 48000")
  }

  @Test(arguments: [("alaw", "al"), ("mulaw", "ul")])
  func `S3: a G.711 take has the tags and the bytes that others give it`(format: String, type: String) throws {
    let bench = try RuntimeBench(onDisk: true)
    let failure = try bench.run(
      """
      0 call settings.set {"recording.format":"\(format)","recording.sampleRate":8000,"recording.preRecordSeconds":0}
      1 press REC
      2 mark
      3 press STOP
      5 call library.list
      6 press CENTRE
      7 expect mode dictaphone.playing
      7.5 quit
      """)
    #expect(failure == nil)
    let take = try #require(bench.results("library.list").first?["takes"]?.arrayValue?.first)
    let id = try #require(take["id"]?.stringValue)
    #expect(take["format"]?.stringValue == format)
    let file = try #require(bench.folder).appendingPathComponent("recordings/\(id)")
    let probe = try Tool.succeed(
      "ffprobe",
      ["-v", "error", "-show_entries", "stream=codec_name,sample_rate,channels,duration", "-of", "csv=p=0", file.path])
    #expect(probe == "pcm_\(format),8000,1,2.000000\n")
    // WAVE_FORMAT_ALAW and MULAW, 8 bits, an empty extension; the fact chunk says the frames.
    let bytes = [UInt8](try Data(contentsOf: file))
    let text = String(decoding: bytes.map { $0 < 0x80 ? $0 : 0x3F }, as: UTF8.self)
    let fact = try #require(text.range(of: "fact")).lowerBound
    let place = text.utf8.distance(from: text.startIndex, to: fact)
    #expect(bytes[(place + 4)..<(place + 12)].elementsEqual([4, 0, 0, 0, 0x80, 0x3E, 0, 0]))
    #expect(bytes[(place - 18)..<(place - 16)].elementsEqual([format == "alaw" ? 6 : 7, 0]))
    #expect(bytes[(place - 4)..<place].elementsEqual([8, 0, 0, 0]))
    // Sox makes the same bytes of what the microphone heard.
    let folder = TemporaryFolder()
    let heard = (8000..<24_000).map { Int16((Float($0 % 100) / 400 * 32_768).rounded(.toNearestOrEven)) }
    try heard.withUnsafeBytes { try Data($0).write(to: folder.url.appendingPathComponent("in")) }
    try Tool.succeed(
      "sh",
      [
        "-c",
        "sox -D -t raw -r 8000 -c 1 -e signed -b 16 in -t \(type) out && sox -D \(file.path) -t \(type) take && cmp out take",
      ], in: folder)
  }

  @Test(arguments: ["aac", "wav"])
  func `S3: an 8 kHz take of a microphone that has 48 kHz only is filtered, not folded, and exact`(format: String)
    throws
  {
    let bench = try RuntimeBench(onDisk: true, rate: 48_000)
    let failure = try bench.run(
      """
      0 call settings.set {"recording.format":"\(format)","recording.sampleRate":8000,"recording.preRecordSeconds":0}
      0 call session.strategy {"name":"locked"}
      1 press REC
      3 press STOP
      5 call library.list
      6 quit
      """)
    #expect(failure == nil)
    let take = try #require(bench.results("library.list").first?["takes"]?.arrayValue?.first)
    let file = try #require(bench.folder).appendingPathComponent("recordings/\(try #require(take["id"]?.stringValue))")
    let probe = try Tool.succeed(
      "ffprobe", ["-v", "error", "-show_entries", "stream=sample_rate,channels,duration", "-of", "csv=p=0", file.path])
    #expect(probe == "8000,1,2.000000\n")
    let raw = try Tool.run("ffmpeg", ["-v", "error", "-i", file.path, "-f", "s16le", "-"]).data
    // This ffmpeg does not cut what the last frame of AAC holds beyond the file's end.
    let beyond = format == "aac" ? 1023 : 0
    #expect((16_000...(16_000 + beyond)).contains(raw.count / 2))
  }
}
