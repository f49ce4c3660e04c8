import Jobs
import Testing

@testable import Settings

@Suite struct UnitsTests {
  @Test(
    arguments: [
      ("500ms", .milliseconds(500)), ("30s", .seconds(30)), ("5min", .seconds(300)), ("1h 30min", .seconds(5400)),
      ("1h30min", .seconds(5400)), ("10", .seconds(10)), ("0", .zero), ("1us", .microseconds(1)),
      ("7µs", .microseconds(7)), ("2d", .seconds(172_800)), ("1w", .seconds(604_800)), ("3m", .seconds(180)),
      ("1.5s", .milliseconds(1500)), ("0.5h", .seconds(1800)), (" 1 min ", .seconds(60)),
      ("2 hours 1 s", .seconds(7201)),
      ("1M", .seconds(2_629_800)), ("1y", .seconds(31_557_600)), ("0.0000001s", .zero), ("1min 10", .seconds(70)),
    ] as [(String, Duration)])
  func parsesDurationsLikeSystemd(text: String, duration: Duration) {
    #expect(Duration.read(text) == duration)
  }

  @Test(arguments: [
    "", " ", "s", "-1s", "+1s", "1x", "1.s", ".5s", "1..5s", "5 minutes!", "ten", "1S", "1e3s", "99999999999999999999s",
    "300000000y", "9223372036854775807us 1us", "٣s",
  ])
  func refusesInvalidDurations(text: String) {
    #expect(Duration.read(text) == nil)
  }

  @Test(
    arguments: [
      ("0", 0), ("1", 1), ("16MiB", 16 << 20), ("64KiB", 64 << 10), ("1GiB", 1 << 30), ("1TiB", 1 << 40),
      ("16M", 16 << 20), ("64K", 64 << 10), ("2G", 2 << 30), ("1.5K", 1536), ("0.1K", 102), ("512B", 512),
      (" 1 MiB ", 1 << 20),
    ] as [(String, Int64)])
  func parsesSizesWithBase1024(text: String, bytes: Int64) {
    #expect(Int64.read(text) == bytes)
  }

  @Test(arguments: ["", "K", "-1", "1KB", "1MB", "1kib", "1 K iB", "1,5K", "0x10", "9999999999TiB", "1.K"])
  func refusesInvalidSizes(text: String) {
    #expect(Int64.read(text) == nil)
  }

  @Test(arguments: [("bucket", "bukcet", 1), ("a", "", 1), ("kitten", "sitting", 3), ("same", "same", 0), ("", "", 0)])
  func editDistanceCountsSwapAsOne(one: String, other: String, distance: Int) {
    #expect(EditDistance.between(one, other) == distance)
    #expect(EditDistance.between(other, one) == distance)
  }
}
