import Foundation
import Hardware
import JSON
import SimulatedHardware
import TestSupport
import Testing

/// The data directory goes from under the device that runs, and comes back.
@Suite struct StorageLookoutTests {
  @Test("Without its card the device is not armed and says so for as long; with the card back it records onto it")
  func pulled() throws {
    let bench = try RuntimeBench(onDisk: true)
    let folder = try #require(bench.folder)
    let away = folder.appendingPathExtension("away")
    bench.hardware.steppers.append(
      AtTime(.at(3), bench) { _ in
        do { try FileManager.default.moveItem(at: folder, to: away) } catch { Issue.record("\(error)") }
      })
    bench.hardware.steppers.append(
      AtTime(.at(40), bench) { _ in
        do { try FileManager.default.moveItem(at: away, to: folder) } catch { Issue.record("\(error)") }
      })
    let failure = try bench.run(
      """
      2 call recorder.status
      4.5 call recorder.status
      4.5 call system.info
      4.5 call panel.state
      4.5 expect led STATUS double-flash
      30 expect notice device-lost
      31 press LEFT
      32 call panel.state
      33 press REC
      34 expect mode dictaphone.idle
      42 expect notice none
      42 expect led STATUS on
      42 call recorder.status
      44 press REC
      46 press STOP
      48 quit
      """)
    #expect(failure == nil)
    let status = bench.results("recorder.status")
    try #require(status.count == 3)
    #expect(status.map { $0["armed"]?.boolValue } == [true, false, true])
    #expect(status.map { ($0["secondsLeft"]?.numberValue ?? 0) > 0 } == [true, false, true])
    #expect(bench.results("system.info").first?["storage"]?["freeBytes"]?.integerValue == 0)
    let panel = bench.results("panel.state")
    try #require(panel.count == 2)
    #expect(panel[0]["notice"]?["text"] == "Storage lost: put the card back.", "\(panel[0])")
    // Without the card that covers it, the screen says it by itself.
    #expect(panel[1]["texts"]?.arrayValue?.contains("No card") == true, "\(panel[1])")
    for topic in ["onDeviceLost", "onDeviceReturned"] {
      #expect(bench.events(topic).count { $0.data["device"] == "storage" } == 1, "\(topic)")
    }
    let saved = try #require(bench.events("onTakeSaved").first?.data["id"]?.stringValue)
    #expect(bench.events("onTakeSaved").count == 1)
    #expect(FileManager.default.fileExists(atPath: "\(folder.path)/recordings/\(saved)"))
  }

  @Test(
    "What ends while the card is out is not told as removed: it is kept, and listed, once the card is back",
    arguments: [false, true])
  func endedWithout(isClip: Bool) throws {
    let bench = try RuntimeBench(onDisk: true)
    let folder = try #require(bench.folder)
    let away = folder.appendingPathExtension("away")
    for (time, from, to) in [(6, folder, away), (15, away, folder)] {
      bench.hardware.steppers.append(
        AtTime(.at(Double(time)), bench) { _ in
          do { try FileManager.default.moveItem(at: from, to: to) } catch { Issue.record("\(error)") }
        })
    }
    let failure = try bench.run(
      """
      0 call settings.set {"clips.durationSeconds":3,"clips.postRollSeconds":4}
      \(isClip ? #"0.1 call panel.mode {"mode":"clips"}"# : "")
      5 press REC
      8 press STOP
      14 expect led STATUS double-flash
      20 call library.list
      20 call clips.list
      22 quit
      """)
    #expect(failure == nil)
    #expect(
      bench.events("onError").allSatisfy { $0.data["message"]?.stringValue?.contains("was removed while") == false },
      "\(bench.events("onError"))")
    let kept = isClip ? bench.results("clips.list").first?["clips"] : bench.results("library.list").first?["takes"]
    #expect(kept?.arrayValue?.count == 1, "\(String(describing: kept))")
    if !isClip { #expect(bench.events("onTakeSaved").count == 1) }
  }

  @Test("Folders that are removed, and made anew within a second, disarm nothing")
  func folders() throws {
    let bench = try RuntimeBench(onDisk: true)
    let folder = try #require(bench.folder)
    bench.hardware.steppers.append(
      AtTime(.at(3.2), bench) { _ in
        try? FileManager.default.removeItem(at: folder.appendingPathComponent("recordings"))
      })
    let looks = (32..<60).map { "\($0 / 10).\($0 % 10)5 call recorder.status" }.joined(separator: "\n")
    #expect(try bench.run("\(looks)\n7 quit") == nil)
    let status = bench.results("recorder.status")
    #expect(
      status.count == 28 && status.allSatisfy { $0["armed"] == true && ($0["secondsLeft"]?.numberValue ?? 0) > 0 })
    #expect(bench.events("onDeviceLost").allSatisfy { $0.data["device"] != "storage" })
  }
}
