import Foundation
import JSON
import TestSupport
import Testing

/// Pictures of what is dubbed, from outside: each carries its number, and the sound tells its time, so that both can be
/// held against each other at any moment.
@Suite("Pictures beside a dub", .serialized)
struct DubPictureTests: DubScenario {
  private static let rate = 25.0
  let stage: DubStage

  init() throws { stage = try DubStage() }

  private func stream(_ arguments: String...) throws -> (peer: DubPeer, address: String) {
    try stage.stream(by: "video_stream.py", ["--serve"] + arguments)
  }

  /// The number in a PNG, as ffmpeg and the reader of camera pictures see it.
  private func number(_ name: String, _ filter: String = "null", width: Int, height: Int) throws -> Int {
    let raw = folder.file("\(name).gray")
    try Tool.succeed(
      "ffmpeg",
      ["-v", "error", "-y", "-i", folder.file(name), "-vf", filter, "-f", "rawvideo", "-pix_fmt", "gray", raw])
    let reader = URL(fileURLWithPath: #filePath).appendingPathComponent("../../Tools/picture_code.py")
      .standardizedFileURL
    let line = try Tool.succeed("/usr/bin/python3", [reader.path, "\(width)", "\(height)", raw])
    let words = line.split(separator: " ")
    return words.count > 1 ? Int(words[1]) ?? -1 : -1
  }

  /// Pictures at these times, each written by the script just then, are of the sound that was heard then.
  private func expectTogether(_ times: [Double], _ heard: Heard) throws {
    for time in times {
      let number = try number("\(time).png", width: 640, height: 360)
      let place = heard.place(at: time)
      // The picture of now is between 0 and 1 picture old.
      let age = place * Self.rate - Double(number)
      #expect((-0.5...1.5).contains(age), "at \(time) s picture \(number), sound of \(place * Self.rate)")
    }
  }

  private func shots(_ times: [Double]) -> String {
    times.map { "\($0) picture \(folder.file("\($0).png"))" }.joined(separator: "\n")
  }

  @Test("are on the screen with their sound: from the start, over a break in the stream, after a seek and a pause")
  func together() throws {
    let (peer, address) = try stream("--seconds", "40", "--break")
    let first = [3.013, 4.5, 6.78, 9.99]
    let sought = [13.0, 14.321, 15.9]
    let resumed = [19.5, 21.02, 24.4]
    let run = try mynah.run(
      """
      0.2  call dub.start {"source":"\(address)","language":"en"}
      \(shots(first))
      10.5 press RIGHT
      \(shots(sought))
      16.0 press CENTRE
      17.0 picture \(folder.file("paused.png"))
      18.0 picture \(folder.file("still.png"))
      18.1 press CENTRE
      \(shots(resumed))
      25.0 call dub.status
      26.0 press STOP
      27.0 quit
      """, ["--screen", "640x360"])
    withExtendedLifetime(peer) {}
    try #require(run.status == 0, "\(run.errors)")
    let heard = try Heard(sound)
    try expectTogether(first + sought + resumed, heard)
    #expect(heard.place(at: 13) > 20)
    #expect(
      try number("paused.png", width: 640, height: 360) == number("still.png", width: 640, height: 360))
    let status = try #require(run.events("result").last?.data["result"])
    #expect((status["picturesShown"]?.numberValue ?? 0) > 400)
    #expect((status["picturesLate"]?.numberValue ?? 99) <= 5, "\(status)")
    #expect(status["picturesDamaged"]?.numberValue == 0)
    #expect(status["screen"]?.stringValue?.contains("640×360") == true)
  }

  @Test("wait with the sound while nothing comes, and go on with it")
  func underrun() throws {
    let (peer, address) = try stream("--seconds", "30")
    let after = [22.0, 23.5, 25.01]
    let run = try mynah.run(
      """
      0.2  call dub.start {"source":"\(address)","language":"en"}
      3.0  picture \(folder.file("3.0.png"))
      3.5  fault network down
      14.0 expect mode dub.buffering
      15.0 fault network up
      \(shots(after))
      26.0 quit
      """, ["--screen", "640x360"])
    withExtendedLifetime(peer) {}
    try #require(run.status == 0, "\(run.errors)")
    try expectTogether([3.0] + after, Heard(sound))
  }

  @Test("come and go with the screen, and the OLED has a small one all the while")
  func plugging() throws {
    let (peer, address) = try stream("--seconds", "30")
    let run = try mynah.run(
      """
      0.2  call dub.start {"source":"\(address)","language":"en"}
      3.0  screen \(folder.file("small.png"))
      3.5  fault screen unplug
      5.0  call dub.status
      6.0  fault screen replug
      9.0  picture \(folder.file("9.0.png"))
      10.0 hold DOWN 0.7
      11.0 screen \(folder.file("large.png"))
      11.5 call settings.get {"key":"dub.picture"}
      12.0 hold DOWN 0.7
      13.0 screen \(folder.file("off.png"))
      14.0 press STOP
      15.0 call dub.status
      16.0 quit
      """, ["--screen", "640x360"])
    withExtendedLifetime(peer) {}
    try #require(run.status == 0, "\(run.errors)")
    try expectTogether([9.0], Heard(sound))
    let told = run.events("result").filter { $0.data["method"] == "dub.status" }.map { $0.data["result"] ?? .null }
    #expect(told.map { $0["screen"] } == [.null, .null])
    // The preview is grey dots where nothing else is: below the timer, on the right; or on the left, and large.
    #expect(try litDots("small.png", "crop=320:192:696:232") > 0.1)
    #expect(try litDots("large.png", "crop=640:360:16:88") > 0.1)
    #expect(try litDots("off.png", "crop=320:100:696:232") < 0.1)
  }

  /// Part of the dots in a region of an 8-fold picture that are lit.
  private func litDots(_ name: String, _ crop: String) throws -> Double {
    let raw = folder.file("\(name).raw")
    try Tool.succeed(
      "ffmpeg",
      ["-v", "error", "-y", "-i", folder.file(name), "-vf", crop, "-f", "rawvideo", "-pix_fmt", "gray", raw])
    let bytes = try Data(contentsOf: URL(fileURLWithPath: raw))
    return Double(bytes.count { $0 > 127 }) / Double(max(1, bytes.count))
  }
}

extension Heard {
  /// Which second of the stream is heard at a time: its sine is at 400 Hz and 50 Hz more with every second.
  func place(at time: Double) -> Double {
    let start = max(0, Int((time - 0.025) * 48_000))
    let end = min(samples.count, Int((time + 0.025) * 48_000))
    var crossings: [Double] = []
    for index in start..<max(start, end - 1) where samples[index] < 0 && samples[index + 1] >= 0 {
      crossings.append(Double(index) + Double(samples[index] / (samples[index] - samples[index + 1])))
    }
    guard let first = crossings.first, let last = crossings.last, crossings.count > 2 else { return -1 }
    let frequency = Double(crossings.count - 1) / (last - first) * 48_000
    // That of the middle between the crossings, which need not be `time`.
    return (frequency - 400) / 50 + time - (first + last) / 2 / 48_000
  }
}
