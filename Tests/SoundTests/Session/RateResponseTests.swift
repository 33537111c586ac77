import Foundation
import Hardware
import TestSupport
import Testing

/// The filter beside the ones that other programs have, by the same tones; and its response as a picture of the manual, which
/// `MYNAH_WRITE=1` draws anew.
@Suite struct RateResponseTests {
  private static let picture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs/manual/rate-filter.svg")

  /// A way from one rate to another.
  private enum Converter: String, CaseIterable {
    case mynah
    case swresample
    case soxr
    case sox

    func convert(_ input: [Float], from: Int, to: Int) throws -> [Float] {
      guard self != .mynah else { return try RateFilterTests.convert(input, from: from, to: to) }
      let folder = TemporaryFolder()
      let source = folder.put("", "in.f32")
      let target = folder.file("out.f32")
      try input.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: source))
      let raw = { (rate: Int) in ["-f", "f32le", "-ar", "\(rate)", "-ac", "1"] }
      switch self {
      case .sox:
        let kind = ["-t", "raw", "-e", "floating-point", "-b", "32", "-c", "1"]
        try Tool.succeed("sox", kind + ["-r", "\(from)", source] + kind + ["-r", "\(to)", target, "rate", "-v"])
      default:
        let filter = self == .soxr ? "aresample=\(to):resampler=soxr:precision=28" : "aresample=\(to)"
        try Tool.succeed(
          "ffmpeg", ["-v", "error", "-y"] + raw(from) + ["-i", source, "-af", filter] + raw(to) + [target])
      }
      let data = try Data(contentsOf: URL(fileURLWithPath: target))
      return data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    /// Level of a tone, dB, and of its first image or fold, where there is one.
    func level(of hertz: Double, from: Int, to: Int) throws -> (tone: Double, image: Double?) {
      let input = (0..<(from * 2 / 5)).map { Float(0.5 * sin(2 * Double.pi * hertz * Double($0) / Double(from))) }
      let heard = try convert(input, from: from, to: to).dropFirst(to / 20).prefix(to / 4)
      let level = { (frequency: Double) in
        20 * log10(max(2 * Tone.amplitude(heard, frequency, to), 1e-8))
      }
      let other = from > to ? hertz : Double(from) - hertz
      let folded = abs(other - Double(to) * (other / Double(to)).rounded())
      let isImage = from > to ? hertz > Double(to) / 2 : other < Double(to) / 2
      return (level(hertz), isImage ? level(folded) : nil)
    }
  }

  private struct Result {
    var ripple = 0.0
    var image = -160.0
  }

  private static func measure(_ converter: Converter, from: Int, to: Int) throws -> Result {
    var result = Result()
    let low = Double(min(from, to)) / 2
    for share in [0.1, 0.5, 0.8, 0.9] {
      result.ripple = max(result.ripple, abs(try converter.level(of: low * share, from: from, to: to).tone))
    }
    let tones = from > to ? [1.01, 1.05, 1.1, 1.3, 2.1].map { low * $0 } : [0.5, 0.8, 0.85, 0.9].map { low * $0 }
    for hertz in tones where hertz < Double(from) / 2 {
      if let image = try converter.level(of: hertz, from: from, to: to).image {
        result.image = max(result.image, image)
      }
    }
    return result
  }

  @Test(arguments: [(48_000, 8000), (8000, 48_000), (44_100, 48_000), (48_000, 44_100)])
  func `No filter of other programs' usual settings is both flatter and quieter`(from: Int, to: Int) throws {
    let own = try Self.measure(.mynah, from: from, to: to)
    #expect(own.ripple < 0.1)
    #expect(own.image < -100)
    for converter in Converter.allCases where converter != .mynah {
      let other = try Self.measure(converter, from: from, to: to)
      print("rate-filter \(from) \(to) \(converter.rawValue) ripple \(other.ripple) image \(other.image)")
    }
    print("rate-filter \(from) \(to) mynah ripple \(own.ripple) image \(own.image)")
    let usual = try Self.measure(.swresample, from: from, to: to)
    #expect(usual.ripple > own.ripple || usual.image > own.image)
  }

  @Test func `The picture of the manual is that of the filter`() throws {
    let svg = try Self.drawing()
    if ProcessInfo.processInfo.environment["MYNAH_WRITE"] != nil {
      try svg.write(to: Self.picture, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: Self.picture, encoding: .utf8) == svg)
  }

  /// From 0 to twice the lower Nyquist frequency: what passes 48 to 8 kHz, and 44.1 to 48 kHz.
  private static func drawing() throws -> String {
    let curves = [(48_000, 8000, "#1b6", "48 to 8 kHz"), (48_000, 44_100, "#36c", "48 to 44.1 kHz")]
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 320\" font-family=\"sans-serif\" font-size=\"11\">",
      "<rect width=\"640\" height=\"320\" fill=\"#fff\"/>",
    ]
    for decibels in stride(from: 0, through: -120, by: -20) {
      let y = 20 - 2 * decibels
      lines.append("<path d=\"M50 \(y)H630\" stroke=\"#ddd\"/>")
      lines.append("<text x=\"44\" y=\"\(y + 4)\" text-anchor=\"end\">\(decibels)</text>")
    }
    for tenth in 0...12 {
      let x = 50 + tenth * 48
      lines.append("<path d=\"M\(x) 20V270\" stroke=\"#eee\"/>")
      lines.append("<text x=\"\(x)\" y=\"285\" text-anchor=\"middle\">\(Double(tenth) / 10)</text>")
    }
    lines.append("<text x=\"340\" y=\"305\" text-anchor=\"middle\">frequency / lower Nyquist frequency</text>")
    lines.append("<text x=\"54\" y=\"14\">dB</text>")
    for (index, (from, to, colour, name)) in curves.enumerated() {
      let low = Double(min(from, to)) / 2
      var points: [String] = []
      for step in 1...118 where low * Double(step) / 100 < Double(from) / 2 {
        let hertz = low * Double(step) / 100
        let level = try Converter.mynah.level(of: hertz, from: from, to: to)
        // Below -110 dB it is arithmetic that is drawn, and not the filter.
        let decibels = max(-110, step <= 100 ? level.tone : level.image ?? -110)
        points.append("\(50 + Int((Double(step) * 4.8).rounded())),\(20 - Int((2 * decibels).rounded()))")
      }
      let line = points.joined(separator: " ")
      lines.append("<polyline fill=\"none\" stroke=\"\(colour)\" stroke-width=\"1.5\" points=\"\(line)\"/>")
      lines.append("<text x=\"70\" y=\"\(190 + 16 * index)\" fill=\"\(colour)\">\(name)</text>")
    }
    return (lines + ["</svg>", ""]).joined(separator: "\n")
  }
}
