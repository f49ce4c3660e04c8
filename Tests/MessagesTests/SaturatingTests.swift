import Messages
import Testing

/// Arithmetic that stays at the nearest number of its type.
@Suite struct SaturatingTests {
  /// All numbers of eight bits, against sixteen.
  @Test func resultIsTheNearestThatTheTypeHas() {
    for a in Int8.min...Int8.max {
      for b in Int8.min...Int8.max {
        let (wideA, wideB) = (Int16(a), Int16(b))
        #expect(a +| b == Int8(clamping: wideA + wideB), "\(a) + \(b)")
        #expect(a -| b == Int8(clamping: wideA - wideB), "\(a) - \(b)")
        #expect(a *| b == Int8(clamping: wideA * wideB), "\(a) * \(b)")
      }
    }
    for a in UInt8.min...UInt8.max {
      for b in UInt8.min...UInt8.max {
        let (wideA, wideB) = (Int32(a), Int32(b))
        #expect(a +| b == UInt8(clamping: wideA + wideB), "\(a) + \(b)")
        #expect(a -| b == UInt8(clamping: wideA - wideB), "\(a) - \(b)")
        #expect(a *| b == UInt8(clamping: wideA * wideB), "\(a) * \(b)")
      }
    }
  }

  @Test func unitsOfDurationSaturate() {
    let long = Duration.seconds(Int64.max)
    #expect((long.wholeSeconds, long.milliseconds, long.nanoseconds) == (.max, .max, .max))
    let none = Duration.zero - long - .seconds(2)
    #expect((none.wholeSeconds, none.milliseconds, none.nanoseconds) == (.min, .min, .min))
    let some = Duration.nanoseconds(-1_234_567_890)
    #expect((some.wholeSeconds, some.milliseconds, some.nanoseconds) == (-1, -1234, -1_234_567_890))
  }
}
