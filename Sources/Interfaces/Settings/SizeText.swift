/// Sizes in bytes, in systemd's form (systemd.syntax(7)): base 1024, `64KiB`, `16M`, `1.5GiB`, `0`.
enum SizeText {
  private static let factors: [String: Int64] = [
    "": 1, "B": 1, "K": 1 << 10, "KiB": 1 << 10, "M": 1 << 20, "MiB": 1 << 20, "G": 1 << 30, "GiB": 1 << 30,
    "T": 1 << 40, "TiB": 1 << 40,
  ]

  /// Returns the size in bytes; nil for a text that is no size, and for a size that is too large. `KB` and `MB` are refused,
  /// because some people understand them as thousands.
  static func parse(_ text: String) -> Int64? {
    var rest = text.drop(while: \.isBlank)
    guard let number = DecimalNumber(takenFrom: &rest) else { return nil }
    let unit = rest.drop(while: \.isBlank)
    let end = unit.lastIndex { !$0.isBlank }.map(unit.index(after:)) ?? unit.startIndex
    guard let factor = factors[String(unit[..<end])] else { return nil }
    return number.times(factor)
  }
}
