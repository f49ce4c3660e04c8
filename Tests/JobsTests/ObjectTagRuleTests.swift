import Jobs
import Messages
import Testing

@Suite struct ObjectTagRuleTests {
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
