package import Jobs
import Ledger
import Linux
import Messages
package import ObjectStorage
package import Spool

extension Stages {
  /// A spool, as its new jobs and their attempts need it.
  package final class SpoolPart: Sendable {
    package let directory: SpoolDirectory
    /// The archive for the files of registered jobs; nil if they are removed.
    let archive: Archive?
    let link: LinkTemplate
    let bucket: String
    let key: KeyTemplate
    /// The space for metadata; nil if the objects have no limit.
    let room: MetadataRoom?
    let matcher: NameMatcher?

    package init(
      directory: SpoolDirectory, archive: Archive?, link: LinkTemplate, bucket: String, key: KeyTemplate,
      room: MetadataRoom?
    ) {
      self.directory = directory
      self.archive = archive
      self.link = link
      self.bucket = bucket
      self.key = key
      self.room = room
      matcher = directory.options.match.map { NameMatcher($0) }
    }

    var options: SpoolOptions { directory.options }

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

    /// Returns the parts of a claimed name by the spool's `match`, and the question to a person about a file that was claimed under an
    /// earlier configuration, or whose name takes too many steps to match.
    func match(_ claim: Claim) -> (parts: [String: String], question: Failure?) {
      guard let matcher, let pattern = options.match else { return ([:], nil) }
      let shown = DisplayText.escape(pattern.text)
      switch matcher.match(claim.dropped) {
      case .parts(let parts): return (parts, nil)
      case .unmatched: return ([:], Failure(.file, .nameUnmatched(pattern: shown), code: "unmatched"))
      case .undecided:
        return ([:], Failure(.file, .matchTooLong(pattern: shown, spool: options.name), code: "unmatched"))
      }
    }
  }
}

/// Turns claims into admissions: fixes bucket, key and destinations by the present configuration.
extension Stages {
  /// The media type of a directory (Shared MIME-info Database specification).
  static let groupType = "inode/directory"

  private static let emptyGroup = Failure(.file, .emptyGroup, code: "empty-group")

  private static func unread(_ error: FileError) -> Failure {
    Failure(.file, .belongingsUnreadable(why: error.message), code: error.code)
  }

  private static func faulty(_ words: Message) -> Failure {
    Failure(.file, .withoutSidecar(what: words), code: Failure.sidecarCode)
  }

  private static func overMaxSize(_ claim: Claim, _ options: SpoolOptions) -> Failure? {
    guard let most = options.maxSize, claim.identity.size > most else { return nil }
    return Failure(.file, .overMaxSize(size: claim.identity.size, most: most), code: "too-large")
  }

  static func mayHaveBeenSent(_ name: FileName) -> Failure {
    Failure(.file, .mayHaveBeenSent(name: name.shown), code: Failure.lostListCode)
  }

  /// Returns the admissions of claims, and reports sidecars and metadata that are not used; none if the spool has left the configuration.
  func prepareAdmissions(of claims: [Claim], in spool: String) -> [Admission] {
    guard let part = parts[spool] else { return [] }
    let options = part.options
    let mayAsk = options.sidecar != nil && options.sidecarMissing == .ask
    let now = clock.now()
    return claims.map { claim in
      let metadata = FileMetadata(claim.attributes, name: claim.name, types: types)
      let described = SidecarFacts(of: claim, in: options)
      let values = described.map { $0.values.merging(metadata.values) { $1 } } ?? metadata.values
      let name = part.match(claim)
      if let fault = described?.fault, !mayAsk {
        let words = Message.sentWithoutDescription(document: claim.name.shown, why: fault.words)
        trouble.report(SpoolProblem(options, .sidecar, words, remedy: fault.remedy))
      }
      let question =
        claim.unread.map(Self.unread)
        ?? (claim.group?.files == 0 ? Self.emptyGroup : mayAsk ? described?.fault.map { Self.faulty($0.words) } : nil)
        ?? name.question ?? Self.overMaxSize(claim, options)
        ?? (claim.mayHaveBeenSent ? Self.mayHaveBeenSent(claim.name) : nil)
      @Sendable func facts(_ number: JobNumber, at time: Timestamp) -> KeyFacts {
        KeyFacts(
          spool: spool, id: claim.id, name: claim.name, job: number, host: host, path: claim.path, time: time,
          offset: localTime.offset(at: time.wholeSeconds), metadata: values, captures: name.parts)
      }
      let withheld =
        values.isEmpty
        ? []
        : withhold(metadata, described?.names ?? [], facts(JobNumber(rawValue: .max), at: now), part, claim.name)
      var admission = Admission(
        id: claim.id, identity: claim.identity, mustAsk: question, kept: claim.kept
      ) { number in
        Ticket(
          id: claim.id, spool: spool, name: claim.name, path: claim.path, storage: options.storage,
          backend: options.backend, bucket: part.bucket,
          key: part.render(facts(number, at: now), isGroup: claim.group != nil),
          contentType: claim.group == nil ? metadata.contentType : Self.groupType, metadata: values,
          priority: options.priority, createdAt: now,
          parcel: claim.parcel, withheld: withheld, captures: name.parts)
      }
      if let sidecar = claim.sidecar?.sidecar {
        admission.joined = { job in
          let key = part.render(facts(job.number, at: job.ticket.createdAt))
          return job.ticket.with(sidecar, key: key, metadata: values, withheld: withheld)
        }
      }
      // A requested id may have been used under another ledger.
      admission.mayBeForgotten = claim.wantedID == claim.id
      return admission
    }
  }

  /// Returns and reports the names of metadata that do not fit into the object. The file's attributes come first, then the sidecar's
  /// members in its order.
  private func withhold(
    _ file: FileMetadata, _ members: [String], _ facts: KeyFacts, _ part: SpoolPart, _ document: FileName
  ) -> [String] {
    guard let room = part.room else { return [] }
    let wanted = file.values.keys.sorted() + members.filter { file.values[$0] == nil }
    let fitting = room.fitting(wanted, of: facts.metadata, facts)
    let unfit = wanted.filter { !fitting.contains($0) }
    if !unfit.isEmpty {
      let shown = unfit.prefix(8).map { DisplayText.escape($0) }
      let names = (shown + (unfit.count > 8 ? ["…"] : [])).joined(separator: ", ")
      let words = Message.metadataBeyondRoom(document: document.shown, limit: MetadataRoom.limit, names: names)
      trouble.report(SpoolProblem(part.options, .attributes, words, remedy: .shortenMetadata))
    }
    return facts.metadata.keys.filter { !fitting.contains($0) }.sorted()
  }
}
