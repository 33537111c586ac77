import Foundation
import Glibc
import TestSupport

/// One way in which a data directory can be spoilt while the device is off.
struct Damage: Sendable, CustomStringConvertible {
  let description: String
  /// The number of the take that is damaged; `nil`: none of the good ones is.
  let victim: String?
  /// A file of `recordings/` of which nothing can be saved: it has to be in `_Corrupted/` afterwards.
  var hopeless: String?
  /// A file of `recordings/` that somebody else has put there and of which nothing can be made: it has to be as it was.
  var unreadable: String?
  let apply: @Sendable (URL) throws -> Void

  /// The takes of `GoodLibrary` that may be damaged: one of each format.
  private static let victims = ["m4a": "000001", "wav": "000002"]

  static let all: [Damage] = {
    var damages: [Damage] = []
    for (format, number) in victims.sorted(by: { $0.key < $1.key }) {
      damages += toSound(format, number) + toMetadata(format, number)
    }
    return damages + toIndexes + strangers
  }()

  // MARK: Sound

  private static func toSound(_ format: String, _ number: String) -> [Damage] {
    var damages: [Damage] = []
    func add(_ name: String, isHopeless: Bool = false, _ change: @escaping @Sendable (inout [UInt8]) -> Void) {
      damages.append(
        Damage(description: "\(format): \(name)", victim: number, hopeless: isHopeless ? number : nil) { data in
          try rewrite(sound(number, in: data), change)
        })
    }
    for seed in 0..<6 {
      add("cut off at a random length (\(seed))") { bytes in
        var generator = generator(seed, format)
        bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
      }
    }
    add("cut off within its first box") { $0.removeLast($0.count - 20) }
    let regions: [(String, @Sendable (Int) -> Range<Int>)] = [
      ("its first 64 bytes", { _ in 0..<64 }), ("its first 4 KB", { _ in 0..<4096 }),
      ("its middle", { ($0 / 3)..<($0 * 2 / 3) }), ("its last 2 KB", { ($0 - 2048)..<$0 }),
    ]
    for (name, region) in regions {
      for seed in 0..<3 {
        add("bits flipped in \(name) (\(seed))") { bytes in
          var generator = generator(seed + 100, format + name)
          for _ in 0..<(1 << (2 * seed)) {
            bytes[Int.random(in: region(bytes.count), using: &generator)] ^=
              1 << UInt8.random(in: 0..<8, using: &generator)
          }
        }
      }
    }
    for place in [0, 1, 2] {
      add("a block of 4 KB is nought, at \(place) thirds") { bytes in
        let start = bytes.count * place / 3 / 4096 * 4096
        for index in start..<min(bytes.count, start + 4096) { bytes[index] = 0 }
      }
    }
    add("garbage at its end") { $0 += garbage(10_000) }
    add("garbage in its place", isHopeless: true) { $0 = garbage($0.count) }
    add("all nought", isHopeless: true) { $0 = Array(repeating: 0, count: $0.count) }
    add("emptied", isHopeless: true) { $0 = [] }
    damages.append(
      Damage(description: "\(format): a directory in its place", victim: number) { data in
        let file = try sound(number, in: data)
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
      })
    return damages
  }

  // MARK: Metadata and indexes

  private static func toMetadata(_ format: String, _ number: String) -> [Damage] {
    let changes: [(String, @Sendable (inout [UInt8]) -> Void)] = [
      ("is garbage", { $0 = garbage($0.count) }), ("is cut off", { $0.removeLast($0.count / 2) }),
      ("is empty", { $0 = [] }), ("is JSON of another kind", { $0 = Array("[[[1e999]]]".utf8) }),
    ]
    var damages = changes.map { name, change in
      Damage(description: "\(format): its metadata \(name), and the backup too", victim: number) { data in
        for file in try files(number, in: data) where file.lastPathComponent.contains(".json") {
          try rewrite(file, change)
        }
      }
    }
    damages.append(
      Damage(description: "\(format): its metadata is gone, and the backup too", victim: number) { data in
        for file in try files(number, in: data) where file.lastPathComponent.contains(".json") {
          try FileManager.default.removeItem(at: file)
        }
      })
    damages.append(
      Damage(description: "\(format): the sound is gone, its metadata is not", victim: number) { data in
        try FileManager.default.removeItem(at: try sound(number, in: data))
      })
    return damages
  }

  private static let toIndexes: [Damage] = ["catalogue", "settings.json", "state.json"].flatMap { name in
    let changes: [(String, @Sendable (inout [UInt8]) -> Void)] = [
      ("is garbage", { $0 = garbage(max(200, $0.count)) }), ("is cut off", { $0.removeLast($0.count / 2) }),
      ("is empty", { $0 = [] }),
    ]
    let spoilt = changes.map { kind, change in
      Damage(description: "\(name) \(kind), and its backup too", victim: nil) { data in
        for file in [name, "\(name).bak"].map({ data.appendingPathComponent($0) })
        where FileManager.default.fileExists(atPath: file.path) { try rewrite(file, change) }
      }
    }
    let replaced = Damage(description: "\(name) is a directory", victim: nil) { data in
      let file = data.appendingPathComponent(name)
      try? FileManager.default.removeItem(at: file)
      try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
    }
    return spoilt + [replaced]
  }

  // MARK: What does not belong there

  private static let strangers: [Damage] = [
    stranger("garbage called m4a", "garbage.m4a", isUnreadable: true) { try Data(garbage(5000)).write(to: $0) },
    stranger("garbage called wav with a take's number", "000009_2026-11-20T21-54-00Z.wav", isUnreadable: true) {
      try Data(garbage(5000)).write(to: $0)
    },
    stranger("text called mp3", "notes.mp3", isUnreadable: true) { try Data("not a sound\n".utf8).write(to: $0) },
    stranger("an MP3", "song.mp3") { try tone(to: $0) },
    stranger("a FLAC", "song.flac") { try tone(to: $0) },
    stranger("a file called wav that is empty", "empty.wav", isUnreadable: true) { try Data().write(to: $0) },
    stranger("a FLAC that is cut off", "song.flac") { file in
      try tone(to: file)
      try rewrite(file) { $0.removeLast($0.count / 2) }
    },
    stranger("a name with a line feed", "a\nb.wav") { try tone(to: $0) },
    stranger("a link to nowhere", "000009_2026-11-20T21-54-00Z.m4a") {
      try FileManager.default.createSymbolicLink(atPath: $0.path, withDestinationPath: "/nowhere/at/all")
    },
    stranger("a pipe that nobody writes to", "000009_2026-11-20T21-54-00Z.wav") { mkfifo($0.path, 0o644) },
  ]

  private static func stranger(
    _ what: String, _ name: String, isHopeless: Bool = false, isUnreadable: Bool = false,
    _ make: @escaping @Sendable (URL) throws -> Void
  ) -> Damage {
    Damage(
      description: "\(what) in recordings/", victim: nil, hopeless: isHopeless ? name : nil,
      unreadable: isUnreadable ? name : nil
    ) {
      try make($0.appendingPathComponent("recordings").appendingPathComponent(name))
    }
  }

  private static func tone(to file: URL) throws {
    try Tool.succeed("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=440:duration=2", file.path])
  }

  // MARK: Tools

  private static func generator(_ seed: Int, _ name: String) -> SeededGenerator {
    SeededGenerator(seed: name.utf8.reduce(UInt64(seed)) { $0 &* 31 &+ UInt64($1) })
  }

  private static func garbage(_ count: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: 99)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  private static func rewrite(_ file: URL, _ change: (inout [UInt8]) -> Void) throws {
    var bytes = [UInt8](try Data(contentsOf: file))
    change(&bytes)
    try Data(bytes).write(to: file)
  }

  private static func files(_ number: String, in data: URL) throws -> [URL] {
    let folder = data.appendingPathComponent("recordings")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(number) }.sorted()
      .map { folder.appendingPathComponent($0) }
  }

  private static func sound(_ number: String, in data: URL) throws -> URL {
    guard let file = try files(number, in: data).first(where: { !$0.lastPathComponent.contains(".json") }) else {
      throw Tool.Failure(description: "no take \(number)")
    }
    return file
  }
}
