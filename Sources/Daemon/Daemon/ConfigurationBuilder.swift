import Credentials
import Delivery
import FoundationEssentials
import HTTPTransfer
import Jobs
import Linux
import Messages
import ObjectStorage
import Registration
import Reports
import Settings
import Spool
import Synchronization

/// Makes the parts of the daemon that a configuration describes. Some objects outlive a configuration, and the builder uses them
/// for the next one too: the lock of a spool whose path stays the same, and a credential whose value is fixed until a restart.
final class ConfigurationBuilder: Sendable {
  struct Shared: Sendable {
    let path: String
    let environment: [String: String]
    let clock: Clock
    let machine: Machine
    let transport: Transport
    let workers: WorkerThreads
    let disposers: WorkerThreads
    let activity: Activity
    let types: MediaTypes
    let trouble: SpoolTrouble
    let problems: CurrentProblems
    /// Receives what an operator should know and need not act on.
    let notice: @Sendable (String) -> Void
    let host = ProcessInfo.processInfo.hostName
  }

  /// A spool, for as long as anything uses it, and its lock.
  private struct InUse {
    weak var spool: SpoolDirectory?
    let lock: SpoolLock
    let keepsFiles: Bool
  }

  let shared: Shared
  private let spools = Mutex<[String: InUse]>([:])
  /// Attempts that began under an earlier configuration take turns with those of this one.
  private let turns = Turns<String>()
  let readers: CredentialReaders

  init(_ shared: Shared) {
    self.shared = shared
    readers = CredentialReaders(notice: shared.notice) { source, form in
      CredentialReader(
        source, form: form, environment: shared.environment,
        fetched: source.fetched(environment: shared.environment, now: shared.clock.now, notice: shared.notice),
        now: { shared.machine.now }
      ) { error in
        let key = CurrentProblems.Key(area: .credentials, subject: "\(source)")
        shared.problems.set(key, error?.reason, remedy: error?.advice)
      }
    }
  }

  /// Opens what the configuration names. Nothing is watched, claimed or sent yet.
  ///
  /// A spool that cannot be used now is no error: the daemon keeps looking for it, and `refusals` of the result has the reason.
  /// - Throws: a ``DaemonError`` that names the key of a spool that another daemon holds.
  func build(_ configuration: Configuration) throws -> Stages {
    var refusals: [SpoolProblem] = []
    var parts: [String: Stages.SpoolPart] = [:]
    for var spool in configuration.spools {
      let storage = configuration.storages[spool.storage]
      guard storage != nil || configuration.granted[spool.storage] != nil else { continue }  // checked when it was read
      spool.inPlaceState = "\(configuration.daemon.state)/in-place/\(Self.hash(of: spool.path))"
      let directory = try open(spool)
      if let refusal = directory.refusal, !directory.status.isPresent { refusals.append(refusal) }
      parts[spool.name] = Stages.SpoolPart(
        directory: directory, archive: Archive(spool),
        link: try LinkTemplate(spool.link ?? "", captures: spool.captures),
        bucket: storage?.bucket ?? "", key: try KeyTemplate(spool.key, captures: spool.captures),
        room: try storage.map { try MetadataRoom($0) })
    }
    let used = parts.values.map(\.directory)
    spools.withLock { spools in
      spools = spools.filter { $0.value.lock.isUsed }
      for directory in used {
        spools[directory.options.path] = InUse(
          spool: directory, lock: directory.lock, keepsFiles: directory.options.keepsFiles)
      }
    }
    let backends = try configuration.backends.mapValues { settings -> Stages.ConfiguredStage<Backend> in
      let (stage, credentials) = try Backend.configured(settings, sharedByBackends, readers)
      return .init(stage: stage, retry: settings.retry, credentials: credentials)
    }
    return Stages(
      configuration, refusals: refusals, clock: shared.clock, machine: shared.machine, host: shared.host,
      activity: shared.activity,
      workers: shared.workers, disposers: shared.disposers, types: shared.types,
      parts: parts,
      storages: try storages(configuration, backends), backends: backends,
      trouble: shared.trouble,
      reserved: ReservedDirectories(configuration, at: shared.path, environment: shared.environment))
  }

  private func storages(
    _ configuration: Configuration, _ backends: [String: Stages.ConfiguredStage<Backend>]
  ) throws -> [String: Stages.ConfiguredStorage] {
    var storages = try configuration.storages.mapValues { settings -> Stages.ConfiguredStorage in
      let (stage, credentials) = try S3Bucket.configured(settings, sharedByStorages, readers)
      return .init(stage: stage, retry: settings.retry, credentials: credentials)
    }
    for (name, settings) in configuration.granted {
      guard let backend = backends[settings.backend]?.stage else { continue }  // checked when it was read
      let stage = GrantedStorage(settings, sharedByStorages) { id, body in
        try await backend.grant(id: id, body: body, at: settings.uploadURL)
      }
      storages[name] = .init(stage: stage, retry: settings.retry, credentials: [])
    }
    return storages
  }

  /// The hash of a path (FNV-1a) that names the notes about it, so that a spool with another name has the same notes.
  private static func hash(of path: String) -> String {
    String(path.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
  }

  private func open(_ spool: SpoolOptions) throws -> SpoolDirectory {
    let inUse = spools.withLock { $0[spool.path] }
    if let inUse, inUse.lock.isUsed, inUse.keepsFiles != spool.keepsFiles {
      // The lock, and what it protects, is in another place.
      throw DaemonError(
        .configuration,
        "spool.\(spool.name).after: changes from or to \"keep\" only with a restart; systemctl restart waybill")
    }
    if let known = inUse?.spool, known.options == spool { return known }
    if let hold = inUse?.lock, let directory = SpoolDirectory(spool, joining: hold, on: shared.machine) {
      return directory
    }
    do throws(SpoolProblem) {
      return try SpoolDirectory(spool, on: shared.machine)
    } catch {
      // Two daemons with one spool are a mistake. A daemon that waited for the other one's end would take over its jobs while it
      // restarts.
      guard error.cause == .locked else {
        return SpoolDirectory(spool, refusal: error, on: shared.machine)
      }
      throw DaemonError(.configuration, "spool.\(spool.name).path: \(error.reason); \(error.remedy)")
    }
  }

  private var sharedByStorages: S3Bucket.Shared {
    S3Bucket.Shared(
      transport: shared.transport, workers: shared.workers, turns: turns, now: shared.clock.now,
      userAgent: Self.userAgent, notice: shared.notice)
  }

  private var sharedByBackends: Backend.Shared {
    Backend.Shared(
      transport: shared.transport, now: shared.clock.now, host: shared.host, userAgent: Self.userAgent)
  }

  static let userAgent = "waybill/\(Daemon.version)"
}
