import HTTPTransfer
import Jobs
import Linux
import OpenSSL
import Settings

/// Checks of an upload in parts, with one part, by the code that jobs use.
extension StorageProbe {
  mutating func takesParts() async {
    let with = settings.checksum != .none ? " with checksum = \"\(settings.checksum.rawValue)\"" : ""
    do {
      try await storesParts()
      add(.fits, "stores an object in parts\(with)")
    } catch {
      let (words, lost) = (Self.words(error), "files of two parts or more would fail")
      let isOfSettings =
        (error as? S3Refusal).map { $0.mayBeOfSettings || $0.isHashRefused } ?? (error is UploadFailure)
      let other = await other(isOfSettings ? changesForParts : [], { try await $0.storesParts() })
      return add(
        .fault,
        other.map { "refuses an upload in parts\(with): \(words); \(lost); with \($0.lines) they do not" }
          ?? "refuses multipart uploads: \(words); \(lost)")
    }
    await abortsUploads()
  }

  /// Begins an upload, sends its part, lists it and completes it. If that fails, it is aborted.
  private mutating func storesParts() async throws {
    let object = try partObject()
    let source = try SourceFile(opening: object)
    let plan = try bucket.plan(of: object)
    let upload = try await bucket.create(object, source, partSize: plan.partSize)
    made.append(object.key)
    do {
      let transfer = PartTransfer(
        bucket: bucket, object: object, source: source, upload: upload, plan: plan, listed: [:])
      let parts = try await transfer.run()
      let listed = try await bucket.listParts(of: upload.id, object)
      _ = try await bucket.complete(transfer, parts, conditional: !settings.overwrite)
      if listed?[1]?.size != object.expected.size {
        add(.advice, "does not list the parts of an upload: after an interruption all of them are sent again")
      }
    } catch {
      await bucket.letGo(of: upload.id, object)
      throw error
    }
  }

  private mutating func abortsUploads() async {
    do {
      let object = try partObject()
      guard try await bucket.hasAborted(try await bucket.create(object).id, of: object) else {
        return add(.advice, "does not know a multipart upload that it has begun")
      }
      add(.fits, "aborts multipart uploads")
    } catch {
      add(.advice, "does not abort multipart uploads: \(Self.words(error))")
    }
  }

  private func partObject() throws -> ObjectToStore {
    let file = try OpenFile(inMemory: Self.body)
    return ObjectToStore(
      id: facts?.id ?? keysID, bucket: name, key: key + ".parts", contentType: "text/plain", facts: facts,
      expected: FileIdentity(file.openedFacts), isLocal: true, open: { file })
  }

  /// An id that depends only on the key, which nothing else uses.
  private var keysID: JobID {
    let hash = Array(SHA256.hash(data: Array(key.utf8)))
    func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    return JobID(high: word(hash[..<8]), low: word(hash[8..<16]))
  }
}
