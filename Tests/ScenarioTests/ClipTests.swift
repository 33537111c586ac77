import Foundation
import JSON
import TestSupport
import Testing

/// Clip mode on simulated hardware: what the camera saw and the microphone heard is what ffmpeg finds in the file.
@Suite("A clip")
struct ClipTests {
  private let folder: TemporaryFolder
  private let mynah: Mynah
  private static let rate = 30.0

  init() throws {
    folder = TemporaryFolder()
    var mynah = Mynah(folder: folder)
    mynah.board = try Mynah.smallCamera(in: folder)
    mynah.microphone = "beeps"
    self.mynah = mynah
  }

  /// The picture that is to be seen at a time, by number.
  private static func picture(at time: Double) -> Int { Int((time * rate).rounded(.down)) }

  /// Whether a clip is what the camera saw from one time to another, and sounds along with it.
  private func check(_ clip: ClipFile, from start: Double, to end: Double) {
    let first = clip.pictures.first?.number ?? -1
    let last = clip.pictures.last?.number ?? -1
    #expect(abs(first - Self.picture(at: start)) <= 1, "first picture \(first), start \(start)")
    #expect(abs(last - Self.picture(at: end)) <= 1, "last picture \(last), end \(end)")
    #expect(clip.isUnbroken, "\(clip.pictures.map(\.number))")
    #expect(clip.largestIrregularity(rate: Self.rate) < 0.002)
    #expect(abs(clip.duration - (end - start)) < 0.1, "\(clip.duration)")
    // One that begins right at an end may be cut off.
    #expect(clip.beeps.count >= Int(end) - Int(start.rounded(.up)) - 1)
    for skew in clip.skews { #expect(abs(skew) <= 0.010, "sound is \(skew) s off") }
  }

  @Test("by key begins and ends where it was asked to, to the picture, with its sound")
  func byKey() throws {
    let run = try mynah.run(
      """
      0.1  hold STOP 0.7
      1.0  expect mode clips.buffering
      1.1  call settings.set {"clips.durationSeconds":2,"clips.postRollSeconds":1}
      1.5  expect led REC off
      5.5  expect led STATUS on
      6.0133 press REC
      6.2  expect mode clips.capturing
      6.2  expect led REC on
      8.5  expect mode clips.buffering
      8.5  expect led STATUS on
      8.6  call clips.status
      8.7  call clips.list
      9.0  quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    #expect(run.events("onBufferReady").count >= 1)
    let started = try #require(run.events("onCaptureStarted").first)
    #expect(abs((started.data["triggerTime"]?.numberValue ?? 0) - 6.0133) < 0.000_001)
    let completed = try #require(run.events("onCaptureCompleted").first)
    let file = try #require(mynah.clipFiles.first)
    #expect(completed.data["path"]?.stringValue == "clips/\(file.lastPathComponent)")
    #expect(completed.data["filePath"] == completed.data["path"])
    #expect(completed.time - 7.0133 < 0.3)
    check(try ClipFile(file), from: 4.0133, to: 7.0133)
    // The receipt is beside it, and says the same.
    let receipt = try JSONValue(
      parsing: Array(try Data(contentsOf: file.deletingPathExtension().appendingPathExtension("json"))))
    #expect(receipt["triggers"]?.arrayValue?.first?["cause"] == "key")
    #expect(abs((receipt["requestedStart"]?.numberValue ?? 0) - 4.0133) < 0.000_001)
    #expect(receipt["gaps"]?.arrayValue?.isEmpty == true)
    // A reading a second while the ring is filled.
    let telemetry = run.events("onTelemetryUpdate")
    #expect((6...10).contains(telemetry.count))
    #expect((29...31).contains(telemetry.last?.data["fps"]?.numberValue ?? 0))
  }

  @Test(
    "by script is the same, and a second one may overlap it as the setting says", arguments: ["merge", "independent"])
  func overlapping(overlap: String) throws {
    let run = try mynah.run(
      """
      0.1  call panel.mode {"mode":"clips"}
      0.2  call settings.set {"clips.durationSeconds":2,"clips.postRollSeconds":1,"clips.overlap":"\(overlap)"}
      5.0  call clips.trigger
      5.6  call clips.trigger
      8.0  expect mode clips.buffering
      8.1  quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let files = mynah.clipFiles
    if overlap == "merge" {
      try #require(files.count == 1)
      check(try ClipFile(files[0]), from: 3.0, to: 6.6)
      #expect(run.events("onCaptureExtended").count == 1)
    } else {
      try #require(files.count == 2)
      check(try ClipFile(files[0]), from: 3.0, to: 6.0)
      check(try ClipFile(files[1]), from: 3.6, to: 6.6)
    }
    #expect(run.events("onCaptureCompleted").count == files.count)
  }

  @Test("ends at once when STOP is pressed in its post-roll")
  func endedByKey() throws {
    let run = try mynah.run(
      """
      0.1  call panel.mode {"mode":"clips"}
      0.2  call settings.set {"clips.durationSeconds":2,"clips.postRollSeconds":30}
      5.0  press REC
      6.5  press STOP
      7.5  expect mode clips.buffering
      7.6  quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    check(try ClipFile(try #require(mynah.clipFiles.first)), from: 3.0, to: 6.5)
  }

  @Test("goes on with sound while the camera is away, and with pictures when it is back")
  func cameraUnplugged() throws {
    let run = try mynah.run(
      """
      0.1  call panel.mode {"mode":"clips"}
      0.2  call settings.set {"clips.durationSeconds":2,"clips.postRollSeconds":8}
      5.0  press REC
      6.0  fault camera unplug
      7.0  expect mode clips.capturing
      7.0  expect notice device-lost
      8.0  fault camera replug
      15.0 expect mode clips.buffering
      15.1 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let lost = try #require(run.events("onDeviceLost").first { $0.data["device"] == "camera" })
    #expect(lost.time < 7.0)
    #expect(run.events("onDeviceReturned").last { $0.data["device"] == "camera" }.map { $0.time < 10.5 } == true)
    let clip = try ClipFile(try #require(mynah.clipFiles.first))
    #expect(abs(clip.duration - 10) < 0.1, "\(clip.duration)")
    #expect(clip.beeps.count >= 9)
    for skew in clip.skews { #expect(abs(skew) <= 0.010, "\(skew)") }
    // Pictures from before and after, nothing twice.
    let numbers = clip.pictures.map(\.number)
    #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
    #expect((numbers.last ?? 0) >= 380)
    let completed = try #require(run.events("onCaptureCompleted").first)
    let gaps = completed.data["gaps"]?.arrayValue ?? []
    #expect(gaps.contains { $0["track"] == "picture" && ($0["seconds"]?.numberValue ?? 0) > 1.5 }, "\(gaps)")
  }

  @Test("a camera that opens and sends nothing is away until a picture comes, and told once")
  func cameraStalls() throws {
    let run = try mynah.run(
      """
      0.1  call panel.mode {"mode":"clips"}
      5.0  fault camera stall 6
      15.0 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let lost = run.events("onDeviceLost").filter { $0.data["device"] == "camera" }
    let returned = run.events("onDeviceReturned").filter { $0.data["device"] == "camera" }
    #expect(lost.count == 1 && returned.count == 2)
    #expect(returned.last.map { $0.time >= 11 } == true)
  }

  @Test("is not moved by a jump of the wall clock, nor hurt by a card that does not answer for ten seconds")
  func jumpAndStall() throws {
    let run = try mynah.run(
      """
      0.1  call panel.mode {"mode":"clips"}
      0.2  call settings.set {"clips.durationSeconds":2,"clips.postRollSeconds":2}
      4.5  fault storage stall 10
      5.0  press REC
      6.0  fault clock jump -3600
      20.0 expect mode clips.buffering
      20.1 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    check(try ClipFile(try #require(mynah.clipFiles.first)), from: 3.0, to: 7.0)
  }

  @Test("is there up to the last half second when the power goes in the middle of it")
  func powerCut() throws {
    let run = try mynah.run(
      """
      0.1  call panel.mode {"mode":"clips"}
      0.2  call settings.set {"clips.durationSeconds":2,"clips.postRollSeconds":20}
      5.0  press REC
      9.0  fault power cut
      """)
    #expect(mynah.clipFiles.isEmpty, "\(run.errors)")
    let next = try mynah.run("2.0 call clips.list\n2.1 quit")
    try #require(next.status == 0, "\(next.errors)")
    let clip = try ClipFile(try #require(mynah.clipFiles.first))
    #expect(clip.isUnbroken)
    #expect(abs((clip.pictures.first?.number ?? 0) - 90) <= 1)
    #expect((clip.pictures.last?.number ?? 0) >= Self.picture(at: 8.4), "\(clip.pictures.last?.number ?? 0)")
    for skew in clip.skews { #expect(abs(skew) <= 0.010, "\(skew)") }
    let listed = try #require(next.events("result").first)
    #expect(listed.data["result"]?["clips"]?.arrayValue?.first?["stopReason"] == "recovered")
  }

  @Test("nobody asked for is saved from a power cut, up to the last half second, if the ring is on the disk")
  func powerCutWithoutTrigger() throws {
    _ = try mynah.run(
      """
      0.1  call settings.set {"clips.durationSeconds":4,"clips.ring":"disk"}
      0.2  call panel.mode {"mode":"clips"}
      16.0 fault power cut
      """)
    let next = try mynah.run("2.0 call clips.list\n2.1 quit")
    try #require(next.status == 0, "\(next.errors)")
    let clips = try mynah.clipFiles.map { try ClipFile($0) }
    #expect(clips.allSatisfy { $0.isUnbroken })
    let numbers = clips.flatMap { $0.pictures.map(\.number) }.sorted()
    #expect((numbers.first ?? 0) <= Self.picture(at: 12))
    #expect((numbers.last ?? 0) >= Self.picture(at: 15.4), "\(numbers.last ?? 0)")
    #expect(Set(numbers).count == numbers.count)
  }

  @Test("never keeps a take waiting: while one is recorded the mode stays, and in clip mode none can be started")
  func takesComeFirst() throws {
    let run = try mynah.run(
      """
      0.5  press REC
      1.0  call panel.mode {"mode":"clips"}
      1.5  expect mode dictaphone.recording
      2.0  press STOP
      3.0  call panel.mode {"mode":"clips"}
      3.5  expect mode clips.buffering
      4.0  call recorder.start
      4.5  expect mode clips.buffering
      5.0  hold STOP 0.7
      6.0  expect mode dub.idle
      6.1  quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    #expect(mynah.takes.count == 1)
    let results = run.events("result")
    #expect(results.first?.data["error"]?["code"] == "busy")
    #expect(results.last?.data["error"]?["code"] == "busy")
  }

  @Test(
    "is not needed for a picture, of ten bits and the camera's own size: the call is answered when it is there"
  )
  func tenBits() throws {
    let film = folder.file("ten.mp4")
    _ = try Tool.succeed(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=400x240:r=30", "-t", "2", "-pix_fmt", "yuv420p10le", "-c:v",
        "libx264", "-preset", "veryfast", "-x264-params", "bframes=2:keyint=15", "-y", film,
      ])
    let run = try mynah.run(
      """
      0.2 call panel.mode {"mode":"clips"}
      2.5 call clips.snapshot
      3.5 press LEFT
      4 call clips.snapshot
      5 call clips.status
      5.5 quit
      """, ["--camera", film])
    try #require(run.status == 0, "\(run.errors)")
    #expect(run.events("onError").isEmpty)
    let kept = run.events("onSnapshotSaved")
    let answers = run.events("result").filter { $0.data["method"] == "clips.snapshot" }
    try #require(kept.count == 3 && answers.count == 2)
    for (answer, event) in [(answers[0], kept[0]), (answers[1], kept[2])] {
      let path = try #require(answer.data["result"]?["path"]?.stringValue)
      #expect(path == event.data["path"]?.stringValue && abs(answer.time - event.time) < 0.001)
      let probed = try Tool.succeed(
        "ffprobe",
        [
          "-v", "error", "-show_entries", "stream=codec_name,width,height", "-of", "csv=p=0",
          mynah.data.appendingPathComponent(path).path,
        ])
      #expect(probed.hasPrefix("mjpeg,400,240"))
    }
    let camera = try #require(run.events("result").last?.data["result"]?["camera"])
    #expect(camera["width"] == 400 && camera["height"] == 240 && camera["format"] == "400x240 H.264")
  }

  @Test("can be trimmed to the picture and joined with another, without a picture being encoded again")
  func edited() throws {
    let first = "000001_2026-11-20T21-54-03Z.mp4"
    let run = try mynah.run(
      """
      0.1  call panel.mode {"mode":"clips"}
      0.2  call settings.set {"clips.durationSeconds":2,"clips.postRollSeconds":1}
      5.0  press REC
      7.0  call clips.trim {"id":"\(first)","start":0.5,"end":2.0}
      8.0  call clips.concat {"ids":["\(first)","000002_2026-11-20T21-54-07Z.mp4"]}
      9.0  call clips.trim {"id":"nothing.mp4","start":0.5,"end":2.0}
      9.5  call clips.protect {"id":"\(first)"}
      9.6  call clips.delete {"id":"\(first)"}
      10.0 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let files = mynah.clipFiles
    try #require(files.map(\.lastPathComponent).first == first && files.count == 3, "\(run.output)")
    check(try ClipFile(files[1]), from: 3.5, to: 5.0)
    let joined = try ClipFile(files[2])
    #expect(abs(joined.duration - 4.5) < 0.1)
    #expect(try joined.pictures.count == ClipFile(files[0]).pictures.count + ClipFile(files[1]).pictures.count)
    let results = run.events("result")
    #expect(results.contains { $0.data["error"]?["code"] == "not-found" })
    #expect(results.last?.data["error"]?["code"] == "busy")
  }

  @Test("whose index is damaged is found by a check of all that is there")
  func verified() throws {
    let made = try mynah.run(
      """
      0.1  call panel.mode {"mode":"clips"}
      0.2  call settings.set {"clips.durationSeconds":2,"clips.postRollSeconds":1}
      5.0  press REC
      9.0  quit
      """)
    try #require(made.status == 0, "\(made.errors)")
    let clip = try #require(mynah.clipFiles.first)
    var bytes = try Data(contentsOf: clip)
    let table = try #require(bytes.range(of: Data("stsz".utf8), options: .backwards)).upperBound
    bytes.replaceSubrange(table + 16..<table + 56, with: Data(repeating: 0xFF, count: 40))
    try bytes.write(to: clip)
    let run = try mynah.run("3.0 call library.verify\n4.0 quit")
    let result = try #require(run.events("result").first?.data["result"])
    #expect(result["checked"] == 1, "\(result)")
    #expect(result["problems"]?.arrayValue?.map { $0["id"]?.stringValue } == [clip.lastPathComponent])
  }

  @Test("is told by number to whoever orders it, and by its path to who waits; the quota keeps the newest")
  func answers() throws {
    let run = try mynah.run(
      """
      0.1  call panel.mode {"mode":"clips"}
      0.2  call settings.set {"clips.durationSeconds":1,"clips.postRollSeconds":0,"clips.quotaMB":1,"clips.ring":"disk"}
      4.0  call clips.trigger
      6.0  call clips.trigger {"wait":true}
      9.0  quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let results = run.events("result").filter { $0.data["method"] == "clips.trigger" }.map { $0.data["result"] }
    try #require(results.count == 2)
    let numbers = results.compactMap { $0?["clip"]?.integerValue }
    #expect(numbers.count == 2 && numbers[0] < numbers[1])
    #expect(results[0]?["path"] == nil)
    let path = try #require(results[1]?["path"]?.stringValue)
    #expect(FileManager.default.fileExists(atPath: mynah.data.appendingPathComponent(path).path))
    // The program has ended in clip mode: nothing of the ring's copy is left.
    let cache =
      (try? FileManager.default.contentsOfDirectory(atPath: mynah.data.appendingPathComponent("cache").path)) ?? []
    #expect(!cache.contains { $0.hasPrefix("ring-") }, "\(cache)")
  }

  @Test("is filmed by a camera whose picture keeps its shape on the small screen", arguments: ["240x320", "320x240"])
  func shape(size: String) throws {
    let film = folder.file("film.h264")
    _ = try Tool.succeed(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=\(size):r=30:d=4", "-c:v", "libx264", "-g", "15", "-pix_fmt",
        "yuv420p", film,
      ])
    let run = try mynah.run(
      "0.1 call panel.mode {\"mode\":\"clips\"}\n4 screen \(folder.file("oled.png"))\n4.1 quit", ["--camera", film])
    try #require(run.status == 0, "\(run.errors)")
    try Tool.succeed(
      "ffmpeg",
      [
        "-v", "error", "-i", folder.file("oled.png"), "-vf", "format=gray,scale=128:64:flags=neighbor", "-f",
        "rawvideo",
        folder.file("dots"),
      ])
    let dots = try #require(folder.bytes("dots"))
    // Of the place for it, 64 by 36 dots, it takes 27 or 48 columns in the middle.
    let columns = (1...64).map { x in (11..<47).count { dots[$0 * 128 + x] > 127 } }
    let side = size == "240x320" ? 18 : 8
    #expect(columns.prefix(side).allSatisfy { $0 == 0 } && columns.suffix(side).allSatisfy { $0 == 0 }, "\(columns)")
    #expect(columns.dropFirst(side + 1).dropLast(side + 1).count { $0 > 0 } > 20, "\(columns)")
  }

  @Test("has the pictures of a film that the camera is made of", arguments: ["mp4", "mkv", "ts", "nut", "asf"])
  func film(kind: String) throws {
    _ = try Tool.succeed(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=30", "-f", "lavfi", "-i", "sine", "-t", "6", "-c:v",
        "libx264",
        "-g", "15", "-bf", "2", "-pix_fmt", "yuv420p", "-c:a", "aac", folder.file("film.\(kind)"),
      ])
    let run = try mynah.run(
      """
      0.1  call panel.mode {"mode":"clips"}
      0.2  call settings.set {"clips.durationSeconds":2,"clips.postRollSeconds":1}
      5.0  call clips.trigger
      8.0  expect mode clips.buffering
      8.1  quit
      """, ["--camera", folder.file("film.\(kind)")])
    try #require(run.status == 0, "\(run.errors)")
    let frames = try Tool.succeed(
      "ffprobe",
      [
        "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries", "stream=nb_read_frames", "-of",
        "csv=p=0",
        try #require(mynah.clipFiles.first).path,
      ])
    #expect(
      (88...91).contains(Int(frames.split(separator: "\n").first?.split(separator: ",").first ?? "") ?? 0), "\(frames)")
  }

  @Test("is listed and completed on a device without a camera, too")
  func recoveredWithoutCamera() throws {
    _ = try mynah.run(
      """
      0.1  call panel.mode {"mode":"clips"}
      0.2  call settings.set {"clips.durationSeconds":2,"clips.postRollSeconds":20}
      5.0  press REC
      9.0  fault power cut
      """)
    let next = try mynah.run("2.0 call clips.list\n2.1 quit", ["--camera", "none"])
    try #require(next.status == 0, "\(next.errors)")
    let listed = try #require(next.events("result").first?.data["result"]?["clips"]?.arrayValue?.first)
    #expect(listed["stopReason"] == "recovered")
    #expect(mynah.clipFiles.count == 1)
  }

  @Test("can go on without end, split without a seam; and a time-lapse has a picture a second")
  func withoutEnd() throws {
    var mynah = mynah
    mynah.board = try Mynah.smallCamera(in: folder, more: "[clips]\nlongest_seconds = 10")
    let run = try mynah.run(
      """
      0.1  call panel.mode {"mode":"clips"}
      0.2  call settings.set {"clips.durationSeconds":2,"clips.postRollSeconds":1}
      4.0  call clips.continuous
      25.0 expect mode clips.capturing
      25.0 call clips.endPostRoll
      27.0 expect mode clips.buffering
      28.0 call clips.timeLapse {"seconds":1}
      40.5 call clips.endPostRoll
      42.0 expect mode clips.buffering
      42.1 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let files = mynah.clipFiles
    try #require(files.count >= 4, "\(files)")
    let parts = try files.dropLast().map { try ClipFile($0) }
    var numbers: [Int] = []
    for part in parts { numbers += part.pictures.map(\.number) }
    // Not one missing at the seams, and none twice.
    #expect(numbers == Array((numbers.first ?? 0)...(numbers.last ?? 0)))
    #expect(abs((numbers.first ?? 0) - 60) <= 1 && abs((numbers.last ?? 0) - 750) <= 1)
    let lapse = try ClipFile(files[files.count - 1])
    #expect((12...14).contains(lapse.pictures.count), "\(lapse.pictures.count)")
    #expect(lapse.sound.isEmpty)
  }

  @Test("needs a camera: without one the mode is refused, and nothing of a ring is allocated")
  func withoutCamera() throws {
    let run = try mynah.run(
      """
      0.1  call panel.mode {"mode":"clips"}
      0.5  hold STOP 0.7
      1.5  expect mode dub.idle
      1.6  call budget.report
      2.0  quit
      """, ["--camera", "none"])
    try #require(run.status == 0, "\(run.errors)")
    let results = run.events("result")
    #expect(results.first?.data["error"]?["code"] == "unsupported")
    let lines = results.last?.data["result"]?["lines"]?.arrayValue ?? []
    #expect(lines.first { $0["subsystem"] == "ring" }?["allocatedKB"] == 0)
    #expect(run.events("onTelemetryUpdate").isEmpty)
  }
}
