import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// Several consoles at once, each of which may be pulled out at any time: two lines behind links, a socket, a link to it.
@Suite("Consoles that are plugged in and pulled out", .serialized)
struct ConsolePlugTests {
  @Test(
    "each goes by itself, in the middle of a word or of a listing; the others and the take go on, and it comes back")
  func pulled() throws {
    let folder = TemporaryFolder()
    var mynah = Mynah(folder: folder)
    mynah.clock = "real"
    mynah.microphone = "noise"
    let (socket, alias) = (folder.file("tty"), folder.file("alias"))
    // One line is there from the beginning, the other comes later: a link to nothing yet.
    let (uart, gadget) = (SerialCable(folder.file("uart")), SerialCable(folder.file("gadget")))
    uart.plug()
    symlink("/dev/pts/none", gadget.link)
    let live = try LiveMynah(
      mynah.arguments(script: nil) + ["--console", uart.link, "--console", gadget.link, "--console", socket])
    let program = try ConsoleClient(socket)
    symlink(socket, alias)
    let other = try ConsoleClient(alias)
    #expect(try other.call("panel.state")["error"] == nil)
    unlink(gadget.link)
    gadget.plug()
    // The line is looked for every second.
    try gadget.wait(for: "mynah> ")
    uart.type("rec\r")
    try uart.wait(for: "ok")
    #expect(try program.call("recorder.status")["result"]?["activity"]?.stringValue == "recording")

    // One goes with half a word on it, another while it is told much.
    gadget.type("stat")
    try gadget.wait(for: "stat")
    gadget.pull()
    uart.type("page 0\rhelp\rmethods\rsettings\r")
    try uart.wait(for: "help")
    uart.pull()
    for client in [program, other] {
      #expect(try client.call("recorder.status")["result"]?["activity"]?.stringValue == "recording")
    }
    // Somebody on the socket goes without a word.
    var third: ConsoleClient? = try ConsoleClient(alias)
    third?.send(#"{"jsonrpc":"2.0","id":1,"method":"events.subscribe"}"# + "\n{\"half")
    third = nil

    // Both come back, each as a fresh console: nothing of before is left on it.
    for (cable, word) in [(gadget, "mark one\r"), (uart, "mark two\r")] {
      cable.plug()
      try cable.wait(for: "Mynah")
      try cable.wait(for: "mynah> ")
      cable.type(word)
      try cable.wait(for: "ok")
    }
    // And again, both at once, and the same line twice within a moment.
    gadget.pull()
    uart.pull()
    gadget.plug()
    gadget.pull()
    gadget.plug()
    uart.plug()
    try uart.wait(for: "mynah> ")
    try gadget.wait(for: "mynah> ")
    // What a console is told by another one is true at once.
    uart.type("stop\rlist 3\r")
    try uart.wait(for: "1 to 1 of 1")
    let takes = try other.call("library.list")["result"]
    #expect(takes?["total"]?.integerValue == 1)
    #expect(takes?["takes"]?[0]?["gaps"]?.integerValue ?? 0 == 0)
    gadget.type("status\r")
    try gadget.wait(for: "dictaphone.idle")
    // The device told of each line that went, and of each that came back.
    #expect(live.isRunning)
  }
}
