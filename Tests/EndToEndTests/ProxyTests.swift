import ChildProcesses
import Foundation
import LoopbackPeer
import Testing

@testable import Harness

/// Far sides that are reached only by a proxy, named by the usual variables.
@Suite(.slot)
struct ProxyTests {
  @Test func uploadsGoByTheProxyAndWhatNoProxyNamesDoesNot() async throws {
    let storage = KeepingStorage()
    let proxy = try LoopbackPeer { storage.reply($0) }
    try await withRig(environment: ["http_proxy": proxy.url, "no_proxy": "127.0.0.1"]) { setup in
      // no name server knows it; the proxy does
      setup.storage.endpoint = "http://storage.invalid:9000"
    } _: { rig in
      let job = try await rig.drop("a.pdf", until: "registered")
      let request = try #require(proxy.requests.first)
      #expect(
        request.target == "http://storage.invalid:9000/documents/\(job.id.string ?? "")/a.pdf", "\(request.target)")
      #expect(request["Host"] == "storage.invalid:9000", "what was signed is the storage's, not the proxy's")
      #expect(proxy.requests.map(\.method) == ["PUT", "HEAD"], "the registration goes past it")
      #expect(try await rig.sandbox.count("register") == 1)
    }
  }

  @Test func aProxyThatDoesNotAnswerIsTheNetworks() async throws {
    let proxy = try LoopbackPeer(isListening: false) { _ in .cut }
    try await withRig(environment: ["http_proxy": proxy.url, "no_proxy": "127.0.0.1"]) { setup in
      setup.storage.endpoint = "http://storage.invalid:9000"
    } _: { rig in
      let job = try await rig.drop("a.pdf", until: "awaiting-network")
      #expect(job.error.kind == "network")
    }
  }
}
