/// Random numbers that come again with their seed: SplitMix64 (Steele, Lea and Flood, 2014).
///
/// It is Codable, so that a run that is cut goes on with the numbers that would have followed.
public struct SplitMix64: RandomNumberGenerator, Codable, Hashable, Sendable {
  private var state: UInt64

  /// The generator of a seed. Neighbouring seeds give sequences that have nothing in common.
  public init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// One of the numbers from 0 on that are below that.
  public mutating func index(below count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
}
