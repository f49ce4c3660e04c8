/// A row of numbers by 128 bits of them: two rows that differ have the same ones with a chance of one in 10^38.
struct Fingerprint: Hashable {
  private var high: UInt64 = 0xcbf2_9ce4_8422_2325
  private var low: UInt64 = 0x9e37_79b9_7f4a_7c15

  /// Adds a number, by the mixing of two linear congruential generators.
  mutating func add(_ value: Int) {
    let bits = UInt64(bitPattern: Int64(value))
    high = (high ^ bits) &* 0x5851_f42d_4c95_7f2d
    high ^= high >> 29
    low = (low &+ bits) &* 0xda94_2042_e4dd_58b5
    low ^= low >> 31
  }
}
