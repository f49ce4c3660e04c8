import CommandParts
import ControlAPI
import Credentials
import FoundationEssentials
import HTTPTransfer
import Jobs
import Linux
import Messages
import ObjectStorage
import Registration
import Settings
import Synchronization

/// Tries the destinations of a configuration, without a daemon.
final class Probe: Sendable {
  private let configuration: Configuration
  private let environment: [String: String]
  private let host = ProcessInfo.processInfo.hostName
  private let transport: Transport
  /// The trouble with this machine's clock, by storage.
  private let clocks = Mutex<[String: Message]>([:])
  private let now: @Sendable () -> Timestamp = { .now }

  /// Creates a probe for a configuration that was read.
  ///
  /// - Throws: a `TransferError` if libcurl cannot be started.
  init(_ configuration: Configuration, environment: [String: String]) throws {
    self.configuration = configuration
    self.environment = environment
    transport = try Transport(maxConnections: 4)
  }

  /// Tries each storage, then each backend, and reports on each as soon as it has been tried.
  ///
  /// - Throws: the errors of making the stages, or a `FileError` if no thread can be started.
  func run(_ report: inout FindingReport) async throws {
    let readers = CredentialReaders { [environment, now] source, form in
      CredentialReader(
        source, form: form, environment: environment, fetched: source.fetched(environment: environment, now: now))
    }
    let userAgent = "waybill/\(WaybillVersion.current)"
    let sharedByStorages = S3Bucket.Shared(
      transport: transport, workers: try WorkerThreads(count: 1, name: "files"), now: now, userAgent: userAgent,
      clockTrouble: { storage, trouble in self.clocks.withLock { $0[storage] = trouble } })
    let sharedByBackends = Backend.Shared(
      transport: transport, now: now, host: host, userAgent: userAgent)
    for (name, settings) in configuration.storages.sorted(by: { $0.key < $1.key }) {
      report.add("storage.\(name)", try await findings(settings, sharedByStorages, readers))
    }
    for (name, settings) in configuration.backends.sorted(by: { $0.key < $1.key }) {
      let backend = try Backend.configured(settings, sharedByBackends, readers).stage
      let reached = await finding(backend)
      // Its health would fail for the same reason.
      let isThere = !reached.words.hasPrefix(Self.noAnswer)
      report.add("backend.\(name)", [reached, isThere ? await health(of: backend) : nil].compactMap(\.self))
    }
    transport.shutdown()
  }

  /// Returns the findings for a storage. The trial object's key is like a job's, so that credentials that may write only there
  /// are enough.
  private func findings(
    _ settings: StorageSettings, _ shared: S3Bucket.Shared, _ readers: CredentialReaders
  ) async throws -> [ProbeFinding] {
    let (stage, _) = try S3Bucket.configured(settings, shared, readers)
    let spools = configuration.spools.filter { $0.storage == settings.name }
    var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    let id = JobID.mint(at: now(), random: &random)
    var key = "waybill-check/\(id)"
    var facts: KeyFacts?
    if let spool = spools.first {
      let time = now()
      let own = KeyFacts(
        spool: spool.name, id: id, name: FileName("waybill-check-\(id)"), job: JobNumber(rawValue: 0), host: host,
        time: time, offset: configuration.daemon.localTime.offset(at: time.wholeSeconds))
      facts = own
      key = try KeyTemplate(spool.key, captures: spool.captures).render(own)
    }
    var findings = await stage.probe(bucket: settings.bucket, key: key, facts: facts)
    if let trouble = clocks.withLock({ $0[settings.name] }) {
      findings.append(ProbeFinding(.advice, "\(trouble): \(Message.setTheClock)"))
    }
    let prefixes = try spools.map {
      try KeyTemplate($0.key, captures: $0.captures).prefix(spool: $0.name, host: host)
    }
    // A probe that ends with its first finding got nowhere: all other questions would meet the same.
    if findings.count == 1, findings[0].weight == .fault { return findings }
    if !prefixes.isEmpty { findings.append(await uploadExpiry(stage, settings.bucket, prefixes)) }
    return findings
  }

  /// Returns the finding on rules of a bucket that end unfinished uploads, for the beginnings of the keys of the spools that use it.
  private func uploadExpiry(_ stage: S3Bucket, _ bucket: String, _ prefixes: [String]) async -> ProbeFinding {
    do throws(Failure) {
      let expiry = try await stage.uploadExpiry(of: bucket)
      guard let bare = prefixes.first(where: { !expiry.covers($0) }) else {
        return ProbeFinding(.fits, "ends unfinished multipart uploads by a lifecycle rule")
      }
      let place = bare.isEmpty ? "" : " under \(DisplayText.escape(bare))"
      return ProbeFinding(
        .advice,
        "has no lifecycle rule that ends unfinished multipart uploads\(place): what is left of them is kept, and billed, until "
          + "a rule with AbortIncompleteMultipartUpload ends it")
    } catch {
      return ProbeFinding(
        .advice,
        "does not show its lifecycle rules (\(error.words)), so it could not be seen whether one ends unfinished multipart "
          + "uploads (s3:GetLifecycleConfiguration)")
    }
  }

  private static let noAnswer = "does not answer"

  private func finding(_ backend: Backend) async -> ProbeFinding {
    do throws(Failure) {
      let (status, isPage) = try await backend.reach()
      switch status {
      case 200..<300 where isPage && backend.settings.success.member == nil:
        return ProbeFinding(
          .fault,
          "answers OPTIONS with a page of HTML (\(status)), as a web server does: such an answer to a registration counts for nothing"
        )
      case 401: return ProbeFinding(.fault, "answers, and refuses the token (401 to OPTIONS)")
      case 404:
        return ProbeFinding(
          .advice, "answers 404 to OPTIONS: see whether the path of url is right; a registration that meets 404 asks")
      case 300..<400:
        return ProbeFinding(
          .advice, "answers with a redirect (\(status) to OPTIONS), and none is followed: name the last address")
      case 421, 500...: return ProbeFinding(.advice, "answers, with status \(status) to OPTIONS")
      default: return ProbeFinding(.fits, "answers (\(status) to OPTIONS)")
      }
    } catch {
      return ProbeFinding(.fault, "\(Self.noAnswer): \(error.words)")
    }
  }

  /// Returns the finding on a backend's `health`; nil if it has none. A `health` that never answers 2xx would keep the backend on
  /// hold for ever after its first trouble.
  private func health(of backend: Backend) async -> ProbeFinding? {
    guard let url = backend.settings.health else { return nil }
    do throws(CancellationError) {
      guard let failure = try await backend.look() else { return ProbeFinding(.fits, "is well by health") }
      return ProbeFinding(
        .fault,
        "is not well by its \(failure.words): while it is on hold, nothing is sent before \(DisplayText.escape(url)) answers 2xx; see "
          + "whether the address is right, or leave health out")
    } catch {
      return nil
    }
  }
}
