import ControlAPI
import Jobs
import Testing

struct TimestampTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("1970-01-01t00:00:01.25z", 1_250_000), ("1970-01-01 00:00:00-00:30", 1_800_000_000),
    ("1969-12-31T23:59:59.999999999Z", -1), ("2000-02-29T00:00:00+00:00", 951_782_400_000_000),
    ("2016-12-31T23:59:60Z", 1_483_228_800_000_000),
  ])
  func parsesRFC3339(text: String, microseconds: Int64) {
    #expect(Timestamp(rfc3339: text)?.microseconds == microseconds)
  }

  @Test(arguments: [
    "", "2026-11-21", "2026-11-21T01:02:03", "2026-13-01T00:00:00Z", "2026-11-31T00:00:00Z", "2026-11-21T24:00:00Z",
    "2026-11-21T01:02:03.Z", "2026-11-21T01:02:03Zx", "2026-11-21T01:02:03+1:00", "１970-01-01T00:00:00Z",
    "2100-02-29T00:00:00Z", "26-11-21T01:02:03Z", "9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00+00:01",
  ])
  func rejectsInvalidRFC3339(text: String) {
    #expect(Timestamp(rfc3339: text) == nil)
  }
}
