import Credentials
import HTTPTransfer
import Jobs
import Registration
import Settings
import Simulation
import Testing

/// The registration stage of the product against the model of a backend.
@Suite struct ModelBackendTests {
  private static func backend(_ peer: ModelPeer, token: String? = "token") throws -> Backend {
    try Backend(
      BackendSettings(name: "main", url: peer.url + "/documents"),
      .init(
        transport: try Transport(maxConnections: 2), now: { ModelPeer.time }, host: "here", userAgent: "waybill/test")
    ) { () async throws(CredentialError) in Backend.Secrets(token: token.flatMap { Secret(text: $0) }) }
  }

  private static func body(_ id: JobID, name: String = "a.bin") -> [UInt8] {
    Array(
      #"{"id":"\#(id)","bucket":"documents","key":"k","name":"\#(name)","size":1,"spool":"in","files":null}"#.utf8)
  }

  private static func id(_ number: UInt64) throws -> JobID { try StageFile([1], number: number).id }

  @Test func differentBodyUnderKeyIsViolation() async throws {
    let peer = try ModelPeer(.backend(ModelBackend()))
    let backend = try Self.backend(peer)
    let id = try Self.id(1)
    _ = try await backend.register(id: id, body: Self.body(id)).get()
    guard case .failure(.failed(let failure)) = await backend.register(id: id, body: Self.body(id, name: "b")) else {
      return #expect(Bool(false), "another body was taken")
    }
    #expect(failure.status == 422)
    #expect(peer.backend?.violations.count == 1)
  }

  @Test func idDifferingFromKeyIsViolation() async throws {
    let peer = try ModelPeer(.backend(ModelBackend()))
    _ = try await Self.backend(peer).register(id: try Self.id(1), body: Self.body(try Self.id(2)))
    #expect(peer.backend?.violations.count == 1)
  }

  @Test func refusesWrongToken() async throws {
    let peer = try ModelPeer(.backend(ModelBackend(tokens: ["new"])))
    let id = try Self.id(1)
    guard case .failure(.failed(let failure)) = try await Self.backend(peer).register(id: id, body: Self.body(id))
    else { return #expect(Bool(false), "the token was taken") }
    #expect(failure.kind == .credentials)
    peer.change { $0.backend?.tokens = ["token"] }
    _ = try await Self.backend(peer).register(id: id, body: Self.body(id)).get()
  }
}
