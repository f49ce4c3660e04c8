import ChildProcesses
import Credentials
import HTTPTransfer
import Jobs
import LoopbackPeer
import Settings
import Messages
import Synchronization
import Testing

@testable import Registration

@Suite(.slot) struct RegisterTests {
  private let id = TestBackend.id
  private let body = Array(#"{"id":"x"}"#.utf8)

  @Test func requestMatchesContract() async throws {
    let peer = try LoopbackPeer { _ in .answer(201) }
    let backend = try TestBackend.make(
      peer.url + "/documents?tenant=a%20b", headers: ["X-Source": "scanner-3", "idempotency-key": "never"],
      secretHeaders: ["X-Api-Key": "s3cret"])
    _ = try await backend.register(id: id, body: body).get()
    let request = try #require(peer.requests.first)
    #expect(request.method == "POST")
    #expect(request.target == "/documents?tenant=a%20b")
    #expect(request.body == body)
    #expect(
      Dictionary(uniqueKeysWithValues: request.headers.map { ($0[0].lowercased(), $0[1]) }) == [
        "host": "127.0.0.1:\(peer.port)", "content-length": "10", "content-type": "application/json",
        "accept-encoding": "identity",
        "idempotency-key": "\"01939f5c-7b1a-7c3d-9e4f-0123456789ab\"", "user-agent": "waybill/1.2.3",
        "authorization": "Bearer t0ken", "x-source": "scanner-3", "x-api-key": "s3cret",
        "traceparent": id.traceparent(at: TestBackend.time),
      ])
    // The trace is the job's own, also if the registration has another id; a configured one takes its place.
    let other = JobID(high: 0x0193_9F5C_7B1A_7C3E, low: 0x9E4F_0123_4567_89AB)
    var document = TestBackend.document()
    document.id = other
    _ = try await backend.register(document, body: body).get()
    _ = try await TestBackend.make(peer.url, headers: ["Traceparent": "mine"]).register(id: id, body: body).get()
    let traces = peer.requests.dropFirst().map { $0["traceparent"] }
    #expect(traces == [id.traceparent(at: TestBackend.time), "mine"])
  }

  @Test func grantIsAskedForLikeARegistration() async throws {
    let peer = try LoopbackPeer { request in
      switch request.target {
      case "/uploads": .answer(201, [:], #"{"url":"x"}"#)
      case "/page": .answer(200, ["Content-Type": "text/html"], "<html></html>")
      default: .answer(401)
      }
    }
    let backend = try TestBackend.make(peer.url, method: .put)
    #expect(try await backend.grant(id: id, body: body, at: peer.url + "/uploads") == Array(#"{"url":"x"}"#.utf8))
    let request = try #require(peer.requests.first)
    #expect(request.method == "POST" && request.body == body && request["Authorization"] == "Bearer t0ken")
    #expect(request["Idempotency-Key"] == "\"\(id)\"")
    for (path, kind) in [("/page", Failure.Kind.destination), ("/", .credentials)] {
      let failure = await #expect(throws: Failure.self) {
        try await backend.grant(id: id, body: body, at: peer.url + path)
      }
      #expect(failure?.kind == kind && failure?.grantor == .backend(backend.settings.name))
    }
  }

  /// 10,000 URLs of parts, each with the token of temporary keys.
  @Test func grantHasRoomForAllParts() async throws {
    let urls = String(repeating: "u", count: 20 << 20)
    let peer = try LoopbackPeer { _ in .answer(200, [:], urls) }
    let answer = try await TestBackend.make(peer.url).grant(id: id, body: body, at: peer.url)
    #expect(answer.count == urls.utf8.count)
  }

  @Test(arguments: [#"{"verified": true}"#, #"{"verified": false}"#, "{}", ""])
  func unprovenUploadNeedsBackendsWord(answer: String) async throws {
    let peer = try LoopbackPeer { _ in .answer(201, [:], answer) }
    let backend = try TestBackend.make(peer.url)
    let asking = Array(#"{"verify":true,"id":"x"}"#.utf8)
    let quoting = Array(#"{"metadata":{"a":"\"verify\":true"}}"#.utf8)
    for body in [body, quoting] { _ = try await backend.register(id: id, body: body, mayVerify: true).get() }
    _ = try await backend.register(id: id, body: asking).get()
    let end = await backend.register(id: id, body: asking, mayVerify: true)
    guard answer != #"{"verified": true}"# else { return _ = try end.get() }
    let failure = try end.requireFailed()
    #expect(failure.kind == .rejected && failure.mayHaveActed)
    #expect(failure.words.hasSuffix(": the backend does not say that the upload is there"))
  }

  @Test func methodTypeAndTokenAreConfigurable() async throws {
    let peer = try LoopbackPeer { _ in .answer(204) }
    let backend = try TestBackend.make(
      peer.url, method: .put, headers: ["content-type": "application/vnd.x+json"], token: nil)
    _ = try await backend.register(id: id, body: body).get()
    let request = try #require(peer.requests.first)
    #expect(request.method == "PUT")
    #expect(request["Content-Type"] == "application/vnd.x+json")
    #expect(request["Authorization"] == nil)
  }

  @Test func cloudEventContentTypeSurvivesReload() async throws {
    let peer = try LoopbackPeer { _ in .answer(201) }
    let event = Array(#"{"specversion":"1.0","id":"x"}"#.utf8)
    _ = try await TestBackend.make(peer.url, format: .cloudEvents).register(id: id, body: event).get()
    _ = try await TestBackend.make(peer.url).register(id: id, body: event).get()
    _ = try await TestBackend.make(peer.url, format: .cloudEvents).register(id: id, body: body).get()
    #expect(
      peer.requests.map { $0["Content-Type"] } == [
        "application/cloudevents+json; charset=UTF-8", "application/cloudevents+json; charset=UTF-8",
        "application/json",
      ])
  }

  @Test func urlAndFormFollowConfiguration() async throws {
    let peer = try LoopbackPeer { _ in .answer(201) }
    let backend = try TestBackend.make(peer.url + "/documents/{id}?name={name}", method: .put, format: .form)
    let document = TestBackend.document(name: FileName("a/&.pdf"))
    _ = try await backend.register(document, body: backend.body(of: document)).get()
    _ = try await backend.reach()
    #expect(
      peer.requests.map { "\($0.method) \($0.target) \($0["Content-Type"] ?? "-")" } == [
        "PUT /documents/\(id)?name=a%2F%26.pdf application/x-www-form-urlencoded",
        "OPTIONS /documents/waybill?name=waybill -",
      ])
    let failure = try await TestBackend.make(peer.url + "/{metadata.case}/").register(document, body: body)
      .requireFailed()
    #expect(failure.kind == .rejected && failure.status == nil && peer.requests.count == 2)
    #expect(failure.words == "this file leaves a segment of the path in \(peer.url)/{metadata.case}/ empty")
  }

  @Test func signsAttemptsPerStandardWebhooks() async throws {
    let peer = try LoopbackPeer { _ in .answer(201) }
    let backend = try TestBackend.make(peer.url, signing: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    _ = try await backend.register(id: id, body: body).get()
    let request = try #require(peer.requests.first)
    #expect(request["webhook-id"] == "\(id)")
    #expect(request["webhook-timestamp"] == String(TestBackend.time.microseconds / 1_000_000))
    let signer = try WebhookSigner(secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    let expected = signer.headers(id: "\(id)", time: TestBackend.time, body: body)
    #expect(request["webhook-signature"] == expected.last?.value)
  }

  @Test func invalidSigningSecretSendsNothing() async throws {
    let peer = try LoopbackPeer { _ in .answer(200) }
    let failure = try await TestBackend.make(peer.url, signing: "not base64!").register(id: id, body: body)
      .requireFailed()
    #expect(failure.kind == .credentials)
    #expect(failure.words.contains("signing secret is not base64") && !failure.words.contains("not base64!"))
    #expect(peer.requests.isEmpty)
  }

  @Test(arguments: [200, 201, 202, 204]) func receiptKeepsAny2xxResponse(_ status: Int) async throws {
    let peer = try LoopbackPeer { _ in
      status == 204 ? .answer(204) : .answer(status, ["Location": "/documents/7"], "{\"no\":7}")
    }
    let receipt = try await TestBackend.make(peer.url).register(id: id, body: body).get()
    #expect(
      receipt
        == RegistrationReceipt(
          status: status, location: status == 204 ? nil : "/documents/7", body: status == 204 ? "" : "{\"no\":7}",
          registeredAt: TestBackend.time))
  }

  @Test func truncatesResponseTo64KiB() async throws {
    let peer = try LoopbackPeer { _ in .answer(200, [:], String(repeating: "x", count: 100_000)) }
    let receipt = try await TestBackend.make(peer.url).register(id: id, body: body).get()
    #expect(receipt.body.utf8.count == 65_536)
  }

  @Test(arguments: [
    (422, Failure.Kind.rejected, "HTTP 422: invoice number is taken"),
    (404, .destination, "HTTP 404: invoice number is taken"),
    (302, .destination, "HTTP 302 (Found): redirects are not followed: Location https://login.example.com/?…"),
  ]) func reportsBackendMessage(_ status: Int, _ kind: Failure.Kind, _ words: String) async throws {
    let headers = ["Content-Type": "application/json", "Location": "https://login.example.com/?next=x"]
    let peer = try LoopbackPeer { _ in .answer(status, headers, #"{"error":"invoice number is taken"}"#) }
    let failure = try await TestBackend.make(peer.url).register(id: id, body: body).requireFailed()
    #expect(failure.kind == kind && failure.status == status && failure.words == words)
    #expect(peer.requests.count == 1)  // no redirect is followed
  }

  @Test func conflictCanCountAsRegistered() async throws {
    let peer = try LoopbackPeer { _ in .answer(409, ["Location": "/documents/7"], "there") }
    let receipt = try await TestBackend.make(peer.url, conflict: .registered).register(id: id, body: body).get()
    #expect(receipt.status == 409)
    #expect(receipt.location == "/documents/7")
    #expect(receipt.body == "there")
  }

  @Test(arguments: [BackendSettings.Conflict.ask, .registered])
  func conflictWithRetryAfterIsPending(_ conflict: BackendSettings.Conflict) async throws {
    let peer = try LoopbackPeer { _ in .answer(409, ["Retry-After": "3"]) }
    let failure = try await TestBackend.make(peer.url, conflict: conflict).register(id: id, body: body).requireFailed()
    #expect(failure.kind == .conflict)
    #expect(failure.retryAfter == .seconds(3))
  }

  /// A portal's page, and waits that cannot be understood, as in RFC 9110's obsolete dates.
  @Test(arguments: [
    ["Content-Type": "text/html"], ["Retry-After": "-1"], ["Retry-After": "2.5"],
    ["Retry-After": "Sunday, 06-Nov-94 08:49:37 GMT"],
  ]) func otherConflictIsNotRegistered(_ headers: [String: String]) async throws {
    let peer = try LoopbackPeer { _ in .answer(409, headers, headers["Content-Type"] == nil ? "there" : "<p>there") }
    let failure = try await TestBackend.make(peer.url, conflict: .registered).register(id: id, body: body)
      .requireFailed()
    #expect(failure.kind == .conflict && failure.retryAfter == nil)
  }

  @Test func unreadableTokenSendsNothing() async throws {
    let peer = try LoopbackPeer { _ in .answer(200) }
    let error = CredentialError(source: .credential("token"), words: .text("systemd credential token is empty"))
    let failure = try await TestBackend.make(peer.url, unreadable: error).register(id: id, body: body).requireFailed()
    #expect(failure.kind == .credentials)
    #expect(failure.words == "systemd credential token is empty (read at start: restart waybill after changing it)")
    #expect(peer.requests.isEmpty)
  }

  @Test func refusedStaticTokenAdvisesRestart() async throws {
    let peer = try LoopbackPeer { $0["Authorization"] == nil ? .answer(200) : .answer(401, [:], "") }
    let backend = try TestBackend.make(peer.url, tokenNote: "(read at start: restart waybill after changing it)")
    let failure = try await backend.register(id: id, body: body).requireFailed()
    #expect(
      failure.words == "HTTP 401 (Unauthorized) (read at start: restart waybill after changing it)")
  }

  /// All pairs of answers to the first and the second token: only a second 401 counts, and nothing is sent a third time.
  @Test(arguments: [401, 201, 503, 403, 400], [401, 201, 503, 403, 422])
  func replacesRefusedTokenOnce(_ first: Int, _ second: Int) async throws {
    let peer = try LoopbackPeer { .answer($0["Authorization"] == "Bearer old" ? first : second) }
    let token = Mutex("old")
    let refused = Mutex<[String]>([])
    let backend = try TestBackend.make(
      peer.url, currentToken: { token.withLock(\.self) },
      otherToken: { old in
        refused.withLock { $0.append(old.text) }
        token.withLock { $0 = "new" }
        return true
      })
    let result = await backend.register(id: id, body: body)
    let isReplaced = first == 401
    #expect(refused.withLock(\.self) == (isReplaced ? ["old"] : []))
    #expect(peer.requests.map { $0["Authorization"] } == (isReplaced ? ["Bearer old", "Bearer new"] : ["Bearer old"]))
    #expect(Set(peer.requests.map(\.body)).count == 1 && Set(peer.requests.map { $0["Idempotency-Key"] }).count == 1)
    let last = isReplaced ? second : first
    if last == 201 {
      #expect(try result.get().status == 201)
    } else {
      #expect(try result.requireFailed().status == last)
    }
  }

  @Test func cancellationCutsRequest() async throws {
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    let peer = try LoopbackPeer { _ in
      arrived.yield()
      return .hold
    }
    let backend = try TestBackend.make(peer.url)
    let registration = Task { await backend.register(id: id, body: body) }
    for await _ in arrivals { break }
    registration.cancel()
    #expect(await registration.value == .failure(.cut))
  }
}
