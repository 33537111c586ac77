import Appliance
import Hardware
import Testing

/// What notices say of takes and clips.
@Suite struct SentenceTests {
  private static let name = "000042_2026-11-20T21-54-00Z"

  private static let all: [Sentence] =
    [
      .deleted(name, number: 1, comesBack: true), .deleted(name, number: 1, comesBack: false),
      .deleted(name, number: 2, comesBack: true), .restored(name, number: 1), .copied(name),
      .exported(name, count: 1), .unnoted(name), .noted(name), .favourite(name, true), .favourite(name, false),
      .clipKept(name),
    ] + StopReason.allCases.map { .safe(name, $0) }

  @Test(arguments: Language.allCases)
  func `A take is called by its number, and never by the stamp of its file`(language: Language) {
    for sentence in Self.all {
      let text = sentence.text(in: language)
      #expect(!text.contains("T21-54") && !text.contains("000042"), "\(text)")
    }
    #expect(Sentence.safe(Self.name, .deviceLost).text(in: language).contains(TakeNames.take(42, in: language)))
  }

  @Test func `Of a lost link it is said that it is tried again, before a reason of any length`() {
    let text = { (reason: String) in Sentence.linkLost(reason).text(in: .english) }
    #expect(text("") == "Link lost, tried again by itself.")
    #expect(text("no sound has come for 3 s") == "Link lost, tried again by itself: no sound has come for 3 s.")
    #expect(text("The original goes on.") == "Link lost, tried again by itself: The original goes on.")
  }

  @Test(arguments: Language.allCases)
  func `A name that somebody gave stands as it is`(language: Language) {
    for sentence in [Sentence.copied("Interview"), .safe("Interview", .storageFull), .favourite("Interview", true)] {
      #expect(sentence.text(in: language).contains("Interview"))
    }
  }
}
