import Board
import Testing

@Suite struct UnitDropInTests {
  private func dropIn(_ text: String) throws -> [Substring] {
    let bytes = Array(text.utf8)
    let board = try Boards.load(path: "test.toml") { (_) throws(BoardReadError) in bytes }
    return UnitDropIn(board).text.split(separator: "\n")
  }

  @Test func limitsFollowFromTheBudget() throws {
    let lines = try dropIn("inherits = \"raspberrypi4\"\n[budget]\nrss_mb = 40\ncpu_percent = 30")
    for line in ["MemoryMax=104M", "CPUQuota=120%", "LimitRTPRIO=75", "LimitMEMLOCK=infinity"] {
      #expect(lines.contains(Substring(line)), "\(line) of \(lines)")
    }
    // Never below a whole core: held back, a recorder loses sound.
    #expect(try dropIn("inherits = \"raspberrypi4\"\n").contains("CPUQuota=200%"))
    #expect(try dropIn("inherits = \"raspberrypi4\"\n[budget]\ncpu_percent = 20\n").contains("CPUQuota=100%"))
  }

  @Test func devicesFollowFromTheWiring() throws {
    let all = try dropIn("inherits = \"raspberrypi4\"\n[console]\ntty = \"/dev/ttyAMA0\"")
    #expect(
      all.filter { $0.hasPrefix("DeviceAllow=") } == [
        "DeviceAllow=", "DeviceAllow=char-alsa rw", "DeviceAllow=char-video4linux rw", "DeviceAllow=char-media rw",
        "DeviceAllow=char-dma_heap rw", "DeviceAllow=/dev/vcsm-cma rw", "DeviceAllow=/dev/vchiq rw",
        "DeviceAllow=char-gpiochip rw", "DeviceAllow=char-i2c rw", "DeviceAllow=char-drm rw",
        "DeviceAllow=char-ttyAMA rw", "DeviceAllow=/dev/watchdog rw", "DeviceAllow=char-watchdog rw",
      ])
    #expect(try dropIn("").filter { $0.hasPrefix("DeviceAllow=") } == ["DeviceAllow="])
    let usb = try dropIn("[camera]\ndriver = \"v4l2\"\ndevice = \"/dev/video0\"")
    #expect(usb.filter { $0.hasPrefix("DeviceAllow=") } == ["DeviceAllow=", "DeviceAllow=char-video4linux rw"])
    // A link may lead to any of them.
    let linked = try dropIn("[console]\ntty = \"/dev/serial0\"").filter { $0.contains("char-tty") }
    #expect(linked.count == 5)
  }

  @Test func pathsCannotSayAnythingElse() throws {
    let lines = try dropIn("[storage]\ndata = \"/srv/my %n \\\"takes\\\"\"")
    #expect(lines.contains("ReadWritePaths=\"-/srv/my %%n \\\"takes\\\"\""))
    #expect(lines.filter { $0.hasPrefix("[") } == ["[Unit]", "[Service]"])
  }

  @Test(arguments: Boards.builtInNames) func everyBoardHasOne(_ name: String) throws {
    let text = UnitDropIn(try Boards.load(builtIn: name)).text
    #expect(text.contains("MemoryMax="))
    #expect(text.hasSuffix("\n"))
  }
}
