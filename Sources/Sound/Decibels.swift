internal import Glibc

/// Between amplitudes and decibels. Full scale (1.0) is 0 dB.
public enum Decibels {
  /// What digital silence is shown as: the quantisation step of 24 bits.
  public static let floor = -144.0

  /// `20 log10 amplitude`, not below `floor`.
  public static func ofAmplitude(_ amplitude: Double) -> Double {
    amplitude > 0 ? max(floor, 20 * log10(amplitude)) : floor
  }

  /// `10 log10 power`, the power being a mean square; not below `floor`.
  public static func ofPower(_ power: Double) -> Double { power > 0 ? max(floor, 10 * log10(power)) : floor }

  /// The power of so many decibels.
  public static func power(_ decibels: Double) -> Double { pow(10, decibels / 10) }

  /// The amplitude of so many decibels.
  public static func amplitude(_ decibels: Double) -> Double { pow(10, decibels / 20) }
}
