/// A number without sign, as it appears in spans and sizes: `16`, `1.5`.
struct DecimalNumber {
  private let digits: Substring
  private let fraction: Substring

  /// Reads the number at the start of the text, and removes it there; nil if there is none.
  init?(takenFrom text: inout Substring) {
    let digits = text.prefix(while: \.isDigit)
    var rest = text.dropFirst(digits.count)
    var fraction: Substring = ""
    if rest.first == "." {
      fraction = rest.dropFirst().prefix(while: \.isDigit)
      guard !fraction.isEmpty else { return nil }
      rest = rest.dropFirst(fraction.count + 1)
    }
    guard !digits.isEmpty else { return nil }
    self.digits = digits
    self.fraction = fraction
    text = rest
  }

  /// Returns the number times a unit, rounded down; nil if that overflows.
  func times(_ unit: Int64) -> Int64? {
    guard let whole = Int64(digits) else { return nil }
    let (product, overflow) = whole.multipliedReportingOverflow(by: unit)
    guard !overflow else { return nil }
    // Eighteen digits are more precise than any unit needs, and fit into the wide product.
    let shown = fraction.prefix(18)
    let scale = repeatElement(Int128(10), count: shown.count).reduce(1, *)
    let part = Int64(Int128(unit) * (Int128(shown) ?? 0) / scale)
    let (sum, tooMuch) = product.addingReportingOverflow(part)
    return tooMuch ? nil : sum
  }
}
