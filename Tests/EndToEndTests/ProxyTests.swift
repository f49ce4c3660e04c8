import ChildProcesses
import Foundation
import LoopbackPeer
import Testing

@testable import Harness

/// Servers that are reached only by a proxy, named by the usual variables.
@Suite(.slot)
struct ProxyTests {
  @Test(arguments: [false, true]) func allButMetadataGoesThroughProxy(inContainer: Bool) async throws {
    let storage = KeepingStorage()
    let proxy = try LoopbackPeer {
      $0.target.hasPrefix("http://backend.invalid/") ? .answer(201, [:], "") : storage.reply($0)
    }
    let metadata = try LoopbackPeer { request in
      if request.method == "PUT" { return .answer(200, [:], "session") }
      return request.target.hasSuffix("/the-role")
        ? .answer(200, [:], #"{"Code":"Success","AccessKeyId":"A","SecretAccessKey":"s","Token":"t"}"#)
        : .answer(200, [:], "the-role")
    }
    try await withRig(environment: [
      "no_proxy": "elsewhere.invalid", "http_proxy": proxy.url.replacing("://", with: "://user:s3cret@"),
      (inContainer ? "AWS_CONTAINER_CREDENTIALS_FULL_URI" : "AWS_EC2_METADATA_SERVICE_ENDPOINT"):
        metadata.url + (inContainer ? "/the-role" : ""),
      "AWS_CONFIG_FILE": "/nonexistent/config", "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent/credentials",
    ]) { setup in
      setup.storage.endpoint = "http://storage.invalid:9000"
      setup.keyLines = ["access_key = { aws = \"default\" }"]
      setup.backend = "http://backend.invalid/register"
    } _: { rig in
      try await rig.drop("a.pdf", until: "registered")
      #expect(metadata.requests.map(\.method) == (inContainer ? ["GET"] : ["PUT", "GET", "GET"]))
      #expect(proxy.requests.map(\.method) == ["PUT", "HEAD", "POST"])
      #expect(proxy.requests.allSatisfy { $0["Proxy-Authorization"] != nil })
      #expect(proxy.requests.dropLast().allSatisfy { $0["x-amz-security-token"] == "t" })
      let shown = try await rig.daemon.waybill("status", "--long").output
      for text in [shown, try await rig.daemon.control("GET", "/v1/credentials").body] {
        #expect(!text.contains("s3cret"), "\(text)")
      }
    }
  }

  /// libcurl's own words about such a proxy have its password.
  @Test(arguments: ["http://user:s3cret@127.0.0.1:99999", "ftp://user:s3cret@127.0.0.1:1"])
  func unusableProxyErrorHidesPassword(proxy: String) async throws {
    try await withRig(environment: ["no_proxy": "elsewhere.invalid", "http_proxy": proxy]) {
      $0.storage.endpoint = "http://storage.invalid:9000"
    } _: { rig in
      let job = try await rig.drop("a.pdf", until: "awaiting-network")
      #expect(try job.error.message.string != nil && !"\(job) \(rig.daemon.errorText)".contains("s3cret"), "\(job)")
    }
  }
}
