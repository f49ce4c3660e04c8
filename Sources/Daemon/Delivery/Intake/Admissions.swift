package import Jobs
import Ledger
package import Linux
import Messages
package import ObjectStorage
import Spool

/// Turns claims into admissions: fixes bucket, key and destinations by the present configuration.
package struct Admissions: Sendable {
  /// The settings that a spool's new jobs get.
  package struct Plan: Sendable {
    let options: SpoolOptions
    package let bucket: String
    package let key: KeyTemplate
    /// The room for metadata in the storage's objects.
    let room: MetadataRoom
    /// Matches the names of files; nil if the spool takes any.
    let matcher: NameMatcher?

    package init(_ options: SpoolOptions, bucket: String, key: KeyTemplate, room: MetadataRoom = MetadataRoom()) {
      self.room = room
      self.options = options
      matcher = options.match.map { NameMatcher($0) }
      self.bucket = bucket
      self.key = key
    }

    /// The route of the spool's files.
    package var route: Route { Route(storage: options.storage, bucket: bucket, backend: options.backend) }

    /// Returns the key; empty if S3 would refuse it, so that the first attempt asks a person.
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
  /// The clock of the dates in keys.
  let localTime: LocalTime
  /// Called for each missing or unusable sidecar whose job continues without it.
  let report: @Sendable (SidecarDoubt, SpoolOptions) -> Void
  /// Called with metadata for which an object has no room.
  let reportUnfit: @Sendable (FileName, [String], SpoolOptions) -> Void

  package init(
    plans: [String: Plan], host: String, clock: Clock, types: MediaTypes, localTime: LocalTime,
    report: @escaping @Sendable (SidecarDoubt, SpoolOptions) -> Void,
    reportUnfit: @escaping @Sendable (FileName, [String], SpoolOptions) -> Void
  ) {
    self.reportUnfit = reportUnfit
    self.plans = plans
    self.host = host
    self.clock = clock
    self.types = types
    self.localTime = localTime
    self.report = report
  }

  /// The media type of a directory (Shared MIME-info Database specification).
  static let groupType = "inode/directory"

  private static let emptyGroup = Failure(
    .file, .emptyGroup, code: "empty-group")

  private static func unread(_ error: FileError) -> Failure {
    Failure(
      .file,
      .belongingsUnreadable(why: error.message),
      code: error.code)
  }

  static func mayHaveBeenSent(_ name: FileName) -> Failure {
    Failure(.file, .mayHaveBeenSent(name: name.shown), code: Failure.lostListCode)
  }

  /// Returns the admissions of claims; none if the spool has left the configuration.
  func make(_ claims: [Claim], spool: String) -> [Admission] {
    guard let plan = plans[spool] else { return [] }
    let options = plan.options
    let mayAsk = options.sidecar != nil && options.sidecarMissing == .ask
    let now = clock.now()
    return claims.map { claim in
      let metadata = FileMetadata(claim.attributes, name: claim.name, types: types)
      let described = SidecarFacts(of: claim, in: options)
      let values =
        described.values.isEmpty ? metadata.values : described.values.merging(metadata.values) { $1 }
      let name = NameParts(of: claim, plan)
      if let doubt = described.doubt, !mayAsk { report(doubt, options) }
      let question =
        claim.unread.map(Self.unread)
        ?? (claim.group?.files == 0 ? Self.emptyGroup : mayAsk ? described.doubt?.failure : nil)
        ?? name.question
        ?? (claim.mayHaveBeenSent ? Self.mayHaveBeenSent(claim.name) : nil)
      @Sendable func facts(_ number: JobNumber) -> KeyFacts {
        KeyFacts(
          spool: spool, id: claim.id, name: claim.name, job: number, host: host, path: claim.path, time: now,
          offset: localTime.offset(at: now.wholeSeconds), metadata: values, captures: name.parts)
      }
      let withheld =
        values.isEmpty ? [] : withheld(metadata, described, facts(JobNumber(rawValue: .max)), plan, claim.name)
      var admission = Admission(
        id: claim.id, identity: claim.identity, mustAsk: question, kept: claim.kept
      ) { number in
        Ticket(
          id: claim.id, spool: spool, name: claim.name, path: claim.path, storage: options.storage,
          backend: options.backend,
          bucket: plan.bucket, key: plan.render(facts(number), isGroup: claim.group != nil),
          contentType: claim.group == nil ? metadata.contentType : Self.groupType, metadata: values,
          priority: options.priority, createdAt: now,
          parcel: claim.parcel, withheld: withheld, captures: name.parts)
      }
      // A requested id may have been used under another ledger.
      admission.mayBeForgotten = claim.wantedID == claim.id
      return admission
    }
  }

  /// Returns the names of metadata that the object does not get, because they do not fit. The room is for the file's attributes first,
  /// then for the sidecar's members in its order.
  private func withheld(
    _ file: FileMetadata, _ sidecar: SidecarFacts, _ facts: KeyFacts, _ plan: Plan, _ document: FileName
  ) -> [String] {
    let wanted = file.values.keys.sorted() + sidecar.names.filter { file.values[$0] == nil }
    let fitting = plan.room.fitting(wanted, of: facts.metadata, facts)
    let unfit = wanted.filter { !fitting.contains($0) }
    if !unfit.isEmpty { reportUnfit(document, unfit, plan.options) }
    return facts.metadata.keys.filter { !fitting.contains($0) }.sorted()
  }
}
