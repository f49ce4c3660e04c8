import ChildProcesses
import HTTPTransfer
import Jobs
import LoopbackPeer
import Settings
import Testing

@testable import Registration

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
    let success = BackendSettings.Success(members: [.init(["ok"])])
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
    let failure = failure(200, body, .init(members: [.init(["ok"])]))
    #expect(failure?.words == lack.map { "HTTP 200, but \($0)" })
    #expect(failure == nil || failure?.kind == .rejected)
  }

  @Test func successMemberMayBeNested() {
    let success = BackendSettings.Success(members: [.init(["result", "accepted"])])
    #expect(failure(200, #"{"result":{"accepted":true}}"#, success) == nil)
    #expect(failure(200, #"{"result":{"accepted":false}}"#, success)?.words == "HTTP 200, but result.accepted is false")
    for body in [#"{"result":true}"#, #"{"accepted":true}"#, #"{"result":{}}"#, #"{"result.accepted":true}"#] {
      #expect(failure(200, body, success)?.words == "HTTP 200, but its JSON has no result.accepted", "\(body)")
    }
    #expect(failure(200, #"{"result":{"accepted":true}}"#, success, isWhole: false) != nil, "it was not read whole")
    #expect(failure(200, String(repeating: "[", count: 60_000), success) != nil)
  }

  private static let errors = BackendSettings.Member(["errors"], .array([]))
  private static let status = BackendSettings.Member(["result", "status"], .text("ok"))

  @Test(
    arguments: [
      ([errors], "{}", nil), ([errors], #"{"errors": null}"#, nil), ([errors], #"{"errors": [], "data": 1}"#, nil),
      ([errors], #"{"errors": [{"message": "no such case"}]}"#, "errors is not empty: no such case"),
      ([errors], #"{"errors": false}"#, "errors is not empty"),
      ([errors], "[]", "it is not a JSON object with errors in it"),
      ([status], #"{"result": {"status": "ok"}}"#, nil),
      ([status], #"{"result": {"status": "OK"}}"#, "result.status is not ok"),
      ([status], #"{"result": []}"#, "its JSON has no result.status"),
      ([.init(["code"], .constant("0"))], #"{"code": 0.0}"#, nil),
      ([.init(["code"], .constant("0"))], #"{"code": "0"}"#, "code is not 0"),
      ([.init(["code"], .constant("1.5"))], #"{"code": 1}"#, "code is not 1.5"),
      ([.init(["dry"], .constant("false"))], #"{"dry": true}"#, "dry is not false"),
      ([errors, status], #"{"result": {"status": 1}}"#, "result.status is not ok"),
      ([errors, status], #"{"result": {"status": "ok"}}"#, nil),
    ] as [([BackendSettings.Member], String, String?)])
  func membersMustHaveTheirValues(_ members: [BackendSettings.Member], _ body: String, _ lack: String?) {
    #expect(failure(200, body, .init(members: members))?.words == lack.map { "HTTP 200, but \($0)" })
  }

  @Test func textMustBeTheAnswer() {
    let success = BackendSettings.Success(text: "OK done")
    for body in ["OK done", " OK done\r\n", "\nOK  done"] {
      for type in ["text/plain", "text/html"] { #expect(failure(200, body, type: type, success) == nil, "\(body)") }
    }
    for body in ["ok done", "OK", "OK done.", "OK, done"] {
      #expect(failure(200, body, type: "text/plain", success)?.kind == .rejected, "\(body)")
    }
    #expect(failure(200, "", type: nil, success)?.words == "HTTP 200, but its text is not OK done")
    #expect(failure(200, "<html>OK done</html>", type: "text/html", success)?.kind == .destination)
    #expect(failure(200, "OK done", type: "text/plain", success, isWhole: false) != nil, "it was not read whole")
  }
}
