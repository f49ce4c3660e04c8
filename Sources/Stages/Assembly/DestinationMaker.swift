public import Credentials
import FetchedCredentials
public import HTTPTransfer
public import Jobs
import LinuxFiles
public import ObjectStorage
public import Threads

/// Makes the stages of the configured storages and backends, for the daemon and for programs that only try them.
public struct DestinationMaker: Sendable {
  let transport: Transport
  let workers: WorkerThreads
  let turns: Turns<String>
  let now: @Sendable () -> Timestamp
  let host: String
  let userAgent: String
  let notice: @Sendable (String) -> Void
  let clockTrouble: @Sendable (String, ClockTrouble?) -> Void
  let reader: @Sendable (CredentialSource, Secret.Form) -> CredentialReader

  /// Creates a maker from the things that all stages share.
  ///
  /// - Parameters:
  ///   - turns: the turns of jobs that store an object under the same key.
  ///   - host: the name of this host, which backends are told.
  ///   - userAgent: the value of `User-Agent`.
  ///   - notice: called once with something that an operator should know about the use of a destination.
  ///   - clockTrouble: called when a storage's clock and the one here are too far apart, and with nil once they are not.
  ///   - reader: returns the reader of a credential, the same one for the same source and form.
  public init(
    transport: Transport, workers: WorkerThreads, turns: Turns<String> = Turns(),
    now: @escaping @Sendable () -> Timestamp, host: String, userAgent: String,
    notice: @escaping @Sendable (String) -> Void = { _ in },
    clockTrouble: @escaping @Sendable (_ storage: String, ClockTrouble?) -> Void = { _, _ in },
    reader: @escaping @Sendable (CredentialSource, Secret.Form) -> CredentialReader
  ) {
    self.transport = transport
    self.workers = workers
    self.turns = turns
    self.now = now
    self.host = host
    self.userAgent = userAgent
    self.notice = notice
    self.clockTrouble = clockTrouble
    self.reader = reader
  }

  func reader(_ source: CredentialSource) -> CredentialReader { reader(source, .line) }

  func certificate(_ source: ClientCertificate) -> LiveCertificate {
    LiveCertificate(source, notice: notice, reader: reader)
  }
}
