import Media
import Testing

@testable import Streaming

/// A film as it is read in this process, and as another one reads it.
func hereAndApart(_ path: String, pictures: Bool = true) throws -> [any Programme] {
  let here = { () throws(MediaError) -> any Programme in try FileProgramme(path: path, pictures: pictures) }
  let link = ServedProgramme(ProgrammeServer(path: path, pictures: pictures, pictureBytes: 4 << 20))
  return [try here(), ApartProgramme(path: path, link: link, pictureBytes: 4 << 20, openHere: here)]
}

/// The process, without one.
final class ServedProgramme: SoundLink {
  let waits = true
  let hasNotBegun = false
  private let server: ProgrammeServer
  private var answers: [[UInt8]]

  init(_ server: ProgrammeServer) {
    self.server = server
    answers = Self.halves(server.opening())
  }

  private static func halves(_ bytes: [UInt8]) -> [[UInt8]] {
    [Array(bytes[..<(bytes.count / 2)]), Array(bytes[(bytes.count / 2)...])]
  }

  func send(_ question: [UInt8]) {
    #expect(answers.isEmpty)
    guard let asked = ProgrammeQuestion(question) else {
      Issue.record("no question")
      return
    }
    #expect(asked.encoded == question)
    answers = Self.halves(server.answer(to: asked))
  }

  func receive() -> [UInt8] { answers.isEmpty ? [] : answers.removeFirst() }
}
