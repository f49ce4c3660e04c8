import Linux
import Testing

/// The C library's time zones, with times that no clock shows.
@Suite struct LocalTimeTests {
  /// A zone with offsets at moments: around New York's clock changes of 2026, in 2300, and in 2446, up to which ext4 has times.
  private static let zones: [(name: String, offsets: [(moment: Int64, offset: Int)])] = [
    ("UTC", moments.map { ($0, 0) }),
    (
      "Asia/Shanghai",
      [(-4_000_000_000, 29_143), (.min, 29_143), (.max, 28_800), (253_402_300_799, 28_800)]
        + moments.filter { $0 >= -1 }.map { ($0, 28_800) }
    ),
    (
      "America/New_York",
      [
        (.min, -17_762), (-4_000_000_000, -17_762), (-1, -18_000), (0, -18_000), (1_772_953_199, -18_000),
        (1_772_953_200, -14_400), (1_793_512_799, -14_400), (1_793_512_800, -18_000), (10_413_792_000, -18_000),
        (10_429_516_800, -14_400), (15_021_331_200, -18_000), (15_036_969_600, -14_400), (253_402_300_799, -18_000),
      ]
    ),
  ]

  private static let moments: [Int64] = [
    .min, .min + 1, -(1 << 53), -4_000_000_000, -1, 0, 1_772_953_199, 1_772_953_200, 1_793_512_799, 1_793_512_800,
    10_413_792_000, 10_429_516_800, 15_021_331_200, 15_036_969_600, 253_402_300_800, 1 << 47, 1 << 53, .max - 1, .max,
  ]

  /// The zone is one of the whole process, so the test has one of its own.
  @Test func processHasTheOffsetsOfItsZone() async {
    await #expect(processExitsWith: .success) {
      for zone in Self.zones {
        LocalTime.setProcessZone(zone.name)
        for (moment, offset) in zone.offsets {
          #expect(LocalTime.process.offset(at: moment) == offset, "\(zone.name) at \(moment)")
        }
        for moment in Self.moments {
          #expect(abs(LocalTime.process.offset(at: moment)) < 86_400, "\(zone.name) at \(moment)")
          #expect(LocalTime.utc.offset(at: moment) == 0)
        }
      }
    }
  }
}
