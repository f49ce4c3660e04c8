/// The token that the operator's page has to show with each call: random, and known only to those who were given the URL.
struct PageToken: Sendable {
  /// 128 bits in hex.
  let text: String

  /// Creates a new token.
  init() {
    var random = SystemRandomNumberGenerator()
    text = (0..<16).map { _ in
      let digits = String(UInt8.random(in: .min ... .max, using: &random), radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }

  /// True if the other token is the same. The time it takes does not show where they differ.
  func matches(_ other: String) -> Bool {
    let (mine, theirs) = (Array(text.utf8), Array(other.utf8))
    guard mine.count == theirs.count else { return false }
    return zip(mine, theirs).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
