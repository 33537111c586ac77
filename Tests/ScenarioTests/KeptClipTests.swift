import Foundation
import JSON
import TestSupport
import Testing

/// What can be done with a clip on the device once it is there.
@Suite("A clip that is kept")
struct KeptClipTests {
  private let folder: TemporaryFolder
  private let mynah: Mynah

  init() throws {
    folder = TemporaryFolder()
    var mynah = Mynah(folder: folder)
    mynah.board = try Mynah.smallCamera(in: folder)
    mynah.microphone = "beeps"
    self.mynah = mynah
  }

  @Test("can be listed, protected and told of, and a picture is kept on its own")
  func files() throws {
    let run = try mynah.run(
      """
      0.1  call panel.mode {"mode":"clips"}
      0.2  call settings.set {"clips.durationSeconds":1,"clips.postRollSeconds":0}
      3.0  press REC
      4.0  press LEFT
      5.0  press DOWN
      5.5  expect screen files
      6.0  press RIGHT
      6.5  screen \(folder.file("list.png"))
      6.6  press LEFT
      7.0  expect screen receipt
      7.1  screen \(folder.file("receipt.png"))
      7.5  hold RIGHT 0.7
      8.0  call clips.list
      8.5  quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let listed = try #require(run.events("result").last?.data["result"])
    #expect(listed["total"] == 1)
    #expect(listed["clips"]?.arrayValue?.first?["protected"] == true)
    let picture = try #require(run.events("onSnapshotSaved").first?.data["path"]?.stringValue)
    let probed = try Tool.succeed(
      "ffprobe",
      [
        "-v", "error", "-show_entries", "stream=codec_name,width,height", "-of", "csv=p=0",
        mynah.data.appendingPathComponent(picture).path,
      ])
    #expect(probed.hasPrefix("mjpeg,320,180"))
  }

  @Test("can be heard on the device: the last one by CENTRE, any from the list")
  func played() throws {
    var mynah = mynah
    let heard = folder.file("heard.wav")
    mynah.speaker = heard
    let run = try mynah.run(
      """
      0.1 call settings.set {"clips.durationSeconds":3,"clips.postRollSeconds":0}
      0.2 call panel.mode {"mode":"clips"}
      5.5 press REC
      7 press CENTRE
      8 call player.status
      11.2 press DOWN
      11.5 press CENTRE
      12.5 call player.status
      13.5 press STOP
      14 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let states = run.events("result").filter { $0.data["method"] == "player.status" }.map {
      $0.data["result"]?["state"]
    }
    #expect(states == ["playing", "playing"])
    // The clip is 3 s long, with beeps at 0.5, 1.5 and 2.5 s of it, and the second time it is stopped after two.
    let samples = try Sound.samples(URL(fileURLWithPath: heard))
    var beeps: [Double] = []
    var loudUntil = -1.0
    for (index, sample) in samples.enumerated() where abs(Int(sample)) > 5000 {
      let time = Double(index / 2) / 48_000
      if time > loudUntil + 0.2 { beeps.append(time) }
      loudUntil = time
    }
    #expect(beeps.count == 5, "\(beeps)")
    let steps = zip(beeps, beeps.dropFirst()).map { $1 - $0 }
    #expect(steps.prefix(2).allSatisfy { abs($0 - 1) < 0.005 }, "\(beeps)")
  }
}
