package import Credentials
package import Jobs
package import Linux
import Messages
package import ObjectStorage
package import Registration
import Seams
package import Spool
import Ledger
package import Settings

/// The stages of a configuration, by name, with what an attempt needs. One attempt at one step is one call
/// (``attempt(_:probing:ledger:)``).
///
/// A reload replaces all stages at once; each piece of work uses those that were current when it began. They are objects, because each
/// attempt needs them several times, and a copy of a storage's value would retain two dozen other objects.
package final class Stages: Sendable {
  /// The stage of a destination with its retry policy and its keys.
  package final class ConfiguredStage<Stage: Sendable>: Sendable {
    package let stage: Stage
    let retry: RetryPolicy
    let credentials: [NamedCredential]

    package init(stage: Stage, retry: RetryPolicy, credentials: [NamedCredential]) {
      self.stage = stage
      self.retry = retry
      self.credentials = credentials
    }
  }

  package typealias ConfiguredStorage = ConfiguredStage<any StorageStage>

  package let configuration: Configuration
  /// The spools and archives that could not be used at first. The runs of the spools report that, and try again.
  package let refusals: [SpoolProblem]
  let clock: Clock
  let machine: Machine
  package let host: String
  let activity: Activity
  let workers: WorkerThreads
  /// The threads that dispose of files: a copy to another file system takes long and must not block a thread that sends files.
  let disposers: WorkerThreads
  let types: MediaTypes
  /// The clock of the dates in keys, links, fields, tags and headers.
  let localTime: LocalTime
  let parts: [String: SpoolPart]
  package let storages: [String: ConfiguredStorage]
  package let backends: [String: ConfiguredStage<Backend>]
  let trouble: SpoolTrouble
  let reserved: ReservedDirectories

  /// The destinations, in the order in which work is handed out: backends first, because their jobs are nearly done.
  package let destinations: [Destination]
  /// The backend that grants the uploads to a storage, for each such storage.
  package let grantors: [Destination: Destination]

  package init(
    _ configuration: Configuration, refusals: [SpoolProblem] = [], clock: Clock, machine: Machine, host: String,
    activity: Activity, workers: WorkerThreads, disposers: WorkerThreads, types: MediaTypes, parts: [String: SpoolPart],
    storages: [String: ConfiguredStorage], backends: [String: ConfiguredStage<Backend>],
    trouble: SpoolTrouble, reserved: ReservedDirectories
  ) {
    self.configuration = configuration
    self.refusals = refusals
    self.clock = clock
    self.machine = machine
    self.host = host
    self.activity = activity
    self.workers = workers
    self.disposers = disposers
    self.types = types
    localTime = configuration.daemon.localTime
    self.parts = parts
    self.storages = storages
    self.backends = backends
    self.trouble = trouble
    self.reserved = reserved
    grantors = Dictionary(
      uniqueKeysWithValues: configuration.granted.map { (.storage($0.key), .backend($0.value.backend)) })
    destinations = backends.keys.sorted().map(Destination.backend) + storages.keys.sorted().map(Destination.storage)
  }

  /// Returns the destinations that an attempt at one asks, in their order: first the backend that grants the upload, if one does.
  func destinations(asked destination: Destination) -> [Destination] {
    grantors[destination].map { [$0, destination] } ?? [destination]
  }

  package var spools: [String: SpoolDirectory] { parts.mapValues(\.directory) }

  package func credentials(of destination: Destination) -> [NamedCredential] {
    switch destination.kind {
    case .storage: storages[destination.name]?.credentials ?? []
    case .backend: backends[destination.name]?.credentials ?? []
    }
  }

  package func isConfigured(_ destination: Destination) -> Bool {
    switch destination.kind {
    case .storage: storages[destination.name] != nil
    case .backend: backends[destination.name] != nil
    }
  }

  /// Makes each storage among these destinations prove its next object: during a pause the storage may have been replaced.
  package func proveNext(at destinations: [Destination]) {
    for destination in destinations where destination.kind == .storage {
      storages[destination.name]?.stage.proveNext()
    }
  }

  /// Returns the path of a job's file; nil once it is disposed of, or if its spool is no longer configured. A file in place keeps its
  /// path.
  package func path(of job: Job) -> String? {
    guard job.ticket.parcel == .inPlace || job.disposedAt == nil && job.state != .discarded else { return nil }
    return parts[job.ticket.spool]?.directory.path(job.ticket.claim).text
  }

  /// Makes one attempt at the job's step, under the present conditions. It never throws: a failure is a result.
  /// - Parameter probed: the gate that opens when the attempt succeeds, with its destination; nil if the job is no probe.
  func attempt(_ job: Job, probing probed: (gate: Gate, of: Destination)?, ledger: JobLedger) async -> AttemptResult {
    if let probed, let trouble = await look(before: job, at: probed.gate, of: probed.of) { return trouble }
    return switch job.step {
    case .upload: await upload(job, isProbe: probed != nil, ledger)
    case .register: await register(job, ledger)
    }
  }

  private func upload(_ job: Job, isProbe: Bool, _ ledger: JobLedger) async -> AttemptResult {
    let ticket = job.ticket
    guard let storage = storages[ticket.storage] else { return unconfigured(ticket.destination(of: .upload).text) }
    guard let part = parts[ticket.spool] else { return unconfigured("spool.\(ticket.spool)") }
    guard let backend = backends[ticket.backend] else { return unconfigured(ticket.destination(of: .register).text) }
    guard let key = ticket.objectKey else { return .failed(Self.noKey, .ask) }
    // A storage of the other kind is another storage than the one of the admission.
    let isGranted = configuration.granted[ticket.storage] != nil
    guard isGranted == ticket.isGranted else {
      return unconfigured("storage.\(ticket.storage).\(isGranted ? "bucket" : "from")")
    }
    var sidecar: String?
    if ticket.parcel.sidecar != nil {
      do throws(Failure) {
        sidecar = try await sidecarText(of: job, for: backend.stage)
      } catch {
        return .failed(error, verdict(error, job, storage.retry, of: part))
      }
    }
    var known = Recognition()
    if mayBeRecognized(job) {
      switch await recognize(job, storage, part, ledger) {
      case .success(let recognition): known = recognition
      // Nothing of the job was sent.
      case .failure(.cut): return .unanswered(Gate.Symptom(.local))
      case .failure(let failure): return await result(of: failure, of: job, at: storage, in: part)
      }
    }
    if let result = known.result { return result }
    switch await store(job, key, known.sha256, isProbe: isProbe, storage, part, ledger) {
    case .success(var receipt):
      if receipt.sha256 == nil { receipt.sha256 = known.sha256 }
      return await linked(receipt, of: job, sidecar, storage, part, backend, ledger)
    case .failure(let failure): return await result(of: failure, of: job, at: storage, in: part)
    }
  }

  /// Returns the link of a stored object, for the backend. Not inlined, so that a file in flight has no memory for the variables.
  @inline(never)
  private func linked(
    _ receipt: UploadReceipt, of job: Job, _ sidecar: String?, _ storage: ConfiguredStorage, _ part: SpoolPart,
    _ backend: ConfiguredStage<Backend>, _ ledger: JobLedger
  ) async -> AttemptResult {
    let (bucket, key, facts) = (job.ticket.bucket, job.ticket.key, facts(of: job))
    assert(receipt.bucket == bucket && receipt.key == key, "the receipt of another object")
    do throws(UploadFailure) {
      let granted = receipt.granted
      var receipt = receipt
      receipt.granted = nil
      let link = granted?.locator ?? part.link.render(bucket: bucket, key: key, facts: facts)
      var document = document(of: job, link: link, receipt, sidecar: sidecar)
      document.asksBackend = granted?.isProven == false
      if job.ticket.parcel.group != nil {
        document.files = try await GroupUpload.list(of: job, ledger) {
          part.link.render(bucket: bucket, key: $0, facts: facts)
        }
      }
      return .uploaded(self.link(to: document, of: job, at: backend))
    } catch {
      return await result(of: error, of: job, at: storage, in: part)
    }
  }

  /// Stores a job's file or group, which counts as active meanwhile. Two calls count it, because a function around one that waits would
  /// cost each small file.
  @inline(never)
  private func store(
    _ job: Job, _ key: String, _ sha256: String?, isProbe: Bool, _ storage: ConfiguredStorage,
    _ part: SpoolPart, _ ledger: JobLedger
  ) async -> Result<UploadReceipt, UploadFailure> {
    var object = object(of: job, key: key, sha256: sha256, at: storage, in: part)
    object.isProbe = isProbe
    object.sent = activity.begin(job)
    defer { activity.end(job) }
    if job.ticket.parcel.group != nil {
      return await GroupUpload(
        stages: self, job: job, bucket: storage.stage, part: part, ledger: ledger, object: object
      ).run()
    }
    if storage.stage.goesInParts(object) { object.began = { await Self.began($0, job, ledger) } }
    return await storage.stage.upload(object)
  }

  /// The object that an attempt stores.
  /// - Parameter sha256: the SHA-256 of its bytes, if they were read before.
  func object(
    of job: Job, key: String, sha256: String? = nil, at storage: ConfiguredStorage, in part: SpoolPart
  ) -> ObjectToStore {
    let ticket = job.ticket
    var object = ObjectToStore(
      id: ticket.id, bucket: ticket.bucket, key: key, contentType: ticket.contentType,
      facts: storage.stage.wantsFacts ? facts(of: job) : nil, metadata: ticket.objectMetadata,
      expected: job.identity, isLocal: job.attempt == 1 && part.directory.isLocal,
      open: { try part.directory.held().open(ticket.claim) })
    object.sha256 = sha256
    object.mayBeStale = job.objectMayBeStale
    object.mayBeForgotten = job.mayBeForgotten
    object.mayBeStored = job.mayBeStored
    object.multipart = job.multipart
    object.mayHaveUploads = job.attempt > 1 || job.mayBeStored
    object.since = ticket.createdAt
    return object
  }

  func document(of job: Job, link: String, _ receipt: UploadReceipt?, sidecar: String?) -> StoredDocument {
    StoredDocument(
      job: job.number, ticket: job.ticket, identity: job.identity, link: link, receipt: receipt, sidecar: sidecar,
      offset: offset(of: job))
  }

  func result(
    of failure: UploadFailure, of job: Job, at storage: ConfiguredStorage, in part: SpoolPart
  ) async -> AttemptResult {
    switch failure {
    case .failed(let failure):
      if let away = await awayInPlace(failure, job, part) { return away }
      let grantor = failure.grantor.flatMap { backends[$0.name] }
      return .failed(failure, verdict(failure, job, grantor?.retry ?? storage.retry, of: part))
    case .changed(let failure, let now):
      return .changed(failure, verdict(failure, job, storage.retry, settle: part.options.settle), now: now)
    case .corrupted(let failure):
      return .changed(failure, verdict(failure, job, storage.retry, of: part), now: job.identity)
    case .cut:
      return .cut
    }
  }

  /// Makes an upload in parts durable before its first part is sent. If the ledger is broken, the attempt ends here, and the commit of its
  /// result reports that.
  private static func began(_ upload: MultipartUpload, _ job: Job, _ ledger: JobLedger) async -> Bool {
    do {
      let isInFlight = try await ledger.beganParts(job, upload)
      Failpoint.uploadCommitted.pass()
      return isInFlight
    } catch {
      return false
    }
  }

  private func register(_ job: Job, _ ledger: JobLedger) async -> AttemptResult {
    guard let backend = backends[job.ticket.backend] else { return unconfigured(job.destination.text) }
    guard let stored = job.stored else {
      return .failed(Failure(.configuration, .noLink), .ask)
    }
    if job.ticket.parcel == .inPlace {
      do {
        if let result = try await Self.holdName(of: job, stored, ledger) { return result }
      } catch {
        // Another job may hold the name, so nothing is registered without it.
        let failure = Failure(.transient, .otherError(why: "\(error)"))
        return .failed(failure, verdict(failure, job, backend.retry, settle: .zero))
      }
    }
    var document = document(of: job, link: stored.link, stored.receipt, sidecar: nil)
    document.id = stored.id
    _ = activity.begin(job)
    let result = await backend.stage.register(document, body: stored.body, mayVerify: job.ticket.isGranted)
    activity.end(job)
    switch result {
    case .success(let receipt): return .registered(receipt)
    case .failure(.failed(let failure)):
      return .failed(failure, verdict(failure, job, backend.retry, settle: .zero))
    case .failure(.cut): return .cut
    }
  }

  /// The time for which an unanswered request may still take effect at a storage.
  func landing(at storage: String) -> Duration {
    storages[storage]?.stage.landing ?? .zero
  }

  /// Tries once to clean up after a job at its storage. It never throws.
  func clear(_ cleanup: Cleanup, _ ledger: JobLedger) async -> CleanupResult {
    guard let storage = storages[cleanup.storage] else {
      return .failed(Failure(.configuration, .notConfigured(name: cleanup.destination.text)), .ask)
    }
    if cleanup.bucket.isEmpty { return GrantedStorage.clear(cleanup) }
    func verdict(_ failure: Failure) -> Verdict {
      self.verdict(failure, 0, storage.retry, settle: .zero)
    }
    do {
      if cleanup.isOfGroup, cleanup.aim != .keep,
        let result = try await clearMembers(cleanup, ledger, { await storage.stage.clear($0, verdict: verdict) })
      {
        return result
      }
    } catch let error as FileError {
      let failure = Failure(.transient, .filesUnlisted(why: error.message))
      return .failed(failure, verdict(failure))
    } catch {
      return .cut  // the ledger cannot be read, and says so itself
    }
    return await storage.stage.clear(cleanup, verdict: verdict)
  }

  /// The name made a key that is empty or too long for S3 ("Naming Amazon S3 objects" in the S3 user guide).
  private static let noKey = Failure(.rejected, .keyEmptyOrTooLong)

  /// Returns the seconds by which the clock of dates was ahead of UTC when a job was admitted.
  func offset(of job: Job) -> Int { localTime.offset(at: job.ticket.createdAt.wholeSeconds) }

  func facts(of job: Job) -> KeyFacts {
    KeyFacts(
      spool: job.ticket.spool, id: job.ticket.id, name: job.ticket.name, job: job.number, host: host,
      path: job.ticket.path, time: job.ticket.createdAt, offset: offset(of: job), metadata: job.ticket.metadata,
      captures: job.ticket.captures)
  }

  private func unconfigured(_ name: String) -> AttemptResult {
    .failed(Failure(.configuration, .notConfigured(name: name)), .ask)
  }

  /// Returns the verdict on a failed upload. If the file's error may pass, the delays are used up before a person is asked.
  func verdict(_ failure: Failure, _ job: Job, _ policy: RetryPolicy, of part: SpoolPart) -> Verdict {
    guard failure.kind == .file, let code = failure.code, FileError.mayPass(code: code) else {
      return verdict(failure, job, policy, settle: part.options.settle)
    }
    return verdict(Failure(.transient, failure.message), job, policy, settle: part.options.settle)
  }

  func verdict(_ failure: Failure, _ job: Job, _ policy: RetryPolicy, settle: Duration) -> Verdict {
    verdict(failure, failure.hasProgressed ? 0 : job.delaysSpent, policy, settle: settle)
  }

  func verdict(
    _ failure: Failure, _ delaysSpent: Int, _ policy: RetryPolicy, settle: Duration
  ) -> Verdict {
    var random = machine.random
    return Verdict.on(failure, delaysSpent: delaysSpent, policy: policy, settle: settle, random: &random)
  }

  /// Returns the link that a person named, with the body that registers it; nil if the backend is no longer configured.
  /// - Throws: a failure if the body cannot be made.
  package func stored(_ link: String, for job: Job) async throws(Failure) -> StoredLink? {
    guard let backend = backends[job.ticket.backend] else { return nil }
    let sidecar = try await sidecarText(of: job, for: backend.stage)
    return self.link(to: document(of: job, link: link, nil, sidecar: sidecar), of: job, at: backend)
  }

  /// The link to a document, with the body that registers it and the id of the registration.
  func link(to document: StoredDocument, of job: Job, at backend: ConfiguredStage<Backend>) -> StoredLink {
    var random = machine.random
    // The job's object has replaced one whose link the backend may know under the job's id.
    let isIDTaken = job.mayBeForgotten && job.objectMayBeStale
    return StoredLink.next(
      document.link, document.receipt, after: job.stored, wasTold: job.tries.register > 0, isIDTaken: isIDTaken,
      hasFiles: document.files != nil || document.asksBackend,
      newID: { JobID.mint(at: clock.now(), random: &random) },
      body: { id, receipt in
        var document = document
        (document.id, document.receipt) = (id, receipt)
        return backend.stage.body(of: document)
      })
  }
}
