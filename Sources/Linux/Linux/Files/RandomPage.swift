import CLinux
import Seams

/// Random numbers from the kernel, read many at a time: `SystemRandomNumberGenerator` makes a system call for each.
public struct RandomPage: RandomNumberGenerator, Sendable {
  private static let size = 64

  private var numbers: [UInt64] = []
  private var chance: Machine.Chance?

  /// An empty page; the first number fills it. In a simulation the numbers come from its world.
  public init(of machine: Machine = .system) { chance = machine.world == nil ? nil : machine.random }

  /// The next number.
  public mutating func next() -> UInt64 {
    if chance != nil { return chance?.next() ?? 0 }
    if let number = numbers.popLast() { return number }
    numbers.reserveCapacity(Self.size)
    for _ in 0..<Self.size { numbers.append(0) }
    let code = unsafe numbers.withUnsafeMutableBytes { unsafe clinux_random($0.baseAddress, $0.count) }
    guard code == 0 else {
      // The kernel lacks the call: read the numbers one by one.
      numbers.removeAll(keepingCapacity: true)
      var system = SystemRandomNumberGenerator()
      return system.next()
    }
    return numbers.removeLast()
  }
}
