import ChildProcesses
import LoopbackPeer
import Testing

@testable import Harness

/// A backend with an API of its own: a URL for each document, a shape of the body, and answers that tell their success by their content.
@Suite(.slot)
struct RequestShapeTests {
  @Test func requestsFitOwnAPI() async throws {
    let peer = try LoopbackPeer { request in
      if request.target.hasPrefix("/form") { return .answer(200, ["Content-Type": "text/html"], "OK\n") }
      let errors = request.target.contains("unknown") ? #"[{"message":"no such case"}]"# : "[]"
      return .answer(200, ["Content-Type": "application/json"], #"{"status":"ok","errors":\#(errors)}"#)
    }
    try await withRig({
      $0.backend = peer.url + "/documents/{id}?name={name}"
      $0.backendLines = [
        "method = \"PUT\"", "success = { json = { status = \"ok\", errors = [] } }",
        "fields = { file = { name = \"{name}\", size = \"{size}\" }, tags = [\"{spool}\", 2, true, \"{null}\"] }",
      ]
      $0.storageLines = [
        "headers = { Content-Disposition = 'attachment; filename=\"{name}\"; filename*={name:header}' }"
      ]
    }) { rig in
      let name = "ü  \"1\"&.pdf"
      let job = try await rig.drop(name, until: "registered")
      let put = try #require(peer.requests.first)
      let encoded = "%C3%BC%20%20%221%22%26.pdf"
      #expect("\(put.method) \(put.target)" == "PUT /documents/\(job.id.string ?? "")?name=\(encoded)")
      #expect(
        try JSONValue(parsing: String(decoding: put.body, as: UTF8.self)) == [
          "file": ["name": .string(name), "size": "11"], "tags": ["documents", 2, true, .null],
        ])
      // The sandbox has checked the signature of the header, in which one blank is left of two.
      let object = try #require(try await rig.sandbox.objects()[job.key.string ?? ""])
      #expect(
        object.headers["content-disposition"].string
          == #"attachment; filename="_ \"1\"&.pdf"; filename*=UTF-8''"# + encoded, "\(object)")

      let asked = try await rig.drop("unknown.pdf", until: "awaiting-confirmation")
      #expect(asked.error.message == "HTTP 200, but errors is not empty: no such case")

      try await rig.reload {
        $0.backend = peer.url + "/form?job={job}"
        $0.backendLines = ["format = \"form\"", "success = { text = \"OK\" }"]
      }
      let third = try await rig.drop("third.pdf", until: "registered")
      let post = try #require(peer.requests.last)
      #expect("\(post.method) \(post.target)" == "POST /form?job=3")
      #expect(post["Content-Type"] == "application/x-www-form-urlencoded")
      let body = String(decoding: post.body, as: UTF8.self)
      #expect(body.hasPrefix("id=\(third.id.string ?? "")&job=3&link=s3%3A%2F%2Fdocuments%2F"), "\(body)")
    }
  }
}
