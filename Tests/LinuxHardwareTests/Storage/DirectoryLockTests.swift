import Glibc
import Hardware
import TestSupport
import Testing

@testable import LinuxHardware

@Suite struct DirectoryLockTests {
  let directory = TemporaryFolder()

  @Test func theSecondIsToldWhoHasTheDirectory() throws {
    do {
      let first = try DirectoryLock(directory: directory.path)
      let error = #expect(throws: DeviceError.self) { _ = try DirectoryLock(directory: directory.path) }
      #expect(error?.kind == .busy)
      #expect(error?.description.contains("process \(getpid())") == true)
      withExtendedLifetime(first) {}
    }
    // Given back, the file stays and hinders nobody.
    #expect(directory.names == ["lock"])
    _ = try DirectoryLock(directory: directory.path)
  }

  @Test func whatAKilledProcessLeftHindersNobody() throws {
    directory.put("99999 and garbage\n\n", "lock")
    let lock = try DirectoryLock(directory: directory.path)
    #expect(directory.text(of: "lock") == "\(getpid())\n")
    withExtendedLifetime(lock) {}
  }

  @Test(arguments: ["pipe", "directory", "link", "immutable", "another name"])
  func whatBearsItsNameKeepsNobodyOut(kind: String) throws {
    let path = directory.file("lock")
    switch kind {
    case "pipe": try #require(mkfifo(path, 0o600) == 0)
    case "directory": try #require(mkdir(path, 0o755) == 0)
    case "immutable":
      directory.put("kept", "lock")
      // As one of another user's is to who is not root; not on every file system.
      guard try Tool.run("chattr", ["+i", path]).status == 0 else { return }
    case "another name":
      directory.put("kept", "notes")
      try #require(Glibc.link(directory.file("notes"), path) == 0)
    default: try #require(symlink("/nowhere", path) == 0)
    }
    #expect(DirectoryLock.process(in: directory.path) == nil)
    let lock = try DirectoryLock(directory: directory.path)
    let error = #expect(throws: DeviceError.self) { _ = try DirectoryLock(directory: directory.path) }
    #expect(error?.kind == .busy)
    withExtendedLifetime(lock) {}
    _ = try? Tool.run("chattr", ["-i", path])
    if let text = directory.text(of: "lock") { #expect(text == "kept") }
  }

  @Test func nobodyGetsItByRemovingTheFile() throws {
    let first = try DirectoryLock(directory: directory.path)
    unlink(directory.file("lock"))
    let error = #expect(throws: DeviceError.self) { _ = try DirectoryLock(directory: directory.path) }
    #expect(error?.kind == .busy)
    withExtendedLifetime(first) {}
  }

  @Test func aDirectoryThatGoesFromUnderTheDeviceIsNoticed() throws {
    let data = "\(directory.path)/data"
    let storage = try FileStorage(root: data, reserveBytes: 0)
    let lock = try DirectoryLock(directory: data)
    try storage.checkPlace()
    unlink("\(data)/lock")
    #expect(throws: StorageError.self) { try storage.checkPlace() }
    rename(data, "\(data).old")
    #expect(throws: StorageError.self) { try storage.checkPlace() }
    mkdir(data, 0o755)
    #expect(throws: StorageError.self) { try storage.checkPlace() }
    withExtendedLifetime(lock) {}
  }

  @Test func theHolderIsKnownThoughAFullCardTookNoNoteOfIt() throws {
    let first = try DirectoryLock(directory: directory.path)
    #expect(truncate(directory.file("lock"), 0) == 0)
    let error = #expect(throws: DeviceError.self) { _ = try DirectoryLock(directory: directory.path) }
    #expect(error?.hint.hasPrefix("process \(getpid()) works in it") == true)
    withExtendedLifetime(first) {}
  }

  @Test func aDirectoryThatIsNotThereIsSaid() {
    let error = #expect(throws: DeviceError.self) { _ = try DirectoryLock(directory: "\(directory.path)/none") }
    #expect(error?.kind == .missing)
  }
}
