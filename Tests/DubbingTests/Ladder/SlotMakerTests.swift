import Streaming
import TestSupport
import Testing

@testable import Dubbing

@Suite("Slots")
struct SlotMakerTests {
  private func cue(_ start: Double, _ end: Double, _ text: String, epoch: Int = 0) -> SubtitleCue {
    SubtitleCue(epoch: epoch, start: Int(start * 48_000), end: Int(end * 48_000), text: text, language: "es")
  }

  @Test func `An utterance's slot runs to the next one`() {
    var maker = SlotMaker()
    maker.add(cue(1, 2, "uno"))
    maker.add(cue(4, 5, "dos"))
    #expect(maker.slots.map(\.limit) == [192_000, nil])
    #expect(maker.take(before: 100_000).map(\.text) == ["uno"])
    #expect(maker.slots.map(\.text) == ["dos"])
  }

  @Test func `A repeated cue makes no second slot, simultaneous ones make one`() {
    var maker = SlotMaker()
    for _ in 0..<3 { maker.add(cue(1, 2, "uno")) }
    maker.add(cue(1.1, 2.5, "dos"))
    #expect(maker.slots.map(\.text) == ["uno dos"])
    #expect(maker.slots.first?.end == 120_000)
  }

  @Test func `Subtitles of another region take the place of those that were there before`() {
    var maker = SlotMaker()
    for start in [1.0, 4, 7] { maker.add(cue(start, start + 1, "Brasil \(Int(start))")) }
    for start in [4.0, 7] {
      let cue = cue(start, start + 1, "Portugal \(Int(start))")
      if start == 4 { maker.giveWay(to: cue) }
      maker.add(cue)
    }
    #expect(maker.slots.map(\.text) == ["Brasil 1", "Portugal 4", "Portugal 7"])
  }

  @Test(arguments: [
    ("[música]", ""), ("♪ la la ♪", "la la"), ("- Hola.\n- ¿Qué tal?", "Hola. ¿Qué tal?"), ("(risas) Sí", "Sí"),
    ("…", ""), ("", ""), ("]] raro [[", "raro"), ("-Sí", "Sí"), ("3,5", "3,5"), ("C# y F#", "C# y F#"),
    ("el #1", "el #1"),
    ("# la la #", "la la"), ("JOHN: Hola", "Hola"), ("- MARÍA: Sí.\n-LA VOZ: No.", "Sí. No."), (">> ANA: Hola", "Hola"),
    ("JUAN [susurrando]: Hola.", "Hola."), ("- ANA (en voz baja): Sí", "Sí"),
    ("El tren (a las 10): tarde", "El tren : tarde"),
    (">> Hola", "Hola"), ("Son las 10:30", "Son las 10:30"), ("Juan: hola", "Juan: hola"), ("YO: NO", "YO: NO"),
    ("Digo: AQUÍ: sí", "Digo: AQUÍ: sí"), ("QUE YO SEPA: no", "QUE YO SEPA: no"), ("Te quiero :(", "Te quiero :"),
    ("（拍手）こんにちは【音】", "こんにちは"), ("♬ la 🎵", "la"), ("Hace -5", "Hace -5"),
  ])
  func `Only what is spoken is spoken`(text: String, spoken: String) { #expect(SlotMaker.spoken(text) == spoken) }

  @Test func `What no subtitle covers is cut into pieces where it is quietest`() {
    var maker = SlotMaker()
    maker.cover(upTo: 10 * 48_000, from: 0, epoch: { _ in 0 }, quietest: { $0.lowerBound + 1000 })
    #expect(maker.slots.map(\.start) == [0, 97_000, 194_000])
    #expect(maker.slots.allSatisfy { $0.text.isEmpty && $0.end > $0.start })
  }

  @Test func `A piece is of the epoch in which it begins, though the one before is still heard`() {
    var maker = SlotMaker()
    maker.cover(upTo: 12 * 48_000, from: 0, epoch: { $0 < 150_000 ? 0 : 1 }, quietest: { $0.lowerBound })
    #expect(maker.slots.map(\.start) == [0, 96_000, 192_000, 288_000, 384_000])
    #expect(maker.slots.map(\.epoch) == [0, 0, 1, 1, 1])
    // A piece has nothing to make room for in another epoch.
    #expect(maker.slots.map(\.limit) == [96_000, nil, 288_000, 384_000, nil])
  }

  @Test func `Any cues are answered, in order and within bounds`() {
    for seed in 0..<400 as Range<UInt64> {
      var dice = SeededGenerator(seed: seed)
      var maker = SlotMaker()
      for _ in 0..<200 {
        let start = Int.random(in: -1000...2_000_000, using: &dice)
        maker.add(
          SubtitleCue(
            epoch: Int.random(in: 0...2, using: &dice), start: start,
            end: start + Int.random(in: -10...3_000_000, using: &dice), text: "a\(start % 7)", language: ""))
        if Bool.random(using: &dice) {
          maker.cover(
            upTo: Int.random(in: 0...2_000_000, using: &dice), from: 0, epoch: { $0 / 700_000 },
            quietest: { $0.upperBound })
        }
      }
      #expect(maker.slots.count <= 64)
      for (left, right) in zip(maker.slots, maker.slots.dropFirst()) {
        #expect((left.epoch, left.start) <= (right.epoch, right.start))
      }
    }
  }

  @Test(arguments: [
    // Roll-up, two lines and three.
    (["uno", "uno\ndos", "dos\ntres"], ["uno", "dos", "tres"]),
    (["uno\ndos", "dos\ntres\ncuatro"], ["uno dos", "tres cuatro"]),
    (["a\nb\nc", "b\nc\nd"], ["a b c", "d"]),
    // Painted on, word by word.
    (["Hola", "Hola a", "Hola a todos"], ["Hola", "a", "todos"]),
    (["uno\ndos", "uno\ndos tres"], ["uno dos", "tres"]),
    // Held over the end of a segment.
    (["uno", "uno"], ["uno"]),
    (["No", "Nosotros"], ["No", "Nosotros"]),
  ])
  func `Captions that roll up or are painted on are said once`(captions: [String], spoken: [String]) {
    var maker = SlotMaker()
    for (index, text) in captions.enumerated() { maker.add(cue(Double(index), Double(index + 1), text)) }
    #expect(maker.slots.map(\.text) == spoken)
  }

  @Test func `Rows that roll up, each a cue of its own, are said once`() {
    var maker = SlotMaker()
    let screens = [["uno"], ["uno", "dos"], ["uno", "dos", "tres"], ["dos", "tres", "cuatro"]]
    for (index, rows) in screens.enumerated() {
      for row in rows { maker.add(cue(Double(2 * index), Double(2 * index + 2), row)) }
    }
    #expect(maker.slots.map(\.text) == ["uno", "dos", "tres", "cuatro"])
    maker.reset(at: 0)
    // The newest row first.
    for (index, rows) in screens.enumerated() {
      for row in rows.reversed() { maker.add(cue(Double(2 * index), Double(2 * index + 2), row)) }
    }
    #expect(maker.slots.map(\.text) == ["uno", "dos", "tres", "cuatro"])
  }

  @Test func `A word that is painted on letter by letter is said once, and whole`() {
    let painted = ["H", "Ho", "Hol", "Hola", "Hola,", "Hola, mu", "Hola, mundo"]
    for repeats in 1...2 {
      var maker = SlotMaker()
      // A live stream's segments say what goes on in both of them.
      for _ in 0..<repeats {
        for (index, text) in painted.enumerated() {
          maker.add(cue(Double(index) * 0.1, Double(index + 1) * 0.1, text))
        }
      }
      #expect(maker.slots.map(\.text).joined(separator: " ") == "Hola, mundo", "\(repeats)")
    }
    var slower = SlotMaker()
    for (index, text) in ["Hel", "Hello", "Hello wor", "Hello world"].enumerated() {
      slower.add(cue(Double(index) * 0.6, Double(index + 1) * 0.6, text))
    }
    #expect(slower.slots.map(\.text) == ["Hello", "world"])
  }

  @Test func `What is said again after a pause is spoken again`() {
    var maker = SlotMaker()
    maker.add(cue(1, 2, "No."))
    maker.add(cue(3, 4, "No."))
    maker.add(cue(6, 7, "No.\n¿Por qué?"))
    #expect(maker.slots.map(\.text) == ["No.", "No.", "No. ¿Por qué?"])
  }
}
