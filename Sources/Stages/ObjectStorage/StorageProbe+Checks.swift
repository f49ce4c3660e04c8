import HTTPTransfer
import Jobs
import Linux
import OpenSSL
import Settings

/// Checks of single objects: they are stored, shown, not replaced, and deleted.
extension StorageProbe {
  mutating func stores() async -> Bool {
    do {
      let response = try await putAsAJob()
      add(.fits, "stores an object")
      if let finding = try bucket.encryptionFinding(response) { add(finding.weight, finding.words) }
      if leavesLockOut {
        add(.advice, "was given a trial object without the lock of the others, since it is deleted again")
      }
      let shown = response.headers[first: settings.checksum.header]
      if settings.checksum != .sha256, settings.checksum != .none, shown == nil {
        add(
          .advice, "does not show checksum = \"\(settings.checksum.rawValue)\" in its answer, so it cannot be compared")
      }
      return true
    } catch let refusal as S3Refusal where refusal.doubt != nil {
      // As for a job, HEAD decides, and its result is a separate finding.
      add(.advice, "answers a PUT differently from S3, so each object is checked with HEAD: \(refusal.failure.words)")
      return true
    } catch {
      return await storesOtherwise(error)
    }
  }

  /// If the storage does not accept the condition, the PUT is sent without it.
  private mutating func putAsAJob() async throws -> HTTPResponse {
    do {
      return try await put(key, conditional: !settings.overwrite, sums(settings.checksum))
    } catch let refusal as S3Refusal where refusal.isConditionRefused {
      return try await put(key, conditional: false, sums(settings.checksum))
    }
  }

  /// Searches for settings with which an object is stored. If there are any, the probe continues with them.
  private mutating func storesOtherwise(_ error: any Error) async -> Bool {
    let words = Self.words(error)
    let changes = (error as? S3Refusal)?.mayBeOfSettings == true ? changesForObject : []
    guard let other = await other(changes, { _ = try await $0.putAsAJob() }) else {
      add(.fault, "cannot store an object: \(words)")
      return false
    }
    bucket = other.bucket
    add(.fault, "cannot store an object: \(words); with \(other.lines) it does")
    return true
  }

  /// True if the stored object may exist, so that further checks make sense.
  mutating func shows() async -> Bool {
    do {
      let response = try await bucket.send(S3Bucket.Exchange(method: "HEAD", place: place(key)))
      if response.headers[first: Self.mark] != sign {
        add(.fault, "shows an object without its metadata: Waybill could not recognize its own objects")
        return !response.isHTML
      }
      var size = ShownObject(response, settings.checksum).size
      if size == nil { size = try await bucket.size(of: place(key)) }
      switch size {
      case Int64(Self.body.count): add(.fits, "shows an object with its metadata")
      case nil: add(.advice, "shows no size of an object: after an answer that was lost, the bytes are sent again")
      default: add(.fault, "shows an object with a different size than was stored")
      }
      return true
    } catch let refusal as S3Refusal where refusal.isAbsence {
      add(
        .fault,
        "says that it has stored an object, but does not have it: it answers like a web server, not like an S3 storage")
      return false
    } catch {
      add(
        .fault,
        "does not show an object (HEAD): \(Self.words(error)); without HEAD, Waybill cannot tell what became of an upload whose answer was lost"
      )
      let refusal = error as? S3Refusal
      return refusal?.doubt == nil && refusal?.isPage != true
    }
  }

  mutating func keepsCondition() async {
    let isIgnored = "without {id} in a key, only a HEAD before each upload keeps objects from being replaced"
    // A storage that keeps no condition fits a configuration that wants none.
    let weight = settings.overwrite ? ProbeFinding.Weight.fits : .advice
    do {
      _ = try await put(key, conditional: true, sums(settings.checksum))
      add(weight, "ignores If-None-Match: \(isIgnored)")
    } catch let refusal as S3Refusal where refusal.isPreconditionFailed {
      if settings.overwrite {
        add(.advice, "supports If-None-Match: overwrite = false would keep objects from being replaced")
      } else {
        add(.fits, "does not replace objects")
      }
    } catch let refusal as S3Refusal where refusal.isConditionRefused {
      add(weight, "refuses If-None-Match (HTTP \(refusal.answer.status)): \(isIgnored)")
    } catch {
      add(
        settings.overwrite ? .fits : .fault,
        "refuses If-None-Match (\(Self.words(error))): it needs overwrite = true")
    }
  }

  mutating func deletes() async {
    for key in Set(made).sorted() {
      do {
        _ = try await bucket.send(S3Bucket.Exchange(method: "DELETE", place: place(key), answer: .nothing))
        guard await isGone(key) else {
          return add(.fault, "says that it has deleted \(DisplayText.escape(key)), but still shows it")
        }
      } catch {
        let refusal = error as? S3Refusal
        if refusal?.answer.status == 404 { continue }
        return add(
          .advice,
          "does not delete (\(Self.words(error))): cancel --remove will leave objects, and \(DisplayText.escape(key)) was left behind"
        )
      }
    }
    add(.fits, "deletes objects")
  }

  /// True if HEAD does not show the object any more. A refused HEAD counts as true, because it proves nothing.
  private func isGone(_ key: String) async -> Bool {
    do {
      let response = try await bucket.send(S3Bucket.Exchange(method: "HEAD", place: place(key)))
      return response.headers[first: Self.mark] != sign && response.headers[first: MetadataHeaders.id] == nil
    } catch {
      return true
    }
  }
}

/// Checks of checksums of single objects.
extension StorageProbe {
  /// Returns true if the storage checks the hash that a request is signed with.
  mutating func checksHash() async -> Bool {
    let wrong = Hex.text(SHA256.hash(data: Self.otherBytes))
    let isChecked = await checks {
      try await $0.put($0.key + ".hash", conditional: false, $0.sums(.none), hash: wrong)
    }
    switch isChecked {
    case true?: add(.fits, "checks the hash that a request is signed with (checksum = \"sha256\")")
    case false?:
      add(.advice, "does not check the hash that a request is signed with: checksum = \"sha256\" proves nothing here")
    case nil: break
    }
    return isChecked == true
  }

  mutating func checksChecksums(hash checksHash: Bool) async {
    for algorithm in [ChecksumAlgorithm.crc32c, .crc64nvme] {
      let wrong = sums(algorithm, of: Self.otherBytes).base64.map { [HTTPHeader(algorithm.header, $0)] }
      let key = key + "." + algorithm.rawValue
      let name = "checksum = \"\(algorithm.rawValue)\""
      switch await checks({ try await $0.put(key, conditional: false, $0.sums(.none), headers: wrong) }) {
      case true?: add(.fits, "checks \(name)")
      case false? where settings.checksum == algorithm:
        // The other setting proves no more if the signed hash is not checked either.
        add(.advice, "ignores \(name)" + (checksHash ? ": checksum = \"sha256\" fits better" : ""))
      case false?: add(.fits, "ignores \(name)")
      case nil: break
      }
    }
  }

  private static let otherBytes = Array("other bytes".utf8)

  /// True if a request with a deliberate error is refused because of it, false if it is accepted; nil if it fails in another way,
  /// which is reported.
  private mutating func checks(_ send: (inout StorageProbe) async throws -> HTTPResponse) async -> Bool? {
    do {
      _ = try await send(&self)
      return false
    } catch let refusal as S3Refusal where (400..<500).contains(refusal.answer.status) {
      return true
    } catch {
      add(.advice, "could not be tested for checks of the bytes it receives: \(Self.words(error))")
      return nil
    }
  }
}

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
    let upload = try await bucket.create(object, source, partSize: try bucket.plan(of: object).partSize)
    made.append(object.key)
    do {
      let transfer = PartTransfer(bucket: bucket, object: object, source: source, upload: upload, listed: [:])
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
