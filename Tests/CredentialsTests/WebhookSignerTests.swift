import HTTPTransfer
import Jobs
import Testing

@testable import Credentials

@Suite struct WebhookSignerTests {
  /// The vector of the specification's own libraries: secret, id, time and payload of their tests "sign function works".
  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  private static let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

  private func headers(_ secret: String) throws -> [String: String] {
    let headers = try WebhookSigner(secret: secret).headers(
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek", time: Timestamp(seconds: 1_614_265_330) + .milliseconds(999),
      body: Array(#"{"test": 2432232314}"#.utf8))
    return Dictionary(uniqueKeysWithValues: headers.map { ($0.name, $0.value) })
  }

  @Test(arguments: [secret, "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])
  func matchesPublishedVector(secret: String) throws {
    #expect(
      try headers(secret) == [
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
        "webhook-signature": Self.signature,
      ])
  }

  @Test func bothSecretsSignDuringRotation() throws {
    let both = try headers("whsec_c2VjcmV0IG51bWJlciB0d28= " + Self.secret)["webhook-signature"] ?? ""
    let parts = both.split(separator: " ")
    #expect(parts.count == 2 && parts.last == Self.signature[...] && parts.first?.hasPrefix("v1,") == true)
  }

  @Test(arguments: ["", " ", "whsec_", "whsec_%%%", "secret with words"])
  func refusesInvalidSecrets(text: String) {
    #expect(throws: KeyFault.self) { try WebhookSigner(secret: text) }
  }
}
