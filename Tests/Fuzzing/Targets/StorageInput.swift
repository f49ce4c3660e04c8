import Credentials
import HTTPTransfer
import Jobs
import ObjectStorage
import Settings
import XML

/// Whatever a storage answers is a success or a failure in words that can be shown.
enum StorageInput {
  private static let expected: [S3Refusal.Answer] = [
    .stored(bytes: 0), .stored(bytes: 1), .shown, .slice, .nothing, .document(.parts),
    .document(.uploadBegun),
  ]

  private static let settings = StorageSettings(
    name: "main", endpoint: "http://localhost", region: "us-east-1", bucket: "documents",
    accessKey: .environment("KEY"), secretKey: .environment("SECRET"))
  private static let now = Timestamp(year: 2026, month: 11, day: 21)

  static func take(_ bytes: [UInt8]) {
    guard let response = FarAnswer.parse(bytes) else { return }
    for answer in expected {
      guard let failure = S3Refusal.failure(of: response, expecting: answer, settings, now: now) else { continue }
      promiseIsShowable(failure.words)
      promise(failure.words.count < 2000, "words that go on and on")
    }
    guard let root = XMLElement.parse(response.body) else { return }
    promise(depth(root) <= XMLElement.deepest, "XML deeper than is read")
    let text = root.text
    let again = XMLElement.parse(Array("<a>\(XMLElement.escaped(text))</a>".utf8))
    promise(again?.text == text || text.contains("\r"), "text that is escaped wrongly: \(text.debugDescription)")
  }

  private static func depth(_ element: XMLElement) -> Int { 1 + (element.children.map(depth).max() ?? 0) }
}
