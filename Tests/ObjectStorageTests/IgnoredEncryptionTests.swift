import ChildProcesses
import HTTPTransfer
import Jobs
import LoopbackPeer
import Settings
import Synchronization
import Testing

@testable import ObjectStorage

/// A storage that was asked to encrypt has to say that it did, in each answer or at HEAD. Else nothing more is sent to it.
@Suite(.slot) struct IgnoredEncryptionTests {
  private static let header = WantedEncryption.header
  private static let kmsKey = WantedEncryption.kmsKey
  private static let customerKey = CustomerKey(Array(0..<32))
  private static let arn = "arn:aws:kms:eu-central-1:123456789012:key/one"

  enum Wanted: CaseIterable {
    case nothing, aes256, kms, kmsKey, kmsAlias, customerKey

    var headers: [String: String] {
      switch self {
      case .nothing, .customerKey: [:]
      case .aes256: [header: "AES256"]
      case .kms: [header: "aws:kms"]
      case .kmsKey: [header: "aws:kms", IgnoredEncryptionTests.kmsKey: "one"]
      case .kmsAlias: [header: "aws:kms", IgnoredEncryptionTests.kmsKey: "alias/ours"]
      }
    }

    var said: [String: String] {
      switch self {
      case .nothing: [:]
      case .aes256, .kms: headers
      case .kmsKey, .kmsAlias: [header: "aws:kms", IgnoredEncryptionTests.kmsKey: arn]
      case .customerKey: [CustomerKey.digestHeader: IgnoredEncryptionTests.customerKey.digest]
      }
    }

    var others: [[String: String]] {
      switch self {
      case .nothing: []
      case .aes256: [[header: "aws:kms"]]
      case .kms, .kmsAlias: [[header: "AES256"]]
      case .kmsKey: [[header: "AES256"], [header: "aws:kms", IgnoredEncryptionTests.kmsKey: arn + "-other"]]
      case .customerKey: [[CustomerKey.digestHeader: CustomerKey(Array(1...32)).digest]]
      }
    }
  }

  private func bucket(_ peer: LoopbackPeer, _ wanted: Wanted, partsFrom size: Int64 = 5 << 30) throws -> S3Bucket {
    let options = StorageSettings(peer.url) {
      $0.headers = wanted.headers
      $0.multipartThreshold = size
      $0.partSize = PartFile.partSize
      $0.partConcurrency = 1
    }
    return try TestBucket.make(options, customerKey: wanted == .customerKey ? Self.customerKey : nil)
  }

  private func expectHeld(_ result: Result<UploadReceipt, UploadFailure>, _ note: Comment) throws {
    let failure = try result.requireFailed()
    #expect(failure.kind == .destination && failure.mayHaveActed, note)
    #expect(failure.words.hasPrefix("the storage was asked to encrypt with "), "\(failure.words)")
  }

  /// Answers to PUT and to HEAD, on the straight way and on the general one.
  @Test(arguments: Wanted.allCases, [true, false])
  func objectCountsOnlyAsEncrypted(_ wanted: Wanted, _ isLocal: Bool) async throws {
    let says = [(wanted.said, true), ([:], wanted == .nothing)] + wanted.others.map { ($0, false) }
    for (put, putFits) in says {
      for (head, headFits) in says {
        var object = try TestFile([1, 2, 3]).objectOfItsOwn()
        object.isLocal = isLocal
        let id = object.id.description
        let peer = try LoopbackPeer { request in
          guard request.method == "HEAD" else { return .answer(200, ["ETag": "\"e\""].merging(put) { $1 }) }
          let ours = [
            MetadataHeaders.id: id, "Content-Length": "3", "ETag": "\"e\"",
            MetadataHeaders.sha256: "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81",
          ]
          return .answer(200, ours.merging(head) { $1 })
        }
        let bucket = try bucket(peer, wanted)
        let note: Comment = "PUT says \(put), HEAD \(head)"
        let result = await bucket.upload(object)
        if putFits || put.isEmpty && headFits {
          #expect(throws: Never.self, note) { try result.get() }
          #expect(peer.requests.map(\.method) == (putFits ? ["PUT"] : ["PUT", "HEAD"]), note)
          continue
        }
        try expectHeld(result, note)
        // An answer to the question changes nothing: the object is there, and does not count.
        object.mayBeStored = true
        let again = await bucket.upload(object)
        if headFits { #expect(throws: Never.self, note) { try again.get() } } else { try expectHeld(again, note) }
      }
    }
  }

  @Test(arguments: [Wanted.kms, .kmsKey, .customerKey])
  func partsCountOnlyAsEncrypted(_ wanted: Wanted) async throws {
    let other = try #require(wanted.others.last)
    let rows: [(create: [String: String], complete: [String: String], head: [String: String], fits: Bool)] = [
      (wanted.said, wanted.said, [:], true), ([:], wanted.said, [:], true), (wanted.said, [:], wanted.said, true),
      ([:], [:], wanted.said, true), (other, wanted.said, wanted.said, false), (wanted.said, other, wanted.said, false),
      (wanted.said, [:], other, false), ([:], [:], [:], false),
    ]
    for row in rows {
      let file = try PartFile(size: PartFile.partSize + 1)
      let isCompleted = Atomic<Bool>(false)
      let peer = try LoopbackPeer { request in
        switch request.method {
        case "HEAD":
          guard isCompleted.load(ordering: .acquiring) else { return .answer(404) }
          let size = ["Content-Length": "\(file.size)", MetadataHeaders.id: PartFile.id.description, "ETag": "\"e-2\""]
          return .answer(200, size.merging(row.head) { $1 })
        case "POST" where request.target.contains("uploads"):
          return .document("InitiateMultipartUploadResult", "<UploadId>u</UploadId>", row.create)
        case "POST":
          isCompleted.store(true, ordering: .releasing)
          return .document("CompleteMultipartUploadResult", "<ETag>\"e-2\"</ETag>", row.complete)
        case "DELETE": return .answer(204)
        case "GET":
          return .document("ListMultipartUploadsResult", "<IsTruncated>false</IsTruncated>")
        default: return .answer(200, ["ETag": "\"e\""])
        }
      }
      let result = await (try bucket(peer, wanted, partsFrom: PartFile.partSize)).upload(try file.object())
      let note: Comment = "\(row): \(peer.requests.map { "\($0.method) \($0.target)" })"
      if row.fits { #expect(throws: Never.self, note) { try result.get() } } else { try expectHeld(result, note) }
      let isRefusedAtOnce = row.create == other
      #expect(peer.requests.contains { $0.method == "PUT" } == !isRefusedAtOnce, note)
      #expect(peer.requests.contains { $0.method == "DELETE" } == isRefusedAtOnce, "its upload is aborted: \(note)")
    }
  }
}
