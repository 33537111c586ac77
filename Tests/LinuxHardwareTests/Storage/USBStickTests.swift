import Foundation
import Hardware
import TestSupport
import Testing

@testable import LinuxHardware

/// Sticks as sysfs and the helper of the system tell of them.
@Suite struct USBStickTests {
  /// A tree like sysfs, the helper's folder, and what is mounted.
  private struct Machine {
    let folder = TemporaryFolder()
    var run: String { folder.file("run") }

    init() throws {
      for path in ["sys/class/block", "sys/devices", "run"] { try make(path) }
      folder.put("22 1 8:2 / / rw - ext4 /dev/sda2 rw\n", "mountinfo")
    }

    func make(_ path: String) throws {
      try FileManager.default.createDirectory(atPath: folder.file(path), withIntermediateDirectories: true)
    }

    /// A disk, or with a parent a partition, of so many sectors.
    func plug(_ name: String, at place: String, sectors: String, number: String) throws {
      try make("sys/devices/\(place)/\(name)")
      folder.put("\(sectors)\n", "sys/devices/\(place)/\(name)/size")
      folder.put("\(number)\n", "sys/devices/\(place)/\(name)/dev")
      try FileManager.default.createSymbolicLink(
        atPath: folder.file("sys/class/block/\(name)"), withDestinationPath: "../../devices/\(place)/\(name)")
    }

    func say(_ text: String, of name: String) throws {
      try make("run/\(name)/files")
      folder.put(text, "run/\(name)/state")
    }

    var stick: USBStick {
      USBStick(folder: run, system: folder.file("sys"), mounts: folder.file("mountinfo"), patience: 0)
    }
  }

  private static func withStick() throws -> Machine {
    let machine = try Machine()
    try machine.plug("mmcblk0", at: "platform/mmc/block", sectors: "1000", number: "179:0")
    try machine.plug("sdb", at: "pci/usb1/1-1/block", sectors: "2000", number: "8:16")
    try machine.plug("sdb1", at: "pci/usb1/1-1/block/sdb", sectors: "1900", number: "8:17")
    return machine
  }

  @Test func `Only what is plugged in at USB is a stick, by its partition, and not what the system runs from`() throws {
    let machine = try Machine()
    try machine.plug("mmcblk0", at: "platform/mmc/block", sectors: "1000", number: "179:0")
    #expect(machine.stick.look() == .absent)
    // The system's own disk, on USB too: one of its partitions is mounted.
    try machine.plug("sda", at: "pci/usb2/2-1/block", sectors: "9000", number: "8:0")
    try machine.plug("sda1", at: "pci/usb2/2-1/block/sda", sectors: "100", number: "8:1")
    try machine.plug("sda2", at: "pci/usb2/2-1/block/sda", sectors: "800", number: "8:2")
    #expect(machine.stick.look() == .absent)
    try machine.plug("sdc", at: "pci/usb1/1-2/block", sectors: "99999999999999999", number: "8:32")
    try machine.plug("sdd", at: "pci/usb1/1-3/block", sectors: "x", number: "8:48")
    #expect(machine.stick.look() == .absent)
    try machine.plug("sdb", at: "pci/usb1/1-1/block", sectors: "2000", number: "8:16")
    #expect(machine.stick.look().condition == .unusable)
    #expect(machine.stick.look().bytes == 2000 * 512)
  }

  @Test func `The helper's word is the stick's state, and a label cannot be more than a label`() throws {
    let machine = try Self.withStick()
    let stick = machine.stick
    #expect(stick.look().condition == .unusable && stick.look().reason.contains("exFAT"))
    try machine.say("plugged\nHOLIDAY\n", of: "sdb1")
    #expect(stick.look() == StickState(.plugged, label: "HOLIDAY", bytes: 1900 * 512))
    try machine.say("mounted\n\u{1B}[2J\(String(repeating: "x", count: 500))\n", of: "sdb1")
    #expect(stick.look().condition == .mounted && stick.look().label.count == 64)
    #expect(!stick.look().label.contains("\u{1B}"))
    try machine.say("plugged\nHOLIDAY\nmynah-0.2\u{1B}.raucb\n", of: "sdb1")
    #expect(stick.look().update == "mynah-0.2.raucb")
    try machine.say("safe\n", of: "sdb1")
    #expect(stick.look().update.isEmpty)
    #expect(stick.look().condition == .safe)
    try machine.say("failed\nmount: wrong fs type\n", of: "sdb1")
    #expect(stick.look().reason == "mount: wrong fs type")
  }

  @Test func `What is asked for goes into the helper's pipe, and nobody is waited for`() throws {
    let machine = try Self.withStick()
    let stick = machine.stick
    #expect(throws: DeviceError.self) { try stick.mount() }
    try machine.say("plugged\n\n", of: "sdb1")
    _ = stick.look()
    #expect(throws: DeviceError.self, "no pipe") { try stick.mount() }
    let pipe = "\(machine.run)/sdb1/request"
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(throws: DeviceError.self, "nobody listens") { try stick.mount() }
    let helper = open(pipe, O_RDWR | O_NONBLOCK)
    defer { close(helper) }
    try stick.mount()
    try stick.release()
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = read(helper, &bytes, bytes.count)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "mount\nrelease\n")
    let files = try stick.files()
    try files.makeDirectory("Mynah")
    #expect(machine.folder.exists("run/sdb1/files/Mynah"))
  }
}
