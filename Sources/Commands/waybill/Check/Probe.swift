import CommandParts
import ControlAPI
import Credentials
import FoundationEssentials
import HTTPTransfer
import Jobs
import Linux
import ObjectStorage
import Registration
import Settings

/// Tries the destinations of a configuration, without a daemon.
final class Probe: Sendable {
  private let configuration: Configuration
  private let environment: [String: String]
  private let host = ProcessInfo.processInfo.hostName
  private let transport: Transport
  private let now: @Sendable () -> Timestamp = { .now }

  init(_ configuration: Configuration, environment: [String: String]) throws {
    self.configuration = configuration
    self.environment = environment
    transport = try Transport(maxConnections: 4)
  }

  /// Tries each storage, then each backend, and reports on each as soon as it has been tried.
  /// - Parameter isPublic: true if the report is for others; it leaves out backends.
  /// - Throws: the errors of making the stages, or a `FileError` if no thread can be started.
  func run(_ report: inout FindingReport, isPublic: Bool = false) async throws {
    let readers = CredentialReaders { [environment, now] source, form in
      CredentialReader(
        source, form: form, environment: environment, fetched: source.fetched(environment: environment, now: now))
    }
    let userAgent = "waybill/\(WaybillVersion.current)"
    let sharedByStorages = S3Bucket.Shared(
      transport: transport, workers: try WorkerThreads(count: 1, name: "files"), now: now, userAgent: userAgent)
    let sharedByBackends = Backend.Shared(
      transport: transport, now: now, host: host, userAgent: userAgent)
    for (name, settings) in configuration.storages.sorted(by: { $0.key < $1.key }) {
      let found = try await findings(settings, sharedByStorages, readers)
      if isPublic { report.add(settings, found) } else { report.add("storage.\(name)", found) }
    }
    let (granted, backends) = isPublic ? ([:], [:]) : (configuration.granted, configuration.backends)
    for (name, settings) in granted.sorted(by: { $0.key < $1.key }) {
      guard let backend = configuration.backends[settings.backend] else { continue }  // checked when it was read
      let stage = try Backend.configured(backend, sharedByBackends, readers).stage
      let note = ProbeFinding(.fits, "is tried without a grant: no object is stored")
      report.add("storage.\(name)", [await reached(stage, "upload_url", at: settings.uploadURL).finding, note])
    }
    for (name, settings) in backends.sorted(by: { $0.key < $1.key }) {
      report.add("backend.\(name)", await findings(try Backend.configured(settings, sharedByBackends, readers).stage))
    }
    transport.shutdown()
  }

  /// Returns the findings for a storage. The trial object's key is like a job's, so that credentials that may write only there
  /// are enough.
  private func findings(
    _ settings: StorageSettings, _ shared: S3Bucket.Shared, _ readers: CredentialReaders
  ) async throws -> [ProbeFinding] {
    let (stage, _) = try S3Bucket.configured(settings, shared, readers)
    var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    let time = now()
    let id = JobID.mint(at: time, random: &random)
    guard let spool = configuration.spools.first(where: { $0.storage == settings.name }) else {
      return await stage.probe(bucket: settings.bucket, key: "waybill-check/\(id)")
    }
    let facts = KeyFacts(
      spool: spool.name, id: id, name: FileName("waybill-check-\(id)"), job: JobNumber(rawValue: 0), host: host,
      time: time, offset: configuration.daemon.localTime.offset(at: time.wholeSeconds))
    let key = try KeyTemplate(spool.key, captures: spool.captures).render(facts)
    return await stage.probe(bucket: settings.bucket, key: key, facts: facts)
  }

  private func findings(_ backend: Backend) async -> [ProbeFinding] {
    let reached = await reached(backend, "url")
    // Without an answer, its health would fail for the same reason.
    return [reached.finding, reached.isAnswer ? await health(of: backend) : nil].compactMap(\.self)
  }

  /// Returns the finding on a URL of a backend.
  /// - Parameter url: nil for that of registrations.
  private func reached(
    _ backend: Backend, _ key: String, at url: String? = nil
  ) async -> (finding: ProbeFinding, isAnswer: Bool) {
    let finding: ProbeFinding
    do throws(Failure) {
      let (status, isPage) = try await backend.reach(at: url)
      finding =
        switch status {
        case 200..<300 where isPage && !backend.settings.success.readsContent:
          ProbeFinding(
            .fault,
            "answers OPTIONS with a page of HTML (\(status)), as a web server does: such an answer to a registration counts for nothing"
          )
        case 401: ProbeFinding(.fault, "answers, and refuses the token (401 to OPTIONS)")
        case 300..<400, 404, 421, 500...:
          ProbeFinding(.advice, "answers \(status) to OPTIONS: see whether \(key) is right (no redirect is followed)")
        default: ProbeFinding(.fits, "answers (\(status) to OPTIONS)")
        }
    } catch {
      return (ProbeFinding(.fault, "does not answer: \(error.words)"), false)
    }
    return (finding, true)
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
