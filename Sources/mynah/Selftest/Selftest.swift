import Appliance
import Board
import Budget
import Console
import Hardware
import JSON
import LinuxHardware
import Panel
import Runtime

/// The checks of `mynah selftest`, each by itself: one that fails keeps none of the others from running.
struct Selftest {
  /// Why a check failed.
  struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  let board: BoardDescription
  /// Data directory; must be there.
  let data: String

  func run() -> [SelftestResult] {
    [
      check("budget", budget), check("storage", storage), check("settings", settings), check("recording", recording),
      check("encoding", encoding), check("screens", screens),
    ]
  }

  private func check(_ name: String, _ work: () throws -> String) -> SelftestResult {
    let clock = SystemClock()
    let begin = clock.now
    var result = SelftestResult(name: name, isGood: true, detail: "", milliseconds: 0)
    do { result.detail = try work() } catch {
      result.isGood = false
      result.detail = "\(error)"
    }
    result.milliseconds = Int((clock.now - begin).nanoseconds / 1_000_000)
    return result
  }

  // MARK: Checks

  private func budget() throws -> String {
    let plan = BudgetPlan(board)
    do throws(BudgetError) {
      try plan.requireFit(physicalMemoryKB: ProcessUsage.physicalMemoryKB(), cores: ProcessUsage.cores())
    } catch {
      throw Failure(error.reasons.joined(separator: "; "))
    }
    return "\(plan.sumMemoryKB / 1024) of \(plan.totalMemoryKB / 1024) MiB for \(board.name)"
  }

  private func storage() throws -> String {
    let probe = StorageProbe(
      root: data, reserveBytes: board.storage.reserveMB << 20, lowBytes: 0,
      appliance: DirectoryLock.process(in: data))
    guard let finding = probe.examine().first else { throw Failure("\(data): not looked at") }
    let text = "\(data): \(finding.detail)" + (finding.remedy.isEmpty ? "" : "; \(finding.remedy)")
    if finding.verdict.isFailure { throw Failure(text) }
    return text
  }

  /// Only read: what is damaged is mended at start, not by a look at it.
  private func settings() throws -> String {
    let storage = try openStorage()
    guard let bytes = try? storage.read("settings.json", limit: 1 << 20) else { return "none kept yet: defaults hold" }
    guard let fields = (try? JSONValue(parsing: bytes))?.objectValue else {
      throw Failure("\(data)/settings.json is damaged; at start its backup is used")
    }
    var settings = Settings()
    var known = 0
    for key in Settings.table.map(\.key) {
      guard let json = fields[key] else { continue }
      known += 1
      // What lets somebody in is in secrets.json, which is nobody's to look at.
      if json["secret"] != nil { continue }
      guard let value = SettingValue(json) else {
        throw Failure("settings.json: \(key) is of no kind that a setting has")
      }
      do throws(SettingError) { try settings.set(key, to: value) } catch { throw Failure("settings.json: \(error)") }
    }
    return "\(known) of \(Settings.table.count) settings kept, all valid"
  }

  /// Noise into a WAV take: every sample must come back as it was.
  private func recording() throws -> String {
    try TrialTake(.noise, format: "wav", below: data).judge { heard, said in
      guard heard == said else {
        let first = zip(heard, said).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        return "sample \(first ?? 0) of \(heard.count) is not what was recorded"
      }
      return nil
    }
  }

  /// Tones into an AAC take: of the exact length, and sounding alike.
  private func encoding() throws -> String {
    try TrialTake(.tones, format: "aac", below: data).judge { heard, said in
      var signal = 0.0
      var error = 0.0
      // The codec's first and last frames have half a window of the silence around the take in them.
      for index in heard.indices.dropFirst(4096).dropLast(4096) {
        signal += Double(said[index] * said[index])
        error += Double((heard[index] - said[index]) * (heard[index] - said[index]))
      }
      // 20 dB: AAC at its default rate is 40 dB and more away from two tones.
      return error < signal / 100 ? nil : "the decoded take does not sound like what was recorded"
    }
  }

  private func screens() throws -> String {
    var pictures: Set<Frame> = []
    for sample in SampleScreens.all {
      let frame = Panel.Screens.render(sample.state, sample.readings, at: sample.now)
      let lit = frame.pages.reduce(0) { $0 + $1.nonzeroBitCount }
      guard lit > 50, lit < frame.width * frame.height else { throw Failure("the screen \(sample.name) is blank") }
      guard !PNG.encode(frame).isEmpty else { throw Failure("the screen \(sample.name) makes no picture") }
      pictures.insert(frame)
    }
    let count = SampleScreens.all.count
    guard pictures.count > count / 2 else { throw Failure("\(count) screens look alike: the font is not what it was") }
    return "\(count) screens drawn"
  }

  private func openStorage() throws -> FileStorage {
    // It would be made otherwise.
    guard DataDirectory.exists(data) else { throw Failure("\(data): there is no such directory") }
    do throws(StorageError) { return try FileStorage(root: data, reserveBytes: 0) } catch { throw Failure("\(error)") }
  }
}

extension SelftestResult {
  /// `ok    recording   …`.
  var line: String {
    let pad = { (text: String, width: Int) in text + String(repeating: " ", count: max(0, width - text.count)) }
    return pad(isGood ? "ok" : "FAILED", 8) + pad(name, 12) + detail.shown
  }
}
