import Jobs
import Messages
import Testing

@Suite struct RetentionSpanTests {
  @Test(arguments: [
    ("1d", "2026-02-28T10:00:00Z", "2026-03-01T10:00:00Z"), ("90 days", "2026-01-01T00:00:00Z", "2026-04-01T00:00:00Z"),
    ("1 month", "2026-01-31T10:00:00Z", "2026-03-03T10:00:00Z"),
    ("2months", "2026-12-31T10:00:00Z", "2027-03-03T10:00:00Z"),
    ("12 months", "2024-02-29T10:00:00Z", "2025-03-01T10:00:00Z"),
    ("4y", "2024-02-29T10:00:00Z", "2028-02-29T10:00:00Z"),
    ("7y", "2026-11-24T06:00:00Z", "2033-11-24T06:00:00Z"),
    ("100 years", "2026-11-24T06:00:00Z", "2126-11-24T06:00:00Z"),
  ])
  func spansFollowCalendar(text: String, start: String, end: String) throws {
    let time = try #require(Timestamp(rfc3339: start))
    let span = try #require(RetentionSpan(text))
    #expect(span.end(from: time).rfc3339 == end)
    #expect(span.end(from: Timestamp(microseconds: time.microseconds + 1)).microseconds > time.microseconds)
  }

  @Test(arguments: [
    "", "7", "y", "0d", "-1d", "1.5y", "7 weeks", "101y", "1201 months", "36501d", "7y 1d", "99999999d",
  ])
  func refusesInvalidSpans(text: String) { #expect(RetentionSpan(text) == nil) }

  @Test(
    arguments: [
      ("case", "17/24", nil, nil), ("größe", "ä ö", nil, nil), ("", "", "is empty", nil),
      ("aws:x", "", "begins with aws:", nil),
      ("a;b", "x#y", "has the character ;", "has the character #"),
      (
        String(repeating: "n", count: 129), String(repeating: "v", count: 257), "is longer than 128",
        "is longer than 256"
      ),
      (String(repeating: "n", count: 128), String(repeating: "v", count: 256), nil, nil),
      ("a\nb", "a\tb", "has the character", "has the character"),
    ] as [(String, String, String?, String?)])
  func tagsFollowS3Rules(name: String, value: String, nameFault: String?, valueFault: String?) {
    #expect((ObjectTag.fault(ofName: name) ?? "").hasPrefix(nameFault ?? ""))
    #expect((ObjectTag.fault(ofName: name) == nil) == (nameFault == nil))
    let found = ObjectTag.fault(ofValue: value).map { $0.text }
    #expect((found ?? "").hasPrefix(valueFault ?? ""))
    #expect((found == nil) == (valueFault == nil))
  }
}
