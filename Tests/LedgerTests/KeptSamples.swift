import Jobs
import Testing

@testable import Ledger

extension KeptFile {
  /// A file that stays where it is; each of its facts is of no matter unless it is named.
  static func sample(
    _ name: String, inode: UInt64 = 2, size: Int64 = 3, modified: Int64 = 4, changed: Int64 = 5, epoch: String? = nil
  ) -> KeptFile {
    KeptFile(
      name: FileName(name),
      identity: FileIdentity(device: 1, inode: inode, size: size, modified: modified, changed: changed), epoch: epoch)
  }
}

extension Admission {
  static func kept(_ file: KeptFile, spool: String = "card", _ route: Route = .sample) -> Admission {
    let plain = sample("x", spool: spool)
    return Admission(id: plain.id, identity: file.identity, kept: file) { number in
      let ticket = plain.ticket(number)
      return Ticket(
        id: plain.id, spool: spool, name: file.name.last, path: file.name.path, storage: route.storage,
        backend: route.backend, bucket: route.bucket, key: "1/a", contentType: "text/plain", metadata: [:], priority: 0,
        createdAt: ticket.createdAt, parcel: .inPlace)
    }
  }
}

extension Route {
  static let sample = Route(storage: "main", bucket: "documents", backend: "main")
}

extension JobLedger {
  func beginCard() async throws {
    let source = KeptSource(path: "/media/card", epoch: nil, ledger: nil)
    _ = try await begin(source, of: "card", .sample, isConfigured: { _ in true })
  }
}

extension Job {
  static func sample(_ file: KeptFile, spool: String = "card") -> Job {
    let admission = Admission.kept(file, spool: spool)
    let number = JobNumber(rawValue: 1000)
    return Job(number: number, ticket: admission.ticket(number), identity: file.identity)
  }
}

extension StoredLink {
  static func sample(sha256: String, version: String? = nil) -> StoredLink {
    StoredLink(
      link: "l",
      receipt: UploadReceipt(
        bucket: "documents", key: "1/a", size: 3, etag: "e", version: version, sha256: sha256, checksum: nil,
        contentType: "text/plain", uploadedAt: Timestamp(seconds: 1)), body: Array("{}".utf8))
  }
}

struct KeptBox {
  static let sum = String(repeating: "0f", count: 32)

  let box: LedgerBox
  let ledger: JobLedger
  var options = SpoolOptions(name: "card", path: "/media/card")

  init(in box: LedgerBox? = nil) throws {
    self.box = try box ?? LedgerBox()
    ledger = try self.box.open()
  }

  func standing(_ file: KeptFile, spool: String = "card", _ route: Route = .sample) async throws -> KeptStanding? {
    try await ledger.standing(of: [file], in: spool, route, options: options).first
  }

  func admit(_ file: KeptFile, spool: String = "card", _ route: Route = .sample) async throws -> Job? {
    try await ledger.admit([.kept(file, spool: spool, route)], begin: 1, in: both).first
  }

  func command(_ command: JobCommand, _ job: Job) async throws {
    _ = try await ledger.carryOut(command, on: .number(job.number), by: .recovery)
  }
}
