import Testing

@testable import Console
@testable import Runtime

/// What people type for a take.
@Suite struct TypedNameTests {
  private let names = TypedNames([
    .init(id: "000044_2026-11-21T10-00-00Z.m4a", name: "Interview two"),
    .init(id: "000043_2026-11-20T22-00-00Z.wav", name: "Interview one"),
    .init(id: "000042_2026-11-20T21-54-00Z.m4a", name: "Take 42"),
    .init(id: "voice memo.m4a", name: "voice memo"),
    .init(id: "000007_2026-11-19T21-54-00Z.m4a", name: "43"),
  ])

  @Test func byFileNameNumberNameAndBeginning() throws {
    #expect(try names.id("000043_2026-11-20T22-00-00Z.wav") == "000043_2026-11-20T22-00-00Z.wav")
    #expect(try names.id("last") == "000044_2026-11-21T10-00-00Z.m4a")
    #expect(try names.id("42") == "000042_2026-11-20T21-54-00Z.m4a")
    // A number is a take's number before it is a name.
    #expect(try names.id("43") == "000043_2026-11-20T22-00-00Z.wav")
    #expect(try names.id("interview TWO") == "000044_2026-11-21T10-00-00Z.m4a")
    #expect(try names.id("voi") == "voice memo.m4a")
    #expect(try names.id("000007") == "000007_2026-11-19T21-54-00Z.m4a")
    #expect(try names.id("99") == nil)
    #expect(try names.id("nothing") == nil)
  }

  @Test func whatMayBeSeveralIsSaid() throws {
    let failure = #expect(throws: CommandFailure.self) { try names.id("inter") }
    #expect(
      failure?.message.hasPrefix("\"inter\" may be 000044_2026-11-21T10-00-00Z.m4a (Interview two), 000043") == true)
    #expect(try TypedNames([]).id("last") == nil)
  }
}
