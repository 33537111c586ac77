@testable import SimulatedHardware

extension SeededGenerator {
  mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &self) == 0 }

  mutating func pick<Element>(_ elements: [Element], or fallback: Element) -> Element {
    elements.randomElement(using: &self) ?? fallback
  }

  mutating func text(upTo length: Int) -> String {
    let letters = Array("abcXYZ 0189_-.,йЩЖñß∞…e\u{301}🎤\u{0}\n")
    return String((0..<Int.random(in: 0...length, using: &self)).map { _ in pick(letters, or: "a") })
  }
}
