import Messages
import Testing

@Suite struct SaturatingTests {
  /// All numbers of eight bits, against wide ones.
  @Test func resultIsTheNearestThatTheTypeHas() {
    for a in Int8.min...Int8.max {
      #expect((Int8.min...Int8.max).filter { !Self.isNearest(a, $0) } == [], "\(a)")
    }
    for a in UInt8.min...UInt8.max {
      #expect((UInt8.min...UInt8.max).filter { !Self.isNearest(a, $0) } == [], "\(a)")
    }
  }

  private static func isNearest<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Bool {
    let (wideA, wideB) = (Int(a), Int(b))
    return a +| b == Number(clamping: wideA + wideB) && a -| b == Number(clamping: wideA - wideB)
      && a *| b == Number(clamping: wideA * wideB)
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
