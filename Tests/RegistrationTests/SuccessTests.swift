import ChildProcesses
import HTTPTransfer
import Jobs
import LoopbackPeer
import Settings
import Testing

@testable import Registration

/// Which answers of a backend count as a registration.
@Suite(.slot) struct SuccessTests {
  private func failure(
    _ status: Int, _ body: String, type: String? = "application/json", _ success: BackendSettings.Success = .init(),
    isWhole: Bool = true
  ) -> Failure? {
    let headers = type.map { [HTTPHeader("Content-Type", $0)] } ?? []
    return success.failure(
      of: HTTPResponse(
        status: status, headers: HTTPHeaders(headers), body: Array(body.utf8), bodyTruncated: !isWhole), hiding: .none)
  }

  @Test(arguments: 200..<300)
  func any2xxSucceedsUnlessHTML(_ status: Int) {
    for body in ["", "ok", "{}", "{\"ok\":false}", "<xml/>"] {
      for type in [nil, "application/json", "text/plain", "application/xml"] {
        #expect(failure(status, body, type: type) == nil, "\(status) \(body) \(type ?? "-")")
      }
    }
    for type in ["text/html", "Text/HTML;charset=utf-8", "application/xhtml+xml", nil] {
      let failure = failure(status, "<!DOCTYPE html><html></html>", type: type)
      #expect(failure?.kind == .destination && failure?.status == status, "\(type ?? "-")")
      #expect(
        failure?.words
          == "HTTP \(status) with a page of HTML (text/html): answers like a web server, not like a backend"
      )
    }
    // what many a framework says of an answer without a body
    #expect(failure(status, "", type: "text/html") == nil)
  }

  /// PHP says text/html of everything that is not given another type.
  @Test func namedMemberProvesJSONOfAnyType() {
    let success = BackendSettings.Success(member: ["ok"])
    #expect(failure(200, #"{"ok": true}"#, type: "text/html", success) == nil)
    for body in [#"{"ok": false}"#, "{}", "<html></html>"] {
      #expect(failure(200, body, type: "text/html", success)?.kind == .destination, "\(body)")
    }
  }

  @Test func rejectsUnlistedStatuses() {
    let success = BackendSettings.Success(statuses: [200, 201])
    for status in 200..<300 {
      let failure = failure(status, "", success)
      #expect((failure == nil) == (status == 200 || status == 201))
      #expect(failure == nil || failure?.kind == .rejected)
    }
    #expect(failure(202, "", success)?.words == "HTTP 202, but success.status has only 200, 201")
    #expect(
      failure(202, #"{"message":"queued"}"#, success)?.words == "HTTP 202, but success.status has only 200, 201: queued"
    )
  }

  @Test(
    arguments: [
      (#"{"ok": true}"#, nil), (#"{"ok":true,"ok2":false}"#, nil),
      (#"{"ok": false}"#, "ok is false"),
      (#"{"ok": false, "error": "number is taken"}"#, "ok is false: number is taken"),
      (#"{"ok": 1}"#, "ok is not true"), (#"{"ok": "true"}"#, "ok is not true"), (#"{"ok": null}"#, "ok is not true"),
      (#"{"ok": {}}"#, "ok is not true"), (#"{"Ok": true}"#, "its JSON has no ok"), ("{}", "its JSON has no ok"),
      ("", "it is not a JSON object with ok in it"), ("ok", "it is not a JSON object with ok in it"),
      ("true", "it is not a JSON object with ok in it"), (#"[{"ok":true}]"#, "it is not a JSON object with ok in it"),
      (#"{"ok": true"#, "it is not a JSON object with ok in it"),
      (#"{"ok": true} x"#, "it is not a JSON object with ok in it"),
    ] as [(String, String?)])
  func successMemberMustBeTrue(_ body: String, _ lack: String?) {
    let failure = failure(200, body, .init(member: ["ok"]))
    #expect(failure?.words == lack.map { "HTTP 200, but \($0)" })
    #expect(failure == nil || failure?.kind == .rejected)
  }

  @Test func successMemberMayBeNested() {
    let success = BackendSettings.Success(member: ["result", "accepted"])
    #expect(failure(200, #"{"result":{"accepted":true}}"#, success) == nil)
    #expect(failure(200, #"{"result":{"accepted":false}}"#, success)?.words == "HTTP 200, but result.accepted is false")
    for body in [#"{"result":true}"#, #"{"accepted":true}"#, #"{"result":{}}"#, #"{"result.accepted":true}"#] {
      #expect(failure(200, body, success)?.words == "HTTP 200, but its JSON has no result.accepted", "\(body)")
    }
    #expect(failure(200, #"{"result":{"accepted":true}}"#, success, isWhole: false) != nil, "it was not read whole")
    #expect(failure(200, String(repeating: "[", count: 60_000), success) != nil)
  }
}
