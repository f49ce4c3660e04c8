import HTTPTransfer
import Jobs
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
    let configured = bucket
    for change in (error as? S3Refusal)?.mayBeOfSettings == true
      ? TrialSettings.forObject(settings) : []
    {
      bucket = configured.with(change)
      do {
        _ = try await putAsAJob()
      } catch {
        continue  // the first error is the one to report
      }
      let lines = TrialSettings.lines(from: configured.settings, to: settings)
      add(.fault, "cannot store an object: \(words); with \(lines) it does")
      return true
    }
    bucket = configured
    add(.fault, "cannot store an object: \(words)")
    return false
  }

  /// True if the stored object may exist, so that further checks make sense.
  mutating func shows() async -> Bool {
    do {
      let response = try await bucket.send(S3Bucket.Exchange(method: "HEAD", object: place(key)))
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
    do {
      _ = try await put(key, conditional: true, sums(settings.checksum))
      add(
        settings.overwrite ? .fits : .advice,
        "ignores If-None-Match: without {id} in a key, only a HEAD before each upload keeps objects from being replaced"
      )
    } catch let refusal as S3Refusal where refusal.isPreconditionFailed {
      add(
        settings.overwrite ? .advice : .fits,
        settings.overwrite
          ? "supports If-None-Match: overwrite = false would keep objects from being replaced"
          : "does not replace objects")
    } catch let refusal as S3Refusal where refusal.isConditionRefused {
      add(
        settings.overwrite ? .fits : .advice,
        "refuses If-None-Match (HTTP \(refusal.answer.status)): without {id} in a key, only a HEAD before each upload keeps "
          + "objects from being replaced")
    } catch {
      let needs = "refuses If-None-Match (\(Self.words(error))): it needs overwrite = true"
      add(settings.overwrite ? .fits : .fault, needs)
    }
  }

  mutating func deletes() async {
    for key in Set(made).sorted() {
      do {
        _ = try await bucket.send(S3Bucket.Exchange(method: "DELETE", object: place(key), answer: .nothing))
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
      let response = try await bucket.send(S3Bucket.Exchange(method: "HEAD", object: place(key)))
      return response.headers[first: Self.mark] != sign && response.headers[first: MetadataHeaders.id] == nil
    } catch {
      return true
    }
  }
}

/// Checks of checksums of single objects.
extension StorageProbe {
  mutating func checksHash() async {
    let wrong = Hex.text(SHA256.hash(data: Array("other bytes".utf8)))
    let refused = await isRefused {
      try await $0.put($0.key + ".hash", conditional: false, $0.sums(.none), hash: wrong)
    }
    checksSignedHash = refused
    switch refused {
    case true?: add(.fits, "checks the hash that a request is signed with (checksum = \"sha256\")")
    case false?:
      add(.advice, "does not check the hash that a request is signed with: checksum = \"sha256\" proves nothing here")
    case nil: break
    }
  }

  mutating func checksChecksums() async {
    for algorithm in [ChecksumAlgorithm.crc32c, .crc64nvme] {
      let wrong = sums(algorithm, of: Array("other bytes".utf8)).base64.map { [HTTPHeader(algorithm.header, $0)] }
      let key = key + "." + algorithm.rawValue
      switch await isRefused({ try await $0.put(key, conditional: false, $0.sums(.none), headers: wrong) }) {
      case true?: add(.fits, "checks checksum = \"\(algorithm.rawValue)\"")
      case false? where settings.checksum == algorithm:
        // The other setting proves no more if the signed hash is not checked either.
        let remedy = checksSignedHash == true ? ": checksum = \"sha256\" fits better" : ""
        add(.advice, "ignores checksum = \"\(algorithm.rawValue)\"\(remedy)")
      case false?: add(.fits, "ignores checksum = \"\(algorithm.rawValue)\"")
      case nil: break
      }
    }
  }

  /// True if a request with a deliberate error is refused because of it, false if it is accepted; nil if it fails in another way,
  /// which is reported.
  private mutating func isRefused(_ send: (inout StorageProbe) async throws -> HTTPResponse) async -> Bool? {
    do {
      _ = try await send(&self)
      return false
    } catch let refusal as S3Refusal where (400..<500).contains(refusal.answer.status) {
      return true
    } catch {
      add(
        .advice,
        "could not be tested for checks of the bytes it receives: \(Self.words(error))")
      return nil
    }
  }
}
