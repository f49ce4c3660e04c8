import Foundation
import Jobs
import Messages
import Testing

@testable import Registration

@Suite struct URLTemplateTests {
  private func url(_ template: String, _ value: String?) throws -> String {
    let document = TestBackend.document(
      metadata: value.map { ["x": $0] } ?? [:], captures: value.map { ["case": $0] } ?? [:])
    return try URLTemplate(template, captures: ["case"]).url(of: document, host: "h")
  }

  @Test(
    arguments: [
      ("https://h/d/{metadata.x}/end", "../../etc", "https://h/d/..%2F..%2Fetc/end"),
      ("https://h/d/{metadata.x}/end", "..", "https://h/d/%252E%252E/end"),
      ("https://h/d/{case}", ".", "https://h/d/%252E"),
      ("https://h/d/.{metadata.x}?a", ".", "https://h/d/%252E%252E?a"),
      ("https://h/d/{metadata.x}", "a?b#c%d@e:f\\g", "https://h/d/a%3Fb%23c%25d%40e%3Af%5Cg"),
      ("https://h/d/{metadata.x}", "\r\nHost: x\0", "https://h/d/%0D%0AHost%3A%20x%00"),
      ("https://h/d/{metadata.x}", "//evil.example/", "https://h/d/%2F%2Fevil.example%2F"),
      ("https://h/{metadata.x}@b", "ü", "https://h/%C3%BC@b"),
      ("https://h/d?x={metadata.x}&y=/../{metadata.x}#", "..", "https://h/d?x=..&y=/../..#"),
      ("https://h?x={metadata.x}&y={metadata.x}", "a&y=?", "https://h?x=a%26y%3D%3F&y=a%26y%3D%3F"),
      ("https://h/a//./b/?x={metadata.x}", "", "https://h/a//./b/?x="),
      ("https://h/{metadata.x}/a", "", nil), ("https://h/{version}{case}?a={name}", nil, nil),
      ("https://h/{stem}{metadata.x}.{ext}?{sha256}{host}{yyyy}", nil, "https://h/scan%201.pdf?44ceh1970"),
    ] as [(String, String?, String?)])
  func valuesStayInTheirPlace(template: String, value: String?, expected: String?) throws {
    guard let expected else {
      // An empty segment.
      #expect(throws: Failure(.rejected, .urlLacksValue(url: String(template.prefix { $0 != "?" })))) {
        try url(template, value)
      }
      return
    }
    #expect(try url(template, value) == expected && URL(string: expected)?.host() == "h")
  }
}
