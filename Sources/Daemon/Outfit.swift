import Credentials
import Foundation
import HTTPTransfer
import Jobs
import LinuxFiles
import ObjectStorage
import Registration
import Settings
import Spool

/// Makes the stages of what the configuration says.
struct Outfit: Sendable {
  let configuration: Configuration
  let environment: [String: String]
  let clock: Clock
  let transport: Transport
  let workers: WorkerThreads
  let host = ProcessInfo.processInfo.hostName

  /// - Throws: a ``DaemonError`` that names file, line and key of a spool that cannot be used.
  func stages(activity: Activity, report: @escaping @Sendable (SpoolProblem) -> Void) throws -> Stages {
    var parts: [String: Stages.SpoolPart] = [:]
    for spool in configuration.spools {
      let directory = try open(spool)
      parts[spool.name] = Stages.SpoolPart(
        directory: directory, archive: try archive(of: spool, directory.options),
        link: try LinkTemplate(spool.link ?? ""), settle: spool.settle, isLocal: directory.isLocal)
    }
    return Stages(
      clock: clock, host: host, activity: activity, workers: workers, parts: parts,
      storages: try configuration.storages.mapValues(storage), backends: configuration.backends.mapValues(backend),
      report: report)
  }

  /// What new jobs of each spool are given; `types` is what names say of contents.
  func admissions(_ types: MediaTypes) throws -> Admissions {
    var plans: [String: Admissions.Plan] = [:]
    for spool in configuration.spools {
      guard let storage = configuration.storages[spool.storage] else { continue }  // checked when it was read
      plans[spool.name] = Admissions.Plan(
        storage: spool.storage, backend: spool.backend, bucket: storage.bucket, key: try KeyTemplate(spool.key),
        priority: spool.priority)
    }
    return Admissions(plans: plans, host: host, clock: clock, types: types)
  }

  private func open(_ spool: SpoolSettings) throws -> SpoolDirectory {
    do throws(SpoolProblem) {
      return try SpoolDirectory(
        SpoolOptions(
          name: spool.name, path: spool.path, settle: spool.settle, settleUnseen: spool.settleUnseen,
          ignore: spool.ignore, recursive: spool.recursive, rescan: spool.rescan,
          watch: SpoolOptions.Watch(spool.watch),
          poll: spool.poll), wallClock: clock.now)
    } catch {
      let problem = configuration.problem("spool.\(spool.name).path", error.reason, remedy: error.remedy)
      throw DaemonError(.configuration, "\(problem)")
    }
  }

  private func archive(of spool: SpoolSettings, _ options: SpoolOptions) throws -> Archive? {
    guard case .archive(let path) = spool.after else { return nil }
    do throws(SpoolProblem) {
      return try Archive(path: path, of: options)
    } catch {
      let problem = configuration.problem("spool.\(spool.name).archive", error.reason, remedy: error.remedy)
      throw DaemonError(.configuration, "\(problem)")
    }
  }

  private func storage(_ settings: StorageSettings) throws -> Stages.Destination<S3Bucket> {
    let accessKey = CredentialReader(settings.accessKey, environment: environment)
    let secretKey = CredentialReader(settings.secretKey, environment: environment)
    let bucket = try S3Bucket(
      S3Bucket.Options(
        name: settings.name, endpoint: settings.endpoint, region: settings.region, overwrite: settings.overwrite,
        headers: settings.headers, connectTimeout: settings.connectTimeout, stallTimeout: settings.stallTimeout,
        caFile: settings.caFile, keyNote: settings.secretKey.restartNote ?? settings.accessKey.restartNote,
        userAgent: "waybill/\(Daemon.version)"),
      transport: transport, workers: workers, now: clock.now,
      signingKey: { () throws(CredentialError) in
        SigningKey(accessKey: try accessKey.read().text, secret: try secretKey.read().text)
      })
    return .init(stage: bucket, retry: settings.retry, credentials: [accessKey, secretKey])
  }

  private func backend(_ settings: BackendSettings) -> Stages.Destination<Backend> {
    let token = settings.token.map { CredentialReader($0, environment: environment) }
    let backend = Backend(
      Backend.Options(
        url: settings.url, method: settings.method.rawValue, headers: settings.headers.compactMapValues(\.text),
        conflict: settings.conflict == .registered ? .registered : .ask, timeout: settings.timeout,
        connectTimeout: settings.connectTimeout, caFile: settings.caFile, tokenNote: settings.token?.restartNote,
        host: host, userAgent: "waybill/\(Daemon.version)"),
      transport: transport, now: clock.now, token: { () throws(CredentialError) in try token?.read().text })
    return .init(stage: backend, retry: settings.retry, credentials: [token].compactMap(\.self))
  }
}

extension BackendSettings.HeaderValue {
  /// The value as it stands in the configuration; nil for a secret, which reading the configuration refuses by now.
  fileprivate var text: String? {
    switch self {
    case .text(let text): text
    case .secret: nil
    }
  }
}

extension SpoolOptions.Watch {
  fileprivate init(_ watch: SpoolSettings.Watch) {
    switch watch {
    case .auto: self = .auto
    case .inotify: self = .inotify
    case .poll: self = .poll
    }
  }
}
