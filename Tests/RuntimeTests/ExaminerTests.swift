import Hardware
import Library
import Testing

@testable import Runtime

/// The process that looks at strangers' files may end in any way, and say anything.
@Suite("What another process says of a file")
struct ExaminerTests {
  /// Sentences that were said.
  private final class Log {
    var sentences: [String] = []
  }

  /// Asks a process that behaves as a shell script does.
  private func ask(
    _ script: String, greeting: String = #"{"seccomp":0}"#, files: [String] = ["recordings/a.wav"],
    patience: Duration = .seconds(60)
  ) -> (found: [TakeDiagnosis?], said: [String]) {
    let log = Log()
    let program = ["/bin/bash", "-c", "echo '\(greeting)'; while IFS= read -r -d '' path; do \(script); done"]
    let examiner = Examiner(program: program, patience: patience) { log.sentences.append($0) }
    let found = files.map { path -> TakeDiagnosis? in
      while examiner.isApart { if let diagnosis = examiner.step(path) { return diagnosis } }
      return nil
    }
    return (found, log.sentences)
  }

  @Test func `An answer is taken, and what the kernel has refused is said once`() {
    let answer = #"echo '{"frames":480,"sampleRate":48000,"channels":2,"format":"flac"}'"#
    let shape = TakeShape(frames: 480, sampleRate: 48_000, channels: 2, format: "flac")
    #expect(ask(answer).found == [.complete(shape)])
    #expect(ask(answer).said == [])
    let refused = ask(answer, greeting: #"{"seccomp":22}"#, files: ["recordings/a.wav", "recordings/b.wav"])
    #expect(refused.found == [.complete(shape), .complete(shape)])
    #expect(refused.said.count == 1)
    #expect(refused.said.first?.contains("errno 22") == true)
  }

  @Test func `Where it cannot run at all, files are looked at without it, and that is said`() {
    let log = Log()
    let examiner = Examiner(program: ["/bin/sh", "-c", "exit 127"]) { log.sentences.append($0) }
    var found: TakeDiagnosis?
    for _ in 0..<1000 where examiner.isApart && found == nil { found = examiner.step("recordings/a.wav") }
    #expect(found == nil && !examiner.isApart)
    #expect(log.sentences.count == 1 && log.sentences.first?.contains("in this process") == true)
  }

  @Test(arguments: [("SEGV", 11), ("TRAP", 5), ("ABRT", 6), ("ILL", 4), ("BUS", 7), ("SYS", 31)])
  func `One that dies of a file costs that file, and another goes on`(name: String, signal: Int) {
    let found = ask("kill -\(name) $$", files: ["recordings/a.wav", "recordings/b.wav"]).found
    let reason = "It ended the process that looked at it (signal \(signal))."
    #expect(found == [.unanswered(reason: reason, died: true), .unanswered(reason: reason, died: true)])
  }

  /// The kernel's killer and its limits of time are no proof against a file.
  @Test(arguments: [("kill -KILL $$", "(signal 9)"), ("kill -XCPU $$", "(signal 24)"), ("exit 3", "gave up (3)")])
  func `One that is ended from outside has not died of it`(script: String, reason: String) throws {
    guard case .unanswered(let told, died: false)? = ask(script).found.first else {
      Issue.record("\(ask(script).found)")
      return
    }
    #expect(told.contains(reason))
  }

  @Test func `One that takes too long is ended`() {
    #expect(
      ask("sleep 600", patience: .seconds(1)).found
        == [.unanswered(reason: "Looking at it took more than 1 s.", died: false)])
  }

  @Test(arguments: [
    "echo nonsense", "echo '{}'", #"echo '{"frames":-1,"sampleRate":48000,"channels":2,"format":"x"}'"#,
    #"echo '{"frames":9223372036854775807,"sampleRate":48000,"channels":2,"format":"x"}'"#, "yes | tr -d '\\n'",
  ]) func `Nothing is believed that no file can be`(script: String) {
    let reasons = ask(script).found.map { diagnosis -> String? in
      switch diagnosis {
      case .damaged(let reason), .unanswered(let reason, died: false): reason
      default: nil
      }
    }
    #expect(reasons == ["It upset the process that looked at it."])
  }

  @Test func `Where there can be no process, that is said once`() {
    let log = Log()
    let examiner = Examiner(program: ["/nowhere/at/all"]) { log.sentences.append($0) }
    for _ in 0..<3 { #expect(examiner.step("recordings/a.wav") == nil) }
    #expect(!examiner.isApart)
    #expect(log.sentences.count == 1)
  }
}
