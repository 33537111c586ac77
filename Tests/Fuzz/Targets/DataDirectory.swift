import Hardware
import Media
import TestSupport

@testable import Library

/// A data directory out of one text, opened and used as at a start.
struct DataDirectory {
  private let storage = FuzzStorage()
  private static let take = made(0)
  private static let clip = made(1)

  init(_ bytes: [UInt8]) {
    var path: String?
    var content: [UInt8] = []
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) + [Array("=== ".utf8)[...]] {
      guard line.starts(with: "=== ".utf8) else {
        content += line + [0x0A]
        continue
      }
      if let path, !path.isEmpty {
        switch content {
        case Array("@take\n".utf8): storage.plant(path, Self.take)
        case Array("@clip\n".utf8): storage.plant(path, Self.clip)
        default: storage.plant(path, content)
        }
      }
      path = String(decoding: line.dropFirst(4), as: UTF8.self)
      content = []
    }
  }

  private static func made(_ kind: Int) -> [UInt8] {
    for seed in 1..<64 as Range<UInt64> {
      var dice = SeededGenerator(seed: seed)
      guard let bytes = Recordings.valid(&dice), bytes.count > 700 else { continue }
      let isClip = bytes[8..<12].elementsEqual("isom".utf8)
      if isClip == (kind == 1), !bytes.starts(with: "RIFF".utf8) { return bytes }
    }
    return []
  }

  /// What is wrong after a start, a recording and a look at everything; `nil` if all is well.
  var problem: String? {
    let clock = FuzzClock()
    let library = Library(
      storage: storage, clock: clock, state: StateStore(storage: storage, clock: clock), repairer: Repairer())
    do {
      try library.open()
    } catch {
      return nil
    }
    settle(library)
    let takes = library.list(limit: .max).takes
    for take in takes {
      guard take.duration.isFinite, take.frames >= 0 else { return "\(take.id) has \(take.frames) frames" }
      _ = try? library.show(take.id)
      _ = try? library.verify(take.id)
    }
    for clip in library.clips.list(limit: .max).clips {
      guard clip.duration.isFinite, clip.frames >= 0 else { return "\(clip.id) has \(clip.frames) frames" }
    }
    _ = try? library.totals()
    let settings = SettingsStore(storage: storage, clock: clock)
    _ = try? settings.load()
    // Whatever lies there, one can record.
    let audio = AudioAttributes(
      duration: 0, sampleRate: 48_000, channels: 1, format: "wav", fileSizeBytes: 0)
    let plan = FileMeta(id: "", displayName: "", createdAt: clock.wallNow, audio: audio)
    do {
      let take = try library.begin(plan, fileExtension: "wav")
      take.file.close()
      try library.discard(take.meta.id)
    } catch {
      return "nothing can be recorded: \(error)"
    }
    settle(library)
    return nil
  }

  private func settle(_ library: Library) {
    for _ in 0..<10_000 {
      guard let due = library.step(now: .zero), due <= .zero else { return }
    }
  }

  /// As the runtime's, without another process.
  private final class Repairer: TakeRepairer {
    let examinesApart = true

    func bearsMarks(_ file: any StoredFile) throws(StorageError) -> Bool { try MediaRepair.bearsMarks(file) }

    func inspection(of file: any StoredFile) throws(StorageError) -> TakeWork { work(MediaRepair(inspecting: file)) }
    func repair(of file: any StoredFile) throws(StorageError) -> TakeWork { work(MediaRepair(file, scratch: nil)) }

    func salvage(from damaged: any StoredFile, into target: any StoredFile) throws(StorageError) -> TakeWork {
      work(MediaRepair(salvaging: damaged, into: target, scratch: nil))
    }

    func examination(of path: String) throws(StorageError) -> TakeWork {
      TakeWork { () throws(StorageError) in .damaged(reason: "Nobody looks into it.") }
    }

    private func work(_ repair: MediaRepair) -> TakeWork {
      var repair = repair
      return TakeWork { () throws(StorageError) in try repair.step().map { Self.diagnosis($0) } }
    }

    private static func diagnosis(_ found: MediaInspection) -> TakeDiagnosis {
      let shape = TakeShape(
        frames: found.frames, sampleRate: found.pcm?.sampleRate ?? 0, channels: found.pcm?.channels ?? 0, format: "aac")
      return switch found.condition {
      case .finished, .foreign: .complete(shape)
      case .unfinished: .unfinished(shape)
      case .damaged(let reason): .damaged(reason: reason)
      }
    }
  }
}
