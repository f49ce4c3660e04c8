package import Jobs
import Ledger
import LinuxFiles
package import ObjectStorage
import Spool

/// Makes admissions of claims: fixes bucket, key and names by what the configuration says at this moment.
package struct Admissions: Sendable {
  /// The settings that a spool's new jobs get.
  package struct Plan: Sendable {
    let storage: String
    let backend: String
    package let bucket: String
    package let key: KeyTemplate
    let priority: Int
    /// The terms on which documents come with a sidecar; nil if they have none.
    let sidecars: SidecarTerms?
    /// The time zone of the dates in the key.
    let zone: TimeZoneRules
    /// True if several hosts have the spool. Then a key has the time of the claim, which all of them know.
    let isShared: Bool

    package init(
      storage: String, backend: String, bucket: String, key: KeyTemplate, priority: Int, sidecars: SidecarTerms? = nil,
      zone: TimeZoneRules = .utc, isShared: Bool = false
    ) {
      self.storage = storage
      self.backend = backend
      self.bucket = bucket
      self.key = key
      self.priority = priority
      self.sidecars = sidecars
      self.zone = zone
      self.isShared = isShared
    }

    /// The key; empty where the name makes none that S3 takes, which the first attempt turns into a question.
    func render(_ facts: KeyFacts, isGroup: Bool = false) -> String {
      do throws(Failure) {
        let key = try key.render(facts)
        return isGroup ? key + "/" : key
      } catch {
        return ""
      }
    }
  }

  package let plans: [String: Plan]
  let host: String
  let clock: Clock
  let types: MediaTypes
  /// Hears of sidecars that are missing or cannot be used, of jobs that go on all the same.
  let report: @Sendable (SidecarDoubt, _ spool: String) -> Void

  package init(
    plans: [String: Plan], host: String, clock: Clock, types: MediaTypes,
    report: @escaping @Sendable (SidecarDoubt, _ spool: String) -> Void = { _, _ in }
  ) {
    self.plans = plans
    self.host = host
    self.clock = clock
    self.types = types
    self.report = report
  }

  /// The media type of a directory (Shared MIME-info Database specification).
  static let groupType = "inode/directory"

  private static let emptyGroup = Failure(
    .file, "it has no files besides its marker; confirm registers it with an empty list", code: "empty-group")

  private static func unread(_ error: FileError) -> Failure {
    Failure(
      .file,
      "what belongs to it cannot be read: \(error.words); confirm sends it without that, release gives it back",
      code: error.code)
  }

  /// - Parameter inheritances: what stands beside the files that another host may have sent, by id.
  func make(_ claims: [Claim], spool: String, _ inheritances: [JobID: Inheritance] = [:]) -> [Admission] {
    guard let plan = plans[spool] else { return [] }
    let now = clock.now()
    return claims.map { claim in
      let metadata = FileMetadata(claim.attributes, name: claim.name, types: types)
      let described = SidecarFacts(of: claim, on: claim.group == nil ? plan.sidecars : nil)
      let values =
        described.values.isEmpty ? metadata.values : described.values.merging(metadata.values) { $1 }
      if let doubt = described.doubt, plan.sidecars?.missing != .ask { report(doubt, spool) }
      let question =
        claim.unread.map(Self.unread)
        ?? (claim.group?.files == 0 ? Self.emptyGroup : plan.sidecars?.missing == .ask ? described.doubt?.failure : nil)
      let parcel = claim.group.map { .group(Parcel.Group(marker: $0.marker, files: $0.files)) } ?? described.parcel
      let receipt = inheritances[claim.id]?.stored?.receipt
      let time = plan.isShared ? claim.id.mintedAt ?? now : now
      return Admission(id: claim.id, identity: claim.identity, mustAsk: question) { number in
        Ticket(
          id: claim.id, spool: spool, name: claim.name, path: claim.path, storage: plan.storage, backend: plan.backend,
          bucket: receipt?.bucket ?? plan.bucket,
          key: receipt?.key
            ?? plan.render(
              KeyFacts(
                spool: spool, id: claim.id, name: claim.name, job: number, host: host, path: claim.path, time: time,
                zone: plan.zone, metadata: values),
              isGroup: claim.group != nil),
          contentType: claim.group == nil ? metadata.contentType : Self.groupType, metadata: values,
          priority: plan.priority, createdAt: now,
          parcel: parcel)
      }
    }
  }
}
