import Hardware
import Streaming
import TestSupport
import Testing

@testable import Runtime

/// What is done with an update that comes by the network, without one.
@Suite struct UpdateDownloadTests {
  private static let lost = NetworkError(.interrupted, subject: "https://host/x", reason: "the connection ended")

  private static func begun(_ length: Int?, came: Int) -> UpdateDownload {
    var download = UpdateDownload(seed: 1, now: .zero)
    _ = download.begin(length: length, room: 1 << 40)
    if came > 0 { download.add(came, now: .zero) }
    return download
  }

  private static func code(_ next: UpdateDownload.Next) -> String {
    switch next {
    case .again: "again"
    case .whole: "whole"
    case .failed(let fault): fault.code
    }
  }

  @Test func `What broke off goes on behind the last byte, for a minute without one`() {
    var download = Self.begun(1000, came: 400)
    #expect(download.rest == 400..<1000 && download.percent == 40)
    #expect(Self.code(download.end(Self.lost, now: .at(59))) == "again")
    #expect(Self.code(download.end(Self.lost, now: .at(60))) == "interrupted")
    download.add(100, now: .at(100))
    #expect(Self.code(download.end(Self.lost, now: .at(159))) == "again" && download.rest == 500..<1000)
    // A wait for a take is not the server's fault.
    download.pause(now: .at(4000))
    #expect(Self.code(download.end(Self.lost, now: .at(4059))) == "again")
    download.add(500, now: .at(4100))
    #expect(download.isComplete && Self.code(download.end(Self.lost, now: .at(4100))) == "whole")
  }

  @Test(arguments: [
    (NetworkError.Kind.status(404), "http-404"), (.name, "no-such-host"), (.unreachable, "unreachable"),
    (.certificate, "certificate"), (.timeout, "timeout"), (.redirects, "redirects"), (.address, "bad-address"),
  ])
  func `What never began is told at once`(kind: NetworkError.Kind, code: String) {
    var download = UpdateDownload(seed: 1, now: .zero)
    #expect(Self.code(download.end(NetworkError(kind, subject: "x", reason: "y"), now: .zero)) == code)
  }

  @Test func `Another file, more than was said, less than was said, and nothing at all are failures`() {
    var download = Self.begun(1000, came: 400)
    #expect(download.begin(length: 999, room: 1 << 40)?.code == "interrupted")
    #expect(download.begin(length: 1000, room: 0) == nil && download.begin(length: nil, room: 0) == nil)
    #expect(download.refusal(of: 600) == nil && download.refusal(of: 601)?.code == "interrupted")
    #expect(Self.code(download.end(nil, now: .at(70))) == "interrupted")
    var empty = UpdateDownload(seed: 1, now: .zero)
    #expect(Self.code(empty.end(nil, now: .zero)) == "interrupted")
  }

  @Test func `It is as long as an update may be and the card has room for, or not taken`() {
    var download = UpdateDownload(seed: 1, now: .zero)
    #expect(download.begin(length: UpdateDownload.most + 1, room: 1 << 40)?.code == "too-large")
    #expect(download.begin(length: UpdateDownload.most, room: UpdateDownload.most - 1)?.code == "storage-full")
    #expect(download.begin(length: UpdateDownload.most, room: UpdateDownload.most) == nil)
    // A server that says nothing is stopped by what comes.
    var silent = Self.begun(nil, came: UpdateDownload.most)
    #expect(silent.refusal(of: 1)?.code == "too-large" && silent.percent == 0)
    #expect(Self.code(silent.end(nil, now: .zero)) == "whole")
  }

  @Test func `Where the length is not known, what broke off is a failure, and what waited begins anew`() {
    var download = Self.begun(nil, came: 400)
    #expect(download.rest == nil && Self.code(download.end(Self.lost, now: .zero)) == "interrupted")
    download.pause(now: .zero)
    #expect(download.bytes == 0)
  }
}
