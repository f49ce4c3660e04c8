import ChildProcesses
import FoundationEssentials
import HTTPTransfer
import Jobs
import LoopbackPeer
import Settings
import Testing

@testable import Registration

/// A backend says what it was sent: nothing of the secrets in it is kept or shown.
@Suite(.slot) struct EchoTests {
  private static let token = "t0ken-of-ours"
  private static let signing = "c2lnbmluZy1zZWNyZXQ="
  private static let password = "pass-word"
  /// Each beginning is one that no other word here has.
  private static let beginnings = ["t0k", "c2lnb", "pass-w", "plain-k", "head-s"]

  @Test(
    arguments: [
      "text/plain", "application/json", "text/html", "application/xml",
    ], [201, 202, 301, 400, 401, 409, 422, 500, 503])
  func keepsNoEchoedSecrets(_ type: String, _ status: Int) async throws {
    let basic = "Basic " + Data("user:\(Self.password)".utf8).base64EncodedString()
    let said = "\(Self.token) whsec_\(Self.signing) \(basic) \(Self.password) plain-key head-secret"
    let places = [0, 280, 295, 1990, 2040, Backend.bodyLimit - said.utf8.count / 2]
    let bodies = places.flatMap { place in
      let far = String(repeating: "-", count: place)
      return [
        "\(far)\(said)", "{\"error\":\"\(far)\(said)\"}", "{\"ok\":false,\"message\":\"\(far)\(said)\"}",
        "<html><title>\(far)\(said)</title>", "<a><message>\(far)\(said)</message></a>",
      ]
    }
    let peer = try LoopbackPeer { request in
      let index = Int(request["X-Body"] ?? "") ?? 0
      return .answer(status, ["Content-Type": type, "Location": "/\(said)?a"], bodies[index])
    }
    for (index, _) in bodies.enumerated() {
      let backend = try TestBackend.make(
        peer.url, headers: ["X-Body": "\(index)", "X-Api-Key": "plain-key"], conflict: .registered,
        success: BackendSettings.Success(members: status == 202 ? [.init(["ok"])] : []), token: Self.token,
        secretHeaders: ["X-Basic": basic, "X-Other": "head-secret"], signing: "whsec_\(Self.signing)")
      let texts: [String?] =
        switch await backend.register(id: TestBackend.id, body: Array("{}".utf8)) {
        case .success(let receipt): [receipt.body, receipt.location]
        case .failure(.failed(let failure)): [failure.words, failure.code, failure.answer]
        case .failure(.cut): []
        }
      for text in texts.compactMap(\.self) {
        for beginning in Self.beginnings where text.contains(beginning) {
          Issue.record("\(beginning) is in …\(text.suffix(200))")
        }
      }
    }
  }
}
