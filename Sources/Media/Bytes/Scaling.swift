extension Int {
  /// This times `numerator` over `denominator`, rounded down, without overflow on the way. Less than 0 is 0; what does
  /// not fit is the largest number.
  ///
  /// - Parameter denominator: above 0.
  func scaled(by numerator: Int, over denominator: Int) -> Int {
    guard self > 0, numerator > 0, denominator > 0 else { return 0 }
    let product = UInt(self).multipliedFullWidth(by: UInt(numerator))
    guard product.high < UInt(denominator) else { return .max }
    return Int(clamping: UInt(denominator).dividingFullWidth(product).quotient)
  }
}
