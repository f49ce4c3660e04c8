import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Storages of all kinds to which a backend grants uploads.
@Suite(.slot)
struct GrantedStorageTests {
  private static let sizes = [1000, (11 << 20) + 5]

  @Test(.needs(.moto), arguments: sizes) func motoTakesGrantedUpload(size: Int) async throws {
    try await withMoto { moto in
      let storage = StorageSetup(endpoint: moto.address, bucket: "granted", accessKey: "a", secretKey: "s")
      try await S3Reader(storage: storage).makeBucket()
      try await withRig(starting: false) { rig in try await rig.expectGranted(size, to: storage) }
    }
  }

  @Test(.needs(.ceph), arguments: sizes) func cephTakesGrantedUpload(size: Int) async throws {
    try await withCeph { ceph in
      try await withRig(starting: false) { rig in try await rig.expectGranted(size, to: ceph.storage) }
    }
  }

  /// What proves an upload to nginx, whose answer to a PUT has no ETag.
  enum Proof: CaseIterable {
    /// HEAD of the file.
    case head
    /// The backend's word.
    case word
    /// HEAD of a place that takes what it does not keep.
    case headOfNothing
  }

  @Test(.needs(.nginx), arguments: Proof.allCases) func nginxTakesGrantedUpload(proof: Proof) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let lines = """
      location /dav/ { alias \(folder.url.path)/; dav_methods PUT; create_full_put_path on; }
      location /nothing/ { if ($request_method = PUT) { return 201; } return 404; }
      client_max_body_size 0;
      """
    let nginx = try await NginxProxy(serving: lines, in: folder.url)
    defer { nginx.cut() }
    let url = "http://127.0.0.1:\(nginx.port)/\(proof == .headOfNothing ? "nothing" : "dav")/new/a.pdf"
    var grant: JSONValue = ["url": .string(url), "locator": .string(url)]
    if proof != .word { grant = ["url": .string(url), "locator": .string(url), "head_url": .string(url)] }
    let word: JSONValue = ["status": 201, "body": "{\"verified\": true}"]
    let granted: JSONValue = ["status": 200, "body": .string(grant.description)]
    try await withRig(faults: proof == .word ? ["grant": granted, "register": word] : ["grant": granted]) {
      $0.isGranted = true
    } _: { rig in
      let data = try Bytes.random(100_000)
      try rig.drop("a.pdf", data)
      guard proof != .headOfNothing else {
        let job = try await rig.daemon.job(named: "a.pdf", in: "awaiting-confirmation")
        #expect(job.existingPath != nil, "\(job)")
        return
      }
      let job = try await rig.daemon.job(named: "a.pdf", in: "registered")
      #expect(job.link.string == url)
      #expect(FileManager.default.contents(atPath: folder.file("new/a.pdf")) == data)
      if proof == .head { #expect(try !rig.sandbox.registrations()[0].body.has("verify")) }
    }
  }

  /// Starts the model of Azure, whose grants are good for so many seconds in turn, and a daemon with it as its backend.
  private func withAzure(_ words: [String], _ body: (Rig, () async throws -> JSONValue) async throws -> Void)
    async throws
  {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let port = Ports.free()
    let model = try ChildProcess(
      [try await Products.python.value, Products.support("azure-model.py"), String(port)] + words, folder: folder.url,
      log: "azure")
    defer { model.cut() }
    let url = "http://127.0.0.1:\(port)"
    try await until("the model to listen") { try await HTTPAnswer.call("GET", url + "/facts").status == 200 }
    try await withRig {
      ($0.isGranted, $0.backend) = (true, url + "/documents")
    } _: { rig in
      try await body(rig) { try await HTTPAnswer.call("GET", url + "/facts").json }
    }
  }

  /// The first signature has expired when the file comes.
  @Test func azureTakesSecondGrant() async throws {
    try await withAzure(["-60", "3600"]) { rig, facts in
      let data = try Bytes.random(100_000)
      try rig.drop("größe 1+2.pdf", data)
      let job = try await rig.daemon.job(named: "größe 1+2.pdf", in: "registered")
      let facts = try await facts()
      #expect(facts.grants == 2 && facts.puts == [403, 201], "\(facts)")
      #expect(facts.blobs["/container/\(job.key.string ?? "")"].string == (try await Bytes.sha256(data)), "\(facts)")
      #expect(facts.registered.array.map(\.id) == [job.id])
      #expect(job.attempts.array.map(\.outcome) == ["succeeded", "succeeded"], "\(job.attempts)")
    }
  }

  /// Grants that Azure refuses, with its own words in the question, and without the signature.
  @Test(arguments: [(["-60"], "AuthenticationFailed", 2), (["--without-type", "60"], "MissingRequiredHeader", 1)])
  func azureRefusesWrongGrant(words: [String], code: String, grants: Int) async throws {
    try await withAzure(words) { rig, facts in
      let job = try await rig.drop("a.pdf", until: "awaiting-confirmation")
      #expect(job.step == "upload" && job.error.code.string == code, "\(job)")
      #expect(try await facts().grants.int == grants)
      #expect(!job.description.contains("sig="), "\(job)")
    }
  }
}
