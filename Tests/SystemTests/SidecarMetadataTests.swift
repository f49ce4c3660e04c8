import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The metadata of an object, as a client that nobody here wrote reads them.
@Suite(.slot) struct SidecarMetadataTests {
  @Test(.needs(.awscli, .s3Server))
  func sidecarReachesObjectAndRegistration() async throws {
    try await withRig({
      $0.storage = try RealS3.storage()
      $0.spoolLines += ["sidecar = \"{name}.json\""]
      $0.backendLines = ["fields = { about = \"{sidecar}\", case = \"{metadata.case}\", name = \"{name}\" }"]
    }) { rig in
      let text = #"{"case": "Größe 881", "pages": 12, "color": true, "parts": [1], "note": "of the sidecar"}"#
      try rig.drop("a.pdf.json", Data(text.utf8))
      try await rig.drop([
        .init(name: Array("a.pdf".utf8), data: [1], attributes: ["user.waybill.note": Array("of the file".utf8)])
      ])
      let job = try await rig.daemon.job(named: "a.pdf", in: "registered")
      let metadata: JSONValue = ["case": "Größe 881", "pages": "12", "color": "true", "note": "of the file"]
      #expect(job.metadata == metadata)
      #expect(job.sidecar == "a.pdf.json")
      let body = try #require(try rig.sandbox.registrations().first).body
      #expect(body == ["about": .string(text), "case": "Größe 881", "name": "a.pdf"])
      let key = Array((job.key.string ?? "").utf8)
      let object = try #require(try await AWSReader(storage: rig.setup.storage).read([key]).objects[0])
      #expect(object.metadata["pages"] == "12" && object.metadata["note"] == "of the file")
      try await until("both files to be gone") { rig.filesInSpool().isEmpty }
    }
  }
}
