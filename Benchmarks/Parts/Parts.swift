import Credentials
import Foundation
import Glibc
import HTTPTransfer
import Jobs
import Ledger
import Linux
import ObjectStorage
import OpenSSL
import Seams
import SystemdLink

/// What each part of a small job costs, in CPU time of this process, against its budget.
///
/// The server is a server that is running already, so that its cost is not counted: `waybill-parts URL`, where URL takes
/// any POST and answers 2xx (`waybill-sandbox` at /register). Names of parts behind it leave out the others.
@main
struct Parts {
  /// Microseconds of CPU per job. The sum leaves room below the 300 of the whole for what lies between the parts.
  static let budget = ["requests": 120, "ledger": 80, "journal": 15, "files": 40, "signing": 25, "hops": 15]
  static let jobs = 4096
  static let inFlight = 32

  static func main() async throws {
    guard CommandLine.arguments.count >= 2 else { return print("usage: waybill-parts URL [PART …]") }
    let url = CommandLine.arguments[1]
    let only = Set(CommandLine.arguments.dropFirst(2))
    let folder = FileManager.default.temporaryDirectory.path + "/waybill-parts-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let parts: [(String, () async throws -> Double)] = [
      ("requests", { try await requests(url) }), ("ledger", { try await ledger(folder) }), ("journal", journal),
      ("files", { try await files(folder) }), ("signing", { signing() }), ("hops", hops),
    ]
    var costs: [(String, Double)] = []
    for (name, measure) in parts where only.isEmpty || only.contains(name) {
      costs.append((name, try await measure()))
    }
    try FileManager.default.removeItem(atPath: folder)
    for (name, cost) in costs {
      let budget = budget[name, default: 0]
      let line = [name.padding(toLength: 10, withPad: " ", startingAt: 0), String(format: "%7.1f us", cost)]
      print(line.joined(), "  budget \(budget) us ", cost <= Double(budget) ? "ok" : "OVER")
    }
    print("sum        \(String(format: "%6.1f", costs.reduce(0) { $0 + $1.1 })) us")
  }

  /// CPU microseconds of this process per job while `work` runs.
  static func cost(_ work: () async throws -> Void) async rethrows -> Double {
    let before = cpu()
    try await work()
    return Double(cpu() - before) / Double(jobs)
  }

  static func cpu() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }

  /// Two requests a job: one with 4 KiB of body, one with 500 bytes; 32 in flight over connections that are kept.
  static func requests(_ url: String) async throws -> Double {
    let transport = try Transport()
    defer { transport.shutdown() }
    func send(_ size: Int, _ number: Int) async throws {
      let request = HTTPRequest(
        method: "POST", url: url,
        headers: [HTTPHeader("Content-Type", "application/json"), HTTPHeader("Idempotency-Key", "\"\(UUID())\"")],
        body: .bytes(
          Array("{\"n\":\(number),\"x\":\"".utf8) + [UInt8](repeating: 0x61, count: size) + Array("\"}".utf8)))
      let response = try await transport.send(request)
      guard (200..<300).contains(response.status) else { throw PartsError(words: "\(url) answered \(response.status)") }
    }
    return try await cost {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for slot in 0..<inFlight {
          group.addTask {
            for number in stride(from: slot, to: jobs, by: inFlight) {
              try await send(4096, number)
              try await send(500, number)
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// The changes of one job's way, 32 jobs at a time: admitted and begun, link, receipt, disposed of.
  static func ledger(_ folder: String) async throws -> Double {
    let now: @Sendable () -> Timestamp = { Timestamp(microseconds: Clocks.wall()) }
    let ledger = try JobLedger.open(
      directory: folder, clock: Clock(now: now, steady: now))
    let lanes = Lanes(concurrency: inFlight, destinations: [.backend("main"), .storage("main")])
    let spent = try await cost {
      for _ in 0..<(jobs / inFlight) {
        let begun = try await ledger.admit(
          (0..<inFlight).map { _ in admission() }, begin: inFlight, in: lanes)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for job in begun {
            group.addTask {
              let uploaded = try await ledger.finish(job, .uploaded(link()), thenTakeIn: lanes)
              guard let next = uploaded.next else { return }
              let done = try await ledger.finish(next, .registered(receipt()), thenTakeIn: lanes)
              if let done = done.job { ledger.disposed([done]) }
            }
          }
          try await group.waitForAll()
        }
      }
    }
    try ledger.close()
    return spent
  }

  static func admission() -> Admission {
    var random = SystemRandomNumberGenerator()
    let id = JobID.mint(at: Timestamp(microseconds: Clocks.wall()), random: &random)
    return Admission(id: id, identity: FileIdentity(device: 1, inode: 2, size: 4096, modified: 3, changed: 4)) {
      number in
      Ticket(
        id: id, spool: "documents", name: FileName("scan \(number).pdf"), storage: "main", backend: "main",
        bucket: "documents", key: "documents/2026/11/21/\(id)/scan.pdf", contentType: "application/pdf", metadata: [:],
        priority: 0, createdAt: Timestamp(microseconds: Clocks.wall()))
    }
  }

  static func link() -> StoredLink {
    StoredLink(
      link: "s3://documents/documents/2026/11/21/scan.pdf",
      receipt: UploadReceipt(
        bucket: "documents", key: "k", size: 4096, etag: "e", version: nil, sha256: String(repeating: "a", count: 64),
        checksum: nil, contentType: "application/pdf", uploadedAt: Timestamp(microseconds: Clocks.wall())),
      body: [UInt8](repeating: 0x61, count: 600))
  }

  static func receipt() -> RegistrationReceipt {
    RegistrationReceipt(
      status: 201, location: "/1", body: "{\"ok\":true}", registeredAt: Timestamp(microseconds: Clocks.wall()))
  }

  /// One entry a job, as `registered` has it; text to /dev/null where there is no journal.
  static func journal() async throws -> Double {
    let null = unsafe open("/dev/null", O_WRONLY)
    defer { close(null) }
    let writer = try JournalWriter(
      identifier: "waybill-parts", entryLimit: jobs, byteLimit: 64 << 20, standardError: null)
    return await cost {
      for number in 0..<jobs {
        var entry = JournalEntry(message: "scan.pdf uploaded and registered", priority: .info, file: nil, line: nil)
        entry.append("WAYBILL_EVENT", "registered")
        entry.append("WAYBILL_JOB", number)
        entry.append("WAYBILL_ID", "01a1fb9f-e6f8-7327-b30c-813a3bac429c")
        entry.append("WAYBILL_LINK", "s3://documents/documents/2026/11/21/scan.pdf")
        entry.append("WAYBILL_BYTES", 4096)
        writer.send(entry)
      }
      _ = await writer.flush(deadline: .now + .seconds(10))
    }
  }

  /// Rename, open, facts, read, remove; two directories synced for each 32.
  static func files(_ folder: String) async throws -> Double {
    let spool = try Directory(path: folder)
    try spool.makeDirectory(Array("claimed".utf8), permissions: 0o700)
    let claimed = try spool.directory(Array("claimed".utf8))
    let bytes = Data(repeating: 0x61, count: 4096)
    for number in 0..<jobs { try bytes.write(to: URL(fileURLWithPath: "\(folder)/f\(number)")) }
    let workers = try WorkerThreads(count: 4, name: "files")
    return try await cost {
      for start in stride(from: 0, to: jobs, by: inFlight) {
        for number in start..<(start + inFlight) {
          let name = Array("f\(number)".utf8)
          try spool.rename(name, into: claimed, as: name)
        }
        try spool.sync(.claimSpool)
        try claimed.sync(.claimPlace)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in start..<(start + inFlight) {
            group.addTask {
              let name = Array("f\(number)".utf8)
              try await workers.run {
                let file = try claimed.open(name)
                _ = try file.facts()
                _ = try file.read(at: 0, count: 4096)
                try claimed.remove(name)
              }
            }
          }
          try await group.waitForAll()
        }
      }
    }
  }

  /// SHA-256 of 4 KiB and a signature by header.
  static func signing() -> Double {
    let signer = SigV4Signer(region: "us-east-1")
    let key = SigningKey(accessKey: "KEY", secret: "secret")
    let bytes = [UInt8](repeating: 0x61, count: 4096)
    let before = cpu()
    for number in 0..<jobs {
      let hash = Hex.text(SHA256.hash(data: bytes))
      _ = signer.headers(
        method: "PUT", host: "127.0.0.1:9000", path: "/documents/\(number)",
        headers: [
          HTTPHeader("Content-Type", "application/pdf"), HTTPHeader("If-None-Match", "*"),
          HTTPHeader("x-amz-meta-waybill-id", "01a1fb9f-e6f8-7327-b30c-813a3bac429c"),
        ], payloadHash: hash, key: key, time: Timestamp(microseconds: Clocks.wall()))
    }
    return Double(cpu() - before) / Double(jobs)
  }

  /// About what a job takes between executors: eight there and back.
  static func hops() async -> Double {
    let place = Place()
    return await cost {
      for _ in 0..<jobs {
        for _ in 0..<8 { await place.visit() }
      }
    }
  }

  actor Place {
    private var visits = 0
    func visit() { visits += 1 }
  }
}

struct PartsError: Error {
  let words: String
}
