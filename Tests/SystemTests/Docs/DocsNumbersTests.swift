import ChildProcesses
import Foundation
import Jobs
import Messages
import Testing

@testable import ControlAPI
@testable import ControlServer
@testable import Credentials
@testable import Daemon
@testable import Delivery
@testable import HTTPTransfer
@testable import Ledger
@testable import ObjectStorage
@testable import PCRE2
@testable import Registration
@testable import Reports
@testable import Settings
@testable import Spool
@testable import SystemdLink
@testable import waybill

/// Each number in a document that is a constant of the code. The defaults in waybill.toml(5) have tests of their own (`DefaultsTests`).
struct DocsNumbersTests {
  /// A sentence that a document has, with the number as the code has it.
  struct Statement: Sendable, CustomTestStringConvertible {
    let path: String
    let sentence: String

    init(_ path: String, _ sentence: String) { (self.path, self.sentence) = (path, sentence) }

    var testDescription: String { "\(path): \(sentence)" }
  }

  @Test(arguments: try statements())
  func documentHasNumberOfCode(_ statement: Statement) throws {
    let text = try String(contentsOfFile: Products.source(statement.path), encoding: .utf8)
    #expect(text.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(statement.sentence))
  }

  private static let second = Duration.seconds(1)
  private static let minute = Duration.seconds(60)
  private static let day = Duration.seconds(86_400)

  /// A number in digits, with commas between thousands.
  private static func n(_ number: some BinaryInteger) -> String {
    Int64(number).formatted(.number.grouping(.automatic).locale(Locale(identifier: "en_US")))
  }

  private static func n(_ duration: Duration, in unit: Duration) -> String { n(Int64(duration / unit)) }

  private static func kibibytes(_ bytes: some BinaryInteger) -> String { "\(n(Int64(bytes) >> 10)) KiB" }

  private static func mebibytes(_ bytes: some BinaryInteger) -> String { "\(n(Int64(bytes) >> 20)) MiB" }

  private static func spelled(_ number: Int) -> String {
    let formatter = NumberFormatter()
    formatter.locale = Locale(identifier: "en_US")
    formatter.numberStyle = .spellOut
    return formatter.string(from: NSNumber(value: number)) ?? ""
  }

  /// A configuration in which nothing is set that has a default.
  private static func defaults() throws -> Configuration {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let key = try folder.write("key", "key\n")
    let path = try folder.write(
      "waybill.toml",
      """
      [storage.main]
      endpoint = "https://s3.example.com"
      bucket = "documents"
      access_key = { file = "\(key)" }
      secret_key = { file = "\(key)" }
      [backend.main]
      url = "https://api.example.com/documents"
      [[spool]]
      path = "/var/spool/waybill/documents"
      """)
    return try Configuration.load(path: path, environment: [:])
  }

  private static func statements() throws -> [Statement] {
    let configuration = try defaults()
    return try failures(configuration) + spools(configuration) + objects() + backends(configuration)
      + daemon(configuration) + control()
  }

  private static func failures(_ configuration: Configuration) throws -> [Statement] {
    let storage = try #require(configuration.storages["main"])
    let page = "docs/troubleshooting.md"
    let delays = configuration.retry.delays.map { n($0, in: second) }
    let retries = delays.dropLast().joined(separator: ", ") + " and " + (delays.last ?? "")
    let (pause, longest) = (n(Gate.firstPause, in: second), n(Gate.longestPause, in: minute))
    let look = n(Gate.firstLook, in: second)
    return [
      Statement(page, "retries after \(retries) s, then asks"),
      Statement(page, "the default \(n(configuration.retry.delays.reduce(.zero, +), in: second)) s"),
      Statement(page, "all jobs, at least \(spelled(Gate.Run.least)), get no answer"),
      Statement(
        page,
        "after \(pause) s (\(look) s for `network` and `question`), then at doubling intervals up to \(longest) min "
          + "(\(n(Gate.longestQuestion, in: minute)) min for `question`)"),
      Statement("man/waybilld.8", "first after \(pause) seconds (\(look) second if there is no connection)"),
      Statement("man/waybilld.8", "at intervals of up to \(longest) minutes"),
      Statement("docs/internals/failures-and-gates.md", "at least \(n(Gate.Run.least)) different jobs"),
      Statement(page, "\(n(storage.connectTimeout, in: second)) s to connect"),
      Statement(page, "\(n(storage.stallTimeout, in: second)) s without a byte at a storage"),
      Statement(page, "the attempt ends after \(n(storage.stallTimeout, in: second)) s"),
      Statement(page, "the first \(kibibytes(FailedAnswer.limit)) of the failed answer"),
      Statement("docs/backend.md", "the first \(kibibytes(FailedAnswer.limit)) of the answer"),
      Statement(
        "docs/internals/storage.md", "may take effect for \(n(storage.completeTimeout, in: minute)) minutes"),
    ]
  }

  private static func spools(_ configuration: Configuration) throws -> [Statement] {
    let spool = try #require(configuration.spools.first)
    let manual = "man/waybill.toml.5"
    let renamed = "\(n(spool.settleRenamed, in: .milliseconds(1))) ms"
    let settle = "\(n(spool.settle, in: .milliseconds(1))) ms"
    let unseen = "\(n(spool.settleUnseen, in: second)) s"
    let empty = "\(n(spool.settleEmpty, in: second)) s"
    let open = n(spool.settleOpen, in: minute)
    let look = "\(n(spool.longestLook, in: second)) s"
    return [
      Statement("docs/spool.md", "`settle_renamed` (\(renamed))"), Statement("docs/spool.md", "`settle` (\(settle))"),
      Statement("docs/spool.md", "`settle_unseen` (\(unseen))"),
      Statement("docs/spool.md", "an empty file waits for \(empty)"),
      Statement("docs/spool.md", "unchanged for \(open) min"),
      Statement("docs/performance.md", "`settle_renamed` (\(renamed))"),
      Statement("docs/windows.md", "takes the file after \(renamed)"),
      Statement("docs/containers.md", "unchanged for \(open) minutes"),
      Statement("docs/troubleshooting.md", "wait \(open) minutes, or give"),
      Statement("docs/groups.md", "retries every \(look)"),
      Statement("docs/internals/spool.md", "stays at least \(empty)"),
      Statement("docs/internals/spool.md", "unchanged for \(open) minutes"),
      Statement("docs/internals/spool.md", "every \(look) (`SpoolOptions"),
      Statement("man/waybill-drop.7", ".Ic settle_renamed .Pq \(renamed) ."),
      Statement("man/waybill-drop.7", ".Ic settle .Pq \(settle) ."),
      Statement("man/waybill-drop.7", ".Ic settle_unseen .Pq \(unseen) ."),
      Statement("man/waybill-drop.7", "waits for \(empty)."),
      Statement("man/waybill-drop.7", "unchanged for \(open) minutes"),
      Statement(manual, "must stay unchanged for \(open) minutes"), Statement(manual, "must stay empty for \(empty)."),
      Statement(manual, "spool is checked every \(look), or"),
      Statement(
        manual, "at most \(n(GroupTree.mostFiles)) files, a name of at most \(n(LockedSpool.longestGroupName)) bytes"),
      Statement(
        "docs/groups.md", "more than \(n(GroupTree.mostFiles)) files, or paths over \(n(GroupTree.longestPath)) bytes"),
      Statement(
        manual,
        "At most \(kibibytes(SidecarPattern.limit)) of UTF-8, \(kibibytes(Claim.attributeBytes)) of members."),
      Statement(
        "docs/sidecars.md",
        "at most \(n(Claim.attributeCount)) members and \(kibibytes(Claim.attributeBytes))"),
      Statement("docs/sidecars.md", "over \(kibibytes(SidecarPattern.limit)), not UTF-8"),
      Statement(manual, "There may be \(n(NameExpression.mostCaptures)) parts"),
      Statement(
        manual,
        "At most \(NameExpression.longest) bytes; a match that takes \(n(NameExpression.mostSteps)) steps becomes a question"
      ),
      Statement("docs/keep.md", "ask after \(n(Stages.patienceInPlace, in: day)) days"),
      Statement(manual, "remembered for \(n(JobLedger.contentMemory, in: day)) days"),
      Statement("docs/keep.md", "holds \(n(SentFile.mostOfName)) contents for each name"),
      Statement("docs/sidecars.md", "over \(n(JSONReader.deepest)) levels"),
      Statement("docs/match.md", "files for \(n(JobLedger.contentMemory, in: day)) days"),
    ]
  }

  private static func objects() -> [Statement] {
    let table = "Sources/Core/Messages/Table/uploads.txt"
    return [
      Statement("man/waybill.toml.5", "A key has at most \(KeyTemplate.limit) bytes."),
      Statement(table, "S3 allows at most \(n(KeyTemplate.limit)): shorten the name"),
      Statement(
        table,
        "at most \(n(MetadataHeaders.headerLimit)) bytes of headers, with at most \(n(MetadataRoom.limit)) bytes of metadata"
      ),
      Statement("docs/sidecars.md", "room for \(kibibytes(MetadataRoom.limit)) of metadata"),
      Statement("man/waybill.toml.5", ".Pq \(MetadataRoom.limit) bytes ;"),
      Statement("man/waybill.toml.5", "tags for every object, at most \(n(ObjectTag.most)), with"),
      Statement(
        "man/waybill.toml.5",
        "at most \(n(ObjectTag.longestName)) and values at most \(n(ObjectTag.longestValue)) characters"),
      Statement("docs/performance.md", "Files of \(mebibytes(Job.leastLarge)) and more use at most half"),
      Statement("man/waybill.toml.5", "Files of \(mebibytes(Job.leastLarge)) or more use at most half"),
    ]
  }

  private static func backends(_ configuration: Configuration) throws -> [Statement] {
    let backend = try #require(configuration.backends["main"])
    let (least, most) = (NoticeQueue.pauses.lowerBound, NoticeQueue.pauses.upperBound)
    return [
      Statement("docs/backend.md", "within `timeout` (\(n(backend.timeout, in: second)) s)"),
      Statement("docs/backend.md", "up to \(kibibytes(Backend.bodyLimit)) of the"),
      Statement("docs/backend.md", "sends at most \(mebibytes(GroupList.limit))"),
      Statement(
        "man/waybill.toml.5",
        "up to \(n(NoticeQueue.mostAtOnce)) or \(kibibytes(NoticeQueue.mostBytes)) in a request, "
          + "at most one request in \(n(NoticeQueue.gathering, in: second)) s"),
      Statement("man/waybill.toml.5", "double from \(n(least, in: second)) s to \(n(most, in: minute)) min"),
      Statement("man/waybill.toml.5", "Up to \(n(NoticeQueue.mostWaiting)) notifications wait"),
    ]
  }

  private static func daemon(_ configuration: Configuration) -> [Statement] {
    let daemon = configuration.daemon
    let grace = n(daemon.grace, in: second)
    let slots = [1024, 512].map { DescriptorPlan($0).slots }
    return [
      Statement("docs/install.md", "have \(grace) s to"), Statement("docs/containers.md", "cleanly within \(grace) s"),
      Statement("man/waybilld.8", "may finish within \(grace) s"),
      Statement("man/waybilld.8", "\(grace) s after SIGTERM"),
      Statement("systemd/waybill.catalog", "have \(grace) seconds to finish"),
      Statement("systemd/waybill.zh_CN.catalog", "可在 \(grace) 秒之内结束"),
      Statement("docs/operating.md", "Beyond \(n(daemon.admitAhead)) jobs of a spool"),
      Statement("docs/troubleshooting.md", "\(n(daemon.admitAhead)) jobs ahead"),
      Statement("docs/troubleshooting.md", "`min_free` (\(mebibytes(daemon.minFree)))"),
      Statement("man/waybill.toml.5", "1,024 files allow \(slots[0]) attempts, 512 files \(slots[1])."),
      Statement("docs/internals/concurrency.md", "from \(n(ConcurrencyLimit.start)), one more slot"),
      Statement("docs/internals/concurrency.md", "\(n(ConcurrencyLimit.highest)) is the highest limit"),
      Statement("man/waybill.toml.5", "UTF-8, at most \(mebibytes(Document.limit))."),
      Statement("man/waybill.toml.5", "UTF-8 text of at most \(kibibytes(Secret.limit))"),
      Statement("man/waybill.toml.5", "at most \(n(UnixSocket.pathLimit)) bytes"),
      Statement("docs/troubleshooting.md", "gave up \(mebibytes(LedgerFiles.reserveSizes.upperBound)) to make room"),
      Statement("man/waybilld.8", "Up to \(mebibytes(LedgerFiles.reserveSizes.upperBound)) that are given up"),
      Statement("man/waybilld.8", "progress at least every \(n(RunningDaemon.longestSilence, in: second)) seconds"),
      Statement("docs/containers.md", "reported within \(n(RunningDaemon.longestSilence, in: second)) s"),
      Statement("man/waybilld.8", "If more than \(n(JournalFolding.limit)) events of"),
      Statement("man/waybilld.8", "reason within \(n(JournalFolding.window, in: second)) seconds"),
      Statement("man/waybill.1", "the last \(n(JobLedger.eventsKept)) events"),
      Statement("man/waybill-api.7", "the last \(n(JobLedger.eventsKept)) events"),
      Statement("man/waybill-page.8", "of the last \(n(JobLedger.eventsKept))"),
      Statement("docs/operating.md", "the last \(n(JobLedger.eventsKept)) events"),
      Statement("docs/security.md", "warns \(n(ConfigurationAdvice.margin, in: day)) days before"),
    ]
  }

  private static func control() -> [Statement] {
    let limits = ControlServer.Limits()
    let manual = "man/waybill-api.7"
    let patience = n(limits.peerPatience, in: second)
    let page = ListQuery.limits
    return [
      Statement(manual, "A comment comes every \(n(limits.heartbeat, in: second)) seconds."),
      Statement(manual, "reads nothing for \(patience) seconds"),
      Statement(manual, "its answer read, within \(patience) seconds"),
      Statement(manual, "when \(n(limits.connections)) connections are open"),
      Statement(
        manual, "up to \(n(limits.eventStreams)) readers of events, and \(n(limits.eventStreams)) callers that wait"),
      Statement(manual, "A body has up to \(kibibytes(ControlHandlers.bodyLimit))."),
      Statement(manual, "\(page.lowerBound) to \(page.upperBound), default \(ListQuery().limit)"),
      Statement(
        manual, "a name has up to \(n(FleetPerson.longestName)) bytes, a role up to \(n(FleetPerson.longestRole))"),
      Statement("man/fleet.toml.5", "at most \(n(FleetPerson.longestName)) bytes without commas"),
      Statement("man/waybill.1", "beyond \(ReasonCount.most) reasons the rest is one group"),
      Statement("man/waybill.1", "from \(n(JobCommand.manyJobs)) jobs on"),
      Statement("man/waybill.1", "the last \(n(ListCommand.usual)) jobs are shown"),
    ]
  }
}
