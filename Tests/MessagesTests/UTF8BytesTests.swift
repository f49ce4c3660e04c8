import Messages
import Testing

@Suite struct UTF8BytesTests {
  @Test(arguments: [
    ("2026/scan-01a1.pdf", "01a1", true), ("01a1", "01a1", true), ("01a", "01a1", false), ("", "", true),
    ("a", "", true),
    ("0101a1", "01a1", true), ("01a2", "01a1", false), ("x01a", "01a1", false), ("Käse", "ä", true),
    ("Ka\u{308}se", "ä", false),
  ])
  func findsBytesWithin(_ text: String, _ wanted: String, _ isThere: Bool) {
    #expect(text.containsBytes(of: wanted) == isThere)
  }
}
