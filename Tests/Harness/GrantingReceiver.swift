import ChildProcesses
import Foundation
import Testing

/// `docs/examples/receivers/granting.py` as a process: a backend that grants uploads to a storage with its own key.
struct GrantingReceiver {
  private let child: ChildProcess
  private let url: String
  private let token: String

  /// Starts one and waits until it listens; a file of more than 5 MiB goes in parts.
  init(for storage: StorageSetup, in folder: URL) async throws {
    let port = Ports.free()
    url = "http://127.0.0.1:\(port)/documents"
    token = folder.appending(path: "token").path
    let key = folder.appending(path: "granting.key").path
    try "granting-token\n".write(toFile: token, atomically: true, encoding: .utf8)
    try "\(storage.accessKey)\n\(storage.secretKey)\n".write(toFile: key, atomically: true, encoding: .utf8)
    child = try ChildProcess(
      [try await Products.python.value, Products.source("docs/examples/receivers/granting.py")],
      environment: [
        "RECEIVER_PORT": String(port), "RECEIVER_DATABASE": folder.appending(path: "documents.sqlite").path,
        "RECEIVER_TOKEN_FILE": token, "GRANT_ENDPOINT": storage.endpoint, "GRANT_REGION": storage.region,
        "GRANT_BUCKET": storage.bucket, "GRANT_KEY_FILE": key, "GRANT_PART": String(5 << 20),
        "PYTHONDONTWRITEBYTECODE": "1",
      ], folder: folder, log: "granting")
    try await until("the granting receiver to listen") { [child, url] in
      guard try child.ending() == nil else { throw Missing("it ended at its start: \(child.errorText)") }
      return try await HTTPAnswer.call("POST", url, body: "{}").status == 401
    }
  }

  func adjust(_ setup: inout DaemonSetup) {
    (setup.isGranted, setup.backend) = (true, url)
    setup.backendLines = ["token = { file = \"\(token)\" }"]
  }

  func cut() { child.cut() }
}

extension Rig {
  /// Drops a file whose upload to a storage that receiver grants, and sees that the storage has it and that it is registered.
  func expectGranted(_ size: Int, to storage: StorageSetup) async throws {
    let receiver = try await GrantingReceiver(for: storage, in: folder)
    defer { receiver.cut() }
    var setup = setup
    receiver.adjust(&setup)
    try setup.write()
    try await daemon.start()
    let data = try Bytes.random(size)
    let name = "größe 1+2.pdf"
    try drop(name, data)
    let job = try await daemon.job(named: name, in: "registered")
    let key = "\(job.id.string ?? "")/\(name)"
    let link = "\(storage.endpoint)/\(storage.bucket)/\(percentEncoded(key, keeping: "/"))"
    #expect(job.link.string == link && job.receipts.register.status == 201, "\(job)")
    #expect(try await S3Reader(storage: storage).object(key) == data)
    try await until("the file to be gone") { try filesLeft() == [] }
  }
}
