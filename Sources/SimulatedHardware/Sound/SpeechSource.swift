public import Hardware
internal import Synchronization

/// Speech-like sound: babble of vowels and consonants in phrases with pauses between them, the same bits on every
/// machine. It repeats after `period`. The right channel is the same voice, a little later and softer.
///
/// A glottal pulse train and noise through a cascade of formant resonators (D. Klatt, "Software for a
/// cascade/parallel formant synthesizer", JASA 67, 1980), with invented phrases.
public final class SpeechSource: SoundSource {
  /// After this long the babble starts again.
  public static let period = Duration.seconds(12)

  private struct Loop {
    var sampleRate = 0
    var samples: [Float] = []
  }

  private let seed: UInt64
  private let loop = Mutex(Loop())

  public init(seed: UInt64 = 1) { self.seed = seed }

  public func prepare(_ format: PCMFormat) {
    let seed = seed
    loop.withLock { loop in
      guard loop.sampleRate != format.sampleRate else { return }
      loop.sampleRate = format.sampleRate
      var voice = BabbleVoice(sampleRate: format.sampleRate, seed: seed)
      loop.samples = voice.speak(frames: format.frames(in: Self.period))
    }
  }

  public func fill(_ target: UnsafeMutablePointer<Float>, frames: Int, from position: Int, format: PCMFormat) {
    prepare(format)
    let echo = format.sampleRate / 3000
    loop.withLock { loop in
      let length = loop.samples.count
      loop.samples.withUnsafeBufferPointer { samples in
        for frame in 0..<frames {
          let place = (position + frame) % length
          target[frame * format.channels] = samples[place]
          if format.channels > 1 {
            target[frame * format.channels + 1] = 0.8 * samples[(place + length - echo) % length]
          }
        }
      }
    }
  }
}

/// The synthesiser: fills an array, phrase by phrase.
private struct BabbleVoice {
  private struct Vowel {
    /// First three formants in Hz (men's averages after Peterson and Barney, JASA 24, 1952).
    var formants: (Double, Double, Double)
  }

  private static let vowels = [
    Vowel(formants: (270, 2290, 3010)), Vowel(formants: (530, 1840, 2480)), Vowel(formants: (730, 1090, 2440)),
    Vowel(formants: (570, 840, 2410)), Vowel(formants: (300, 870, 2240)), Vowel(formants: (490, 1350, 1690)),
  ]

  private struct Resonator {
    var a = 0.0
    var b = 0.0
    var c = 0.0
    var last = 0.0
    var secondLast = 0.0

    mutating func tune(frequency: Double, bandwidth: Double, rate: Double) {
      // Above the Nyquist limit the resonator is let through.
      guard frequency < 0.45 * rate else {
        (a, b, c) = (1, 0, 0)
        return
      }
      let decay = ExactMath.exponential(-Double.pi * bandwidth / rate)
      c = -decay * decay
      b = 2 * decay * ExactMath.cosine(turns: frequency / rate)
      a = 1 - b - c
    }

    mutating func filter(_ input: Double) -> Double {
      let output = a * input + b * last + c * secondLast
      secondLast = last
      last = output
      return output
    }
  }

  private let rate: Double
  private var random: SeededGenerator
  private var first = Resonator()
  private var second = Resonator()
  private var third = Resonator()
  private var hiss = Resonator()
  private var formants = (500.0, 1500.0, 2500.0)
  private var phase = 0.0
  private var output: [Float] = []

  init(sampleRate: Int, seed: UInt64) {
    rate = Double(sampleRate)
    random = SeededGenerator(seed: seed)
  }

  /// `frames` frames, peak 0.5 of full scale.
  mutating func speak(frames: Int) -> [Float] {
    output.reserveCapacity(frames + Int(rate))
    pause(seconds: 0.25)
    while output.count < frames {
      let syllables = Int(random.value(in: 4...8.99))
      let pitch = random.value(in: 105...135)
      for syllable in 0..<syllables {
        // Phrases fall in pitch towards their end.
        speakSyllable(pitch: pitch * (1 - 0.03 * Double(syllable)))
      }
      pause(seconds: random.value(in: 0.35...0.6))
    }
    output.removeLast(output.count - frames)
    // The loop's joint falls into silence.
    let fade = Int(rate * 0.05)
    for index in 0..<fade { output[frames - 1 - index] *= Float(index) / Float(fade) }
    let peak = output.reduce(0) { max($0, abs($1)) }
    for index in output.indices { output[index] *= 0.5 / max(peak, 1e-9) }
    return output
  }

  private mutating func pause(seconds: Double) {
    render(seconds: seconds, pitch: 100, voicing: (0, 0), noise: 0.0005)
  }

  private mutating func speakSyllable(pitch: Double) {
    let vowel = Self.vowels[Int(random.next() % UInt64(Self.vowels.count))]
    switch random.next() % 4 {
    case 0:
      hiss.tune(frequency: random.value(in: 3500...6000), bandwidth: 1500, rate: rate)
      render(seconds: random.value(in: 0.06...0.11), pitch: pitch, voicing: (0, 0), noise: 0.12)
    case 1:
      render(seconds: random.value(in: 0.04...0.07), pitch: pitch, voicing: (0, 0), noise: 0)
      hiss.tune(frequency: random.value(in: 1500...3000), bandwidth: 1200, rate: rate)
      render(seconds: 0.012, pitch: pitch, voicing: (0, 0), noise: 0.3)
    case 2:
      glide(to: (250, 1200, 2200), seconds: 0.02)
      render(seconds: random.value(in: 0.05...0.08), pitch: pitch, voicing: (0.35, 0.35), noise: 0)
    default:
      break
    }
    let target = vowel.formants
    let steps = 6
    let start = formants
    for step in 1...steps {
      let part = Double(step) / Double(steps)
      formants = (
        start.0 + (target.0 - start.0) * part, start.1 + (target.1 - start.1) * part,
        start.2 + (target.2 - start.2) * part
      )
      render(seconds: 0.008, pitch: pitch, voicing: (0.35 + 0.65 * (part - 1 / 6), 0.35 + 0.65 * part), noise: 0)
    }
    render(seconds: random.value(in: 0.06...0.12), pitch: pitch, voicing: (1, 0.9), noise: 0.002)
    render(seconds: 0.03, pitch: pitch * 0.98, voicing: (0.9, 0), noise: 0.001)
  }

  private mutating func glide(to target: (Double, Double, Double), seconds: Double) {
    formants = target
    render(seconds: seconds, pitch: 115, voicing: (0.1, 0.35), noise: 0)
  }

  /// Appends sound with the present formants; voicing goes evenly from the first value to the second.
  private mutating func render(seconds: Double, pitch: Double, voicing: (Double, Double), noise: Double) {
    first.tune(frequency: formants.0, bandwidth: 70, rate: rate)
    second.tune(frequency: formants.1, bandwidth: 100, rate: rate)
    third.tune(frequency: formants.2, bandwidth: 150, rate: rate)
    let count = Int(seconds * rate)
    for index in 0..<count {
      let level = voicing.0 + (voicing.1 - voicing.0) * Double(index) / Double(count)
      phase += pitch / rate
      if phase >= 1 { phase -= 1 }
      // Derivative of a rising and falling glottal opening over 60 % of the cycle, closed for the rest.
      let open = phase / 0.6
      let pulse = open < 1 ? 2 * open - 3 * open * open : 0
      let voice = third.filter(second.filter(first.filter(pulse * level)))
      let breath = ExactMath.spread(random.next())
      output.append(Float(voice + hiss.filter(breath) * noise * 4 + breath * noise * 0.1))
    }
  }
}
