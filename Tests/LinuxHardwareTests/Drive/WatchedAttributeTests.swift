import Glibc
import Hardware
import Testing

@testable import LinuxHardware

@Suite struct WatchedAttributeTests {
  private func pair() throws -> (Int32, Int32) {
    var both: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &both) == 0)
    return (both[0], both[1])
  }

  @Test func `What is there to be read is read, until a change is told`() throws {
    // A pseudo-terminal in packet mode tells of a flush as the kernel tells of an attribute: by POLLPRI.
    var (master, terminal): (Int32, Int32) = (-1, -1)
    try #require(openpty(&master, &terminal, nil, nil, nil) == 0)
    var isOn: Int32 = 1
    try #require(ioctl(master, UInt(TIOCPKT), &isOn) == 0)
    let (ours, theirs) = try pair()
    defer { for descriptor in [terminal, ours, theirs] { close(descriptor) } }
    let attribute = WatchedAttribute(descriptor: master)
    try #require(write(theirs, "x", 1) == 1)
    #expect(attribute.isUnchanged(untilInput: ours))
    try #require(tcflush(terminal, TCIOFLUSH) == 0)
    #expect(!attribute.isUnchanged(untilInput: ours))
  }

  @Test func `The other side's end is something to be read`() throws {
    let (ours, theirs) = try pair()
    let attribute = try WatchedAttribute("/proc/self/mounts")
    close(theirs)
    #expect(attribute.isUnchanged(untilInput: ours))
    close(ours)
  }

  @Test func `One that is not there is named`() {
    let error = #expect(throws: DeviceError.self) { try WatchedAttribute("/sys/class/udc/none/state") }
    #expect(error?.kind == .missing && error?.device == "/sys/class/udc/none/state")
  }
}
