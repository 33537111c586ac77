import Glibc
import Hardware
import LinuxHardware
import TestSupport
import Testing

@testable import Library

/// Two files whose names are two to the kernel, and equal text: é as one letter, and as e with its accent.
@Suite struct LikeNamesTests {
  private static let composed = "Caf\u{E9}"
  private static let apart = "Cafe\u{301}"
  private static let listed = #"Cafe\xCC\x81"#

  private let folder = TemporaryFolder()

  /// Without Foundation, which may change a name.
  private func put(_ bytes: [UInt8], _ path: String) {
    let file = open(folder.file(path), O_CREAT | O_TRUNC | O_WRONLY, 0o600)
    #expect(write(file, bytes, bytes.count) == bytes.count)
    close(file)
  }

  private func bytes(_ path: String) -> [UInt8]? {
    let file = open(folder.file(path), O_RDONLY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 10_000)
    let count = read(file, &bytes, bytes.count)
    return Array(bytes.prefix(max(0, count)))
  }

  /// A library that has looked at all that is there.
  private func opened() throws -> Library {
    let storage = try FileStorage(root: folder.path, reserveBytes: 0)
    let clock = StillClock()
    let library = Library(
      storage: storage, clock: clock, state: StateStore(storage: storage, clock: clock), repairer: FakeDoctor(storage))
    try library.open()
    var rounds = 0
    while let due = library.step(now: .zero), due <= .zero, rounds < 10_000 { rounds += 1 }
    return library
  }

  /// 3 frames of the one, 5 of the other; in both folders.
  private func twins() -> (one: [UInt8], other: [UInt8]) {
    let (one, other) = (FakeDoctor.complete(frames: 3), FakeDoctor.complete(frames: 5))
    for directory in ["recordings", "clips"] { mkdir(folder.file(directory), 0o755) }
    for (directory, suffix) in [("recordings", "wav"), ("clips", "mp4")] {
      put(one, "\(directory)/\(Self.composed).\(suffix)")
      put(other, "\(directory)/\(Self.apart).\(suffix)")
    }
    return (one, other)
  }

  /// Of another program; the card's own fault it is not.
  @Test func `Beside the longest names there is no room for notes, which is said`() throws {
    mkdir(folder.file("recordings"), 0o755)
    let name = String(repeating: "a", count: 250) + ".wav"
    put(FakeDoctor.complete(frames: 3), "recordings/\(name)")
    let library = try opened()
    let error = #expect(throws: LibraryError.self) { try library.setFavourite(name, true) }
    #expect(error?.code == "unsupported")
    #expect("\(try #require(error))".hasSuffix("too long to keep notes beside it; give the file a shorter one"))
    #expect(library.list().takes.map(\.favourite) == [false])
  }

  @Test func `Each is listed, played and exported for itself`() throws {
    _ = twins()
    let library = try opened()
    #expect(Set(library.list().takes.map(\.id)) == ["\(Self.composed).wav", "\(Self.listed).wav"])
    #expect(library.list().takes.allSatisfy { $0.displayName == Self.composed })
    #expect(library.summary("\(Self.composed).wav")?.frames == 3)
    #expect(library.summary("\(Self.listed).wav")?.frames == 5)
    #expect(Set(library.clips.list().clips.map(\.id)) == ["\(Self.composed).mp4", "\(Self.listed).mp4"])
    // The decoder opens the very file, however the name was typed.
    for typed in [Self.composed, Self.apart] {
      #expect(
        library.absolutePath(of: "\(typed).wav").utf8.elementsEqual(
          folder.file("recordings/\(Self.composed).wav").utf8))
    }
    let place = KernelName.path(library.absolutePath(of: "\(Self.listed).wav")).dropLast().map(UInt8.init(bitPattern:))
    #expect(place == Array(folder.file("recordings/\(Self.apart).wav").utf8))
    let shown = try library.exports.shown(words: ExportWords(date: { _ in "today" })).map(\.name)
    #expect(Set(shown) == ["Café.wav", "Café (2).wav", "Café.mp4", "Café (2).mp4"], "\(shown)")
  }

  @Test(arguments: [false, true]) func `One goes, and the other stays as it was`(apartGoes: Bool) throws {
    let (one, other) = twins()
    let library = try opened()
    let (going, staying) = apartGoes ? (Self.listed, Self.composed) : (Self.composed, Self.listed)
    for suffix in ["wav", "mp4"] {
      try library.delete("\(going).\(suffix)", now: .zero)
      try library.emptyTrash()
      #expect(throws: LibraryError.self) { try library.delete("\(going).\(suffix)", now: .zero) }
    }
    for again in [library, try opened()] {
      #expect(again.list().takes.map(\.id) == ["\(staying).wav"])
      #expect(again.clips.list().clips.map(\.id) == ["\(staying).mp4"])
    }
    for path in ["recordings/%.wav", "clips/%.mp4"] {
      let parts = path.utf8.split(separator: UInt8(ascii: "%")).map { String(Substring($0)) }
      #expect(bytes(parts[0] + Self.composed + parts[1]) == (apartGoes ? one : nil))
      #expect(bytes(parts[0] + Self.apart + parts[1]) == (apartGoes ? nil : other))
    }
  }

  @Test func `What is said of one is said of it alone, and was so by older notes`() throws {
    _ = twins()
    let library = try opened()
    try library.rename("\(Self.listed).wav", to: "Other")
    #expect(bytes("recordings/\(Self.composed).wav.json") == nil)
    let notes = try #require(bytes("recordings/\(Self.apart).wav.json"))
    let text = String(decoding: notes, as: UTF8.self)
    #expect(text.contains(#"Cafe\\xCC\\x81.wav"#))
    // Older ones have the name as it was.
    var parts: [String] = []
    var rest = Substring(text)
    while let found = rest.firstRange(of: #"Cafe\\xCC\\x81"#) {
      parts.append(String(rest[..<found.lowerBound]))
      rest = rest[found.upperBound...]
    }
    put(Array((parts + [String(rest)]).joined(separator: Self.apart).utf8), "recordings/\(Self.apart).wav.json")
    unlink(folder.file("catalogue"))
    let again = try opened()
    #expect(again.summary("\(Self.listed).wav")?.displayName == "Other")
    #expect(again.summary("\(Self.composed).wav")?.displayName == Self.composed)
    try again.rename("\(Self.listed).wav", to: "Mine")
    #expect(again.summary("\(Self.listed).wav")?.displayName == "Mine")
  }
}
