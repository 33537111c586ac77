import Glibc
import Hardware
import TestSupport
import Testing

@testable import LinuxHardware

@Suite struct FileStorageTests {
  let directory = TemporaryFolder()

  private func storage(reserve: Int = 0) throws -> FileStorage {
    try FileStorage(root: directory.path, reserveBytes: reserve)
  }

  private func kind(_ body: () throws(StorageError) -> Void) -> StorageError.Kind? {
    do throws(StorageError) {
      try body()
      return nil
    } catch {
      return error.kind
    }
  }

  private func write(_ text: String, to file: any StoredFile, at offset: Int = 0) throws(StorageError) {
    var bytes = Array(text.utf8)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { buffer.deallocate() }
    buffer.copyBytes(from: bytes)
    bytes = []
    try file.write(UnsafeRawBufferPointer(buffer), at: offset)
  }

  @Test(.enabled(if: geteuid() == 0, "only root may mount"))
  func whatAFullFileSystemHasTakenOfAWriteCountsInTheSize() throws {
    guard let small = try SmallFileSystem("size=64k", at: directory.file("small")) else { return }
    let file = try FileStorage(root: small.path, reserveBytes: 0).create("take")
    try write(String(repeating: "a", count: 10_000), to: file)
    #expect(
      kind { () throws(StorageError) in try write(String(repeating: "b", count: 100_000), to: file, at: 10_000) }
        == .full)
    let length = try Tool.run("stat", ["-c", "%s", "\(small.path)/take"]).output
    #expect(file.size > 10_000 && "\(file.size)\n" == length)
    try file.truncate(to: 10_000)
    #expect(file.size == 10_000)
    file.close()
  }

  @Test func whatComesIntoThePlaceOfTheDataDirectoryIsLeftAlone() throws {
    let data = directory.file("data")
    let storage = try FileStorage(root: data, reserveBytes: 0)
    try storage.replace("settings.json", with: Array("ours".utf8))
    #expect(rename(data, "\(data).old") == 0 && mkdir(data, 0o755) == 0)
    directory.put("theirs", "data/settings.json")
    #expect(kind { () throws(StorageError) in try storage.replace("settings.json", with: [1]) } == .failed)
    #expect(kind { () throws(StorageError) in _ = try storage.create("take") } == .failed)
    #expect(kind { () throws(StorageError) in _ = try storage.entry("settings.json") } == .failed)
    #expect(kind { () throws(StorageError) in try storage.remove("settings.json") } == .failed)
    #expect(directory.text(of: "data/settings.json") == "theirs")
    #expect(rename(data, "\(data).other") == 0 && rename("\(data).old", data) == 0)
    #expect(try storage.read("settings.json", limit: 9) == Array("ours".utf8))
  }

  @Test func aFileIsNeverCreatedOverAnother() throws {
    let storage = try storage()
    let file = try storage.create("take")
    try write("sound", to: file)
    file.close()
    #expect(kind { () throws(StorageError) in _ = try storage.create("take") } == .alreadyExists)
    #expect(directory.text(of: "take") == "sound")
  }

  /// Nanoseconds since 1970 end in 2262; some file systems have files of the year 2400.
  @Test(arguments: [13_569_465_600, -13_569_465_600, Int.max / 4])
  func timesThatNobodyCanCountWithAreTheNearest(seconds: Int) throws {
    directory.put("x", "far.wav")
    let times = [timespec(tv_sec: seconds, tv_nsec: 7), timespec(tv_sec: seconds, tv_nsec: 7)]
    #expect(utimensat(AT_FDCWD, directory.file("far.wav"), times, 0) == 0)
    let storage = try storage()
    let listed = try #require(try storage.list("").first { $0.name == "far.wav" })
    #expect(try storage.entry("far.wav") == listed)
    // What the file system itself has made of it.
    var status = stat()
    #expect(stat(directory.file("far.wav"), &status) == 0)
    let kept = max(-9_000_000_000, min(9_000_000_000, status.st_mtim.tv_sec))
    #expect(listed.modified.seconds == kept)
  }

  @Test func aRenameNeverReplacesItsTarget() throws {
    let storage = try storage()
    directory.put("old", "old")
    directory.put("new", "new")
    #expect(kind { () throws(StorageError) in try storage.rename("new", to: "old") } == .alreadyExists)
    #expect(directory.text(of: "old") == "old")
    #expect(directory.text(of: "new") == "new")
    try storage.rename("new", to: "newer")
    #expect(directory.text(of: "newer") == "new")
    #expect(!directory.exists("new"))
    #expect(kind { () throws(StorageError) in try storage.rename("none", to: "some") } == .notFound)
  }

  @Test func replacingMakesAndReplacesAndLeavesNoTemporaryFile() throws {
    let storage = try storage()
    try storage.replace("settings", with: Array("one".utf8))
    try storage.replace("settings", with: [])
    #expect(directory.text(of: "settings") == "")
    try storage.replace("settings", with: Array("two".utf8))
    #expect(directory.text(of: "settings") == "two")
    #expect(directory.names == ["settings"])
  }

  @Test func whatACrashLeftOfAReplacementIsInNobodysWay() throws {
    let storage = try storage()
    directory.put("half", "settings.tmp")
    directory.put("old", "settings")
    try storage.replace("settings", with: Array("new".utf8))
    #expect(directory.text(of: "settings") == "new")
    #expect(directory.names == ["settings"])
  }

  @Test func aFailedReplacementLeavesTheOldContent() throws {
    let storage = try storage()
    try storage.makeDirectory("settings/inner")
    #expect(kind { () throws(StorageError) in try storage.replace("settings", with: [1]) } != nil)
    #expect(directory.names == ["settings"])
    #expect(directory.exists("settings/inner"))
  }

  @Test func theReserveIsKeptFromOrdinaryWrites() throws {
    let storage = try storage(reserve: Int.max / 4)
    let file = try storage.create("take")
    #expect(kind { () throws(StorageError) in try write("sound", to: file) } == .full)
    #expect(file.size == 0)
    #expect(try storage.space().free == 0)
    file.usesReserve = true
    try write("sound", to: file)
    #expect(file.size == 5)
    // What is in the file may be changed, for it needs no space.
    file.usesReserve = false
    try write("SO", to: file)
    #expect(kind { () throws(StorageError) in try write("more", to: file, at: 5) } == .full)
    file.close()
    #expect(directory.text(of: "take") == "SOund")
    try storage.replace("settings", with: [UInt8(ascii: "x")])
    #expect(directory.text(of: "settings") == "x")
  }

  @Test func scratchFilesHaveNoName() throws {
    let storage = try storage()
    let file = try storage.scratch()
    try write("sound", to: file)
    #expect(directory.names.isEmpty)
    file.close()
  }

  @Test func readingTellsTheEndOfTheFile() throws {
    let storage = try storage()
    let file = try storage.create("take")
    try write("0123456789", to: file)
    try file.truncate(to: 8)
    var bytes = [UInt8](repeating: 0, count: 6)
    let count = try bytes.withUnsafeMutableBytes { buffer throws(StorageError) in try file.read(into: buffer, at: 4) }
    #expect(count == 4)
    #expect(bytes == Array("4567".utf8) + [0, 0])
    try file.sync()
    file.close()
    #expect(try storage.read("take", limit: 8) == Array("01234567".utf8))
    #expect(kind { () throws(StorageError) in _ = try storage.read("take", limit: 7) } == .failed)
    #expect(kind { () throws(StorageError) in _ = try storage.read("none", limit: 7) } == .notFound)
  }

  @Test func aSecondCloseDoesNotCloseSomebodyElsesFile() throws {
    let storage = try storage()
    let first = try storage.create("one")
    first.close()
    let second = try storage.create("two")
    first.close()
    try write("sound", to: second)
    second.close()
  }

  @Test func aDirectoryAndAPipeAreNoFiles() throws {
    let storage = try storage()
    try storage.makeDirectory("a/b")
    mkfifo("\(directory.path)/pipe", 0o600)
    #expect(kind { () throws(StorageError) in _ = try storage.open("a", writable: false) } == .failed)
    #expect(kind { () throws(StorageError) in _ = try storage.open("pipe", writable: false) } == .failed)
  }

  @Test func namesThatAreNoTextAreListedEscapedAndFoundByThat() throws {
    let storage = try storage()
    let name: [UInt8] = Array("\(directory.path)/caf".utf8) + [0xE9] + Array(".mp3".utf8) + [0]
    let file = name.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { path in path.baseAddress.map { open($0, O_CREAT, 0o600) } ?? -1 }
    }
    close(file)
    directory.put("x", #"real\x41.mp3"#)
    #expect(try storage.list("").map(\.name) == [#"caf\xE9.mp3"#, #"real\x41.mp3"#])
    for entry in try storage.list("") { #expect(try storage.entry(entry.name) == entry) }
    try storage.rename(#"caf\xE9.mp3"#, to: "cafe.mp3")
    #expect(try storage.list("").map(\.name) == ["cafe.mp3", #"real\x41.mp3"#])
  }

  @Test func besideTheLongestNameThereIsNothing() throws {
    let storage = try storage()
    let longest = String(repeating: "x", count: 255)
    directory.put("x", longest)
    #expect(try storage.entry(longest).size == 1)
    #expect(kind { () throws(StorageError) in _ = try storage.entry(longest + ".json") } == .notFound)
    #expect(kind { () throws(StorageError) in _ = try storage.open(longest + ".json", writable: false) } == .notFound)
    // It cannot be made either, which is another matter.
    #expect(kind { () throws(StorageError) in _ = try storage.create(longest + ".json") } == .failed)
  }

  /// Two names to the kernel, one text to Swift.
  @Test(arguments: [false, true]) func namesOfEqualTextAreTwoFiles(apartFirst: Bool) throws {
    let storage = try storage()
    let (composed, apart) = ("Caf\u{E9}.wav", "Cafe\u{301}.wav")
    let listed = #"Cafe\xCC\x81.wav"#
    for name in apartFirst ? [apart, composed] : [composed, apart] {
      let file = open("\(directory.path)/\(name)", O_CREAT | O_EXCL | O_WRONLY, 0o600)
      #expect(Glibc.write(file, name, name.utf8.count) == name.utf8.count)
      close(file)
    }
    #expect(try storage.list("").map(\.name) == [listed, composed])
    #expect(try storage.list("").map(\.size) == [10, 9])
    for entry in try storage.list("") { #expect(try storage.entry(entry.name) == entry) }
    #expect(try storage.read(listed, limit: 100) == Array(apart.utf8))
    // Whoever types it is understood as one who typed the other.
    for typed in [composed, apart] { #expect(try storage.read(typed, limit: 100) == Array(composed.utf8)) }
    #expect(kind { () throws(StorageError) in _ = try storage.create(apart) } == .alreadyExists)
    let (gone, left) = apartFirst ? (listed, composed) : (composed, listed)
    try storage.remove(gone)
    #expect(kind { () throws(StorageError) in try storage.remove(gone) } == .notFound)
    #expect(access("\(directory.path)/\(apartFirst ? apart : composed)", F_OK) != 0)
    #expect(access("\(directory.path)/\(apartFirst ? composed : apart)", F_OK) == 0)
    #expect(try storage.list("").map(\.name) == [left])
    try storage.rename(left, to: gone)
    #expect(try storage.list("").map(\.name) == [gone])
  }

  /// It is where it is, and not a name of ours.
  @Test func aDataDirectoryMayHaveAnyName() throws {
    let root = "\(directory.path)/Cafe\u{301}"
    let storage = try FileStorage(root: root, reserveBytes: 0)
    try storage.create("take").close()
    #expect(access("\(root)/take", F_OK) == 0)
    #expect(access(KernelName.path("\(storage.root)/take"), F_OK) == 0)
  }

  @Test func aFileInADirectorysPlaceIsSaid() throws {
    let storage = try storage()
    directory.put("x", "file")
    #expect(kind { () throws(StorageError) in try storage.makeDirectory("file") } == .alreadyExists)
    // A directory that is a link is none, and nothing is done through it.
    let outside = TemporaryFolder()
    outside.put("theirs", "take")
    symlink(outside.path, "\(storage.root)/linked")
    #expect(kind { () throws(StorageError) in _ = try storage.create("linked/new") } == .denied)
    #expect(kind { () throws(StorageError) in _ = try storage.open("linked/take", writable: true) } == .denied)
    #expect(kind { () throws(StorageError) in try storage.replace("linked/take", with: [1]) } == .denied)
    #expect(kind { () throws(StorageError) in try storage.remove("linked/take") } == .denied)
    #expect(kind { () throws(StorageError) in try storage.rename("linked/take", to: "taken") } == .denied)
    #expect(kind { () throws(StorageError) in _ = try storage.list("linked") } == .denied)
    #expect(kind { () throws(StorageError) in try storage.makeDirectory("linked") } == .alreadyExists)
    let through = try FileStorage(root: outside.path, reserveBytes: 0)
    #expect(try through.list("").map(\.name) == ["take"])
    #expect(try through.read("take", limit: 100) == Array("theirs".utf8))
    #expect(kind { () throws(StorageError) in try storage.makeDirectory("file/inner") } == .notFound)
    try storage.makeDirectory("a/b/c")
    try storage.makeDirectory("a/b/c")
    #expect(kind { () throws(StorageError) in _ = try storage.list("none") } == .notFound)
  }

  @Test func aListIsInNameOrder() throws {
    let storage = try storage()
    for name in ["b", "c", "a"] { directory.put(name, name) }
    try storage.makeDirectory("d")
    let entries = try storage.list("")
    #expect(entries.map(\.name) == ["a", "b", "c", "d"])
    #expect(entries.map(\.size) == [1, 1, 1, 0])
    #expect(entries.map(\.isDirectory) == [false, false, false, true])
    try storage.remove("b")
    #expect(try storage.list("").count == 3)
  }

  @Test(arguments: [
    "..", "../x", "a/../../x", "/etc/passwd", "a/..", "a\0b", "./../x", "../\u{301}", "a/../\u{301}", "/\u{301}x",
  ])
  func aPathThatWouldLeaveTheDataDirectoryIsRefused(path: String) throws {
    let storage = try storage()
    #expect(kind { () throws(StorageError) in _ = try storage.create(path) } == .denied)
    #expect(kind { () throws(StorageError) in _ = try storage.entry(path) } == .denied)
    #expect(kind { () throws(StorageError) in try storage.makeDirectory(path) } == .denied)
    #expect(kind { () throws(StorageError) in try storage.rename("a", to: path) } == .denied)
    #expect(kind { () throws(StorageError) in try storage.replace(path, with: []) } == .denied)
  }

  @Test func randomPathsNeverLeaveTheDataDirectory() throws {
    let root = "\(directory.path)/outer/data"
    let storage = try FileStorage(root: root, reserveBytes: 0)
    let pieces = [
      "a", "..", ".", "/", "//", "\u{301}", "\0", "é", " ", "\n", "...", "../", "/..", "\u{200d}", "%2e%2e",
    ]
    var random = SeededGenerator(seed: 11)
    for _ in 0..<10_000 {
      let path = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &random)]
      }.joined()
      if let file = try? storage.create(path) { file.close() }
      try? storage.makeDirectory(path)
      try? storage.remove(path)
    }
    #expect(directory.names == ["outer"])
    #expect(try FileStorage(root: "\(directory.path)/outer", reserveBytes: 0).list("").map(\.name) == ["data"])
  }
}
