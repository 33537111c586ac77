import Foundation
import Glibc
import Hardware
import JSON
import LinuxHardware
import TestSupport
import Testing

@testable import Library

/// Folders that somebody has put something in the place of, or takes away from the running device.
@Suite("The folders of the data directory")
struct FoldersTests {
  private let folder = TemporaryFolder()
  private let outside = TemporaryFolder()
  private let clock = StillClock()

  private func opened() throws -> Library {
    let storage = try FileStorage(root: folder.path, reserveBytes: 0)
    let library = Library(
      storage: storage, clock: clock, state: StateStore(storage: storage, clock: clock), repairer: FakeDoctor(storage))
    try library.open()
    settle(library)
    return library
  }

  private func settle(_ library: Library) {
    for _ in 0..<1000 { guard let due = library.step(now: .zero), due <= .zero else { return } }
  }

  @discardableResult
  private func record(_ library: Library) throws -> String {
    let plan = FileMeta(
      id: "", displayName: "", createdAt: clock.wallNow,
      audio: AudioAttributes(duration: 0, sampleRate: FakeDoctor.rate, channels: 2, format: "wav", fileSizeBytes: 0))
    var (meta, file) = try library.begin(plan, fileExtension: "wav")
    try FakeDoctor.write(FakeDoctor.complete(frames: 10), file, at: 0)
    try file.sync()
    file.close()
    meta.frames = 10
    try library.complete(meta.id, meta)
    return meta.id
  }

  @Test(arguments: ["file", "pipe", "link", "link to nowhere"])
  func `What bears the name of one and is none is set aside as it is`(kind: String) throws {
    outside.put("theirs", "x")
    for name in Library.directories {
      let path = folder.file(name)
      switch kind {
      case "file": folder.put("theirs", name)
      case "pipe": try #require(mkfifo(path, 0o600) == 0)
      case "link": try #require(symlink(outside.path, path) == 0)
      default: try #require(symlink("/nowhere/at/all", path) == 0)
      }
    }
    folder.put("in the way, too", "recordings.1")
    let library = try opened()
    let id = try record(library)
    #expect(folder.exists("recordings/\(id)"))
    #expect(library.takeWarnings().count { $0.contains("set aside") } == Library.directories.count)
    for name in Library.directories {
      let aside = folder.file(name == "recordings" ? "recordings.2" : "\(name).1")
      var status = stat()
      try #require(lstat(aside, &status) == 0, "\(aside)")
      let type = kind == "file" ? S_IFREG : kind == "pipe" ? S_IFIFO : S_IFLNK
      #expect(status.st_mode & S_IFMT == type, "\(aside)")
      if kind == "file" { #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == Data("theirs".utf8)) }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside.path) == ["x"])
    let again = try opened()
    #expect(again.list().takes.map(\.id) == [id])
    #expect(again.takeWarnings() == [])
  }

  @Test(arguments: ["catalogue", "catalogue.tmp"])
  func `A folder in the place of the catalogue is set aside as it is, and a catalogue is kept`(name: String) throws {
    try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
    folder.put("theirs", "\(name)/x")
    let library = try opened()
    _ = try record(library)
    #expect(folder.exists("\(name).1/x"))
    #expect(
      try FileManager.default.attributesOfItem(atPath: folder.file("catalogue"))[.type] as? FileAttributeType
        == .typeRegular)
    #expect(library.takeWarnings() == [])
  }

  @Test(arguments: ["settings.json", "settings.json.bak", "settings.json.tmp", "secrets.json.tmp"])
  func `A folder in the place of the settings is set aside as it is, and settings are kept`(name: String) throws {
    try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
    folder.put("theirs", "\(name)/x")
    folder.put("in the way, too", "\(name).1")
    let storage = try FileStorage(root: folder.path, reserveBytes: 0)
    let hide: SettingsStore.Hide = { key, _ in
      guard key == "dub.token" else { return JSONValue?.none }
      return "set"
    }
    let settings = SettingsStore(storage: storage, clock: clock, hide: hide)
    #expect(try settings.load().contains { $0.contains("\(name).2") })
    try settings.save(["recording.format": "wav", "dub.token": "abc"])
    #expect(folder.text(of: "\(name).2/x") == "theirs" && folder.text(of: "\(name).1") == "in the way, too")
    let again = SettingsStore(storage: storage, clock: clock, hide: hide)
    #expect(try again.load() == [])
    #expect(again.values == ["recording.format": "wav", "dub.token": "abc"])
  }

  @Test func `One that is removed under the running device is made anew, and its takes are gone from the list`() throws
  {
    let library = try opened()
    try record(library)
    #expect(try library.lookAtFolders() == [])
    for name in ["recordings", "clips", "trash"] { try FileManager.default.removeItem(atPath: folder.file(name)) }
    #expect(try library.lookAtFolders() == ["recordings", "clips", "trash"])
    #expect(library.count == 0)
    let id = try record(library)
    #expect(id.hasPrefix("000002_") && folder.exists("recordings/\(id)"))
    #expect(try library.lookAtFolders() == [])
    try library.delete(id, now: .zero)
    #expect(try library.undelete() == id)
  }

  @Test func `One that is replaced is listed as it is now, and when it comes back`() throws {
    let library = try opened()
    let ids = [try record(library), try record(library)]
    try FileManager.default.moveItem(atPath: folder.file("recordings"), toPath: folder.file("away"))
    try FileManager.default.createDirectory(atPath: folder.file("recordings"), withIntermediateDirectories: false)
    try Data(FakeDoctor.complete(frames: 5)).write(to: URL(fileURLWithPath: folder.file("recordings/Talk.wav")))
    #expect(try library.lookAtFolders() == ["recordings"])
    settle(library)
    #expect(library.list().takes.map(\.id) == ["Talk.wav"])
    try FileManager.default.removeItem(atPath: folder.file("recordings"))
    try FileManager.default.moveItem(atPath: folder.file("away"), toPath: folder.file("recordings"))
    #expect(try library.lookAtFolders() == ["recordings"])
    settle(library)
    #expect(library.list().takes.map(\.id) == ids.reversed())
    #expect(library.list().takes.allSatisfy { $0.frames == 10 && !$0.isPending })
  }

  @Test func `A take goes on while others come into the place of its folder, and its end is told`() throws {
    let library = try opened()
    let plan = FileMeta(
      id: "", displayName: "", createdAt: clock.wallNow,
      audio: AudioAttributes(duration: 0, sampleRate: FakeDoctor.rate, channels: 2, format: "wav", fileSizeBytes: 0))
    let (meta, file) = try library.begin(plan, fileExtension: "wav")
    #expect(try library.removedWhileRecording() == [])
    try FileManager.default.removeItem(atPath: folder.file("recordings"))
    #expect(try library.lookAtFolders() == ["recordings"])
    #expect(library.summary(meta.id)?.inProgress == true)
    #expect(try library.removedWhileRecording() == [meta.id])
    try FakeDoctor.write(FakeDoctor.complete(frames: 10), file, at: 0)
    #expect(throws: LibraryError.self) { try library.complete(meta.id, meta) }
    try record(library)
    #expect(library.count == 1)
  }

  @Test func `A take whose sound is gone cannot be deleted, and is listed no more`() throws {
    let library = try opened()
    let id = try record(library)
    try FileManager.default.removeItem(atPath: folder.file("recordings/\(id)"))
    #expect(throws: LibraryError.notFound(id)) { try library.delete(id, now: .zero) }
    #expect(library.count == 0 && library.undoable == [])
    #expect(throws: LibraryError.self) { try library.undelete() }
  }
}
