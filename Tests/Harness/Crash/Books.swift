import ChildProcesses
import Foundation

/// What was dropped and what a person has asked for, kept outside of the program under test; and whether the world
/// agrees with it. Names are unique.
struct Books: Sendable {
  enum Fate: Hashable, Sendable {
    /// Whatever the daemon says, as long as the world agrees with that.
    case any
    case registered
    case cancelled
    /// Cancelled, and its object is not to be at the storage.
    case removed
    case discarded
    case released(to: URL)
  }

  struct Entry: Sendable {
    /// The name without the directories below its spool.
    var name: String
    var sha256: String
    var fate: Fate
    /// The sums of a group's files by their path; empty for a file.
    var files: [String: String] = [:]
    /// The name of a group's marker, an empty file; nil if it has none.
    var marker: String?
    /// The sum of its sidecar, `NAME.json`; nil if it has none.
    var sidecar: String?
    /// The commands that a person has given for it, whether or not they were heard. Where its fate is not ``Fate/any``
    /// they do not matter.
    var commands: Set<String> = []

    /// The sums of all that stands in its place, by the path from there: one file, or those of a group with its marker.
    var contents: [String: String] {
      guard !files.isEmpty else { return ["": sha256] }
      // SHA-256 of no bytes
      let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
      return files.merging(marker.map { [$0: empty] } ?? [:]) { one, _ in one }
    }
  }

  struct Place: Sendable {
    var name = "documents"
    var spool: URL
    var archive: URL?
  }

  let places: [Place]
  private(set) var entries: [Entry] = []

  init(places: [Place]) { self.places = places }

  mutating func enter(_ entry: Entry) { entries.append(entry) }

  mutating func change(_ name: String, _ change: (inout Entry) -> Void) {
    for index in entries.indices where entries[index].name == name { change(&entries[index]) }
  }

  private var folders: [URL] {
    places.map(\.spool) + places.compactMap(\.archive)
      + Set(entries.compactMap { entry in if case .released(let to) = entry.fate { to } else { nil } })
  }

  /// SHA-256 in hex of every file in the folders and below them, by path.
  static func sums(in folders: [URL]) async throws -> [String: String] {
    let script = "find \"$@\" -type f -print0 | xargs -0 -r sha256sum -z --"
    let text = try await Command.require(["sh", "-c", script, "_"] + folders.map(\.path))
    var sums: [String: String] = [:]
    for line in text.split(separator: "\0") { sums[String(line.dropFirst(66))] = String(line.prefix(64)) }
    return sums
  }

  /// What is wrong at the moment of a crash: bytes that are nowhere, or a row without its file. Empty if all is well.
  ///
  /// `state` is the folder of the ledger, which is read from a copy: reading it would repair it.
  func faultsAtDeath(ledger state: URL, _ sandboxes: [Sandbox]) async throws -> [String] {
    let rows = try LedgerCopy.rows(of: state)
    let sums = try await Self.sums(in: folders)
    let registered = Set(try sandboxes.flatMap { try $0.registrations() }.compactMap(\.body.name.string))
    var faults: [String] = []
    for row in rows where !["registered", "discarded"].contains(row.state) {
      let isThere = sums.keys.contains { $0.contains("/.waybill/\(row.id)~") || $0.contains("/.waybill/\(row.id)/") }
      if !isThere { faults.append("\(row.name) is \(row.state) and its file is gone") }
    }
    let discarded = Set(rows.filter { $0.state == "discarded" }.map(\.name))
    for entry in entries where !registered.contains(entry.name) {
      guard !discarded.contains(entry.name) || entry.fate.isRelease else { continue }
      if !entry.files.isEmpty {
        let lost = entry.files.values.filter { !sums.values.contains($0) }
        if !lost.isEmpty { faults.append("\(lost.count) files of \(entry.name) are neither on disk nor registered") }
        continue
      }
      let isThere = sums.contains { $0.value == entry.sha256 && $0.key.hasSuffix(entry.name) }
      if !isThere { faults.append("\(entry.name) is neither on disk nor registered") }
      if let sidecar = entry.sidecar, !sums.values.contains(sidecar) {
        faults.append("the sidecar of \(entry.name) is neither on disk nor registered")
      }
    }
    return faults
  }

  func faults(at daemon: Daemon, _ sandboxes: [Sandbox]) async throws -> [String] {
    let far = try await Server(sandboxes)
    let all = try await daemon.jobs()
    var faults = far.faults + far.leftovers(all)
    let jobs = Dictionary(grouping: all, by: { $0.name.string ?? "" })
    var expected: [String: String] = [:]
    var archived: [String] = []
    var ids: Set<String> = []
    for entry in entries {
      let jobs = jobs[entry.name] ?? []
      guard let job = jobs.first, jobs.count == 1 else {
        faults.append("\(entry.name) is \(jobs.count) jobs: \(jobs.map(\.state))")
        continue
      }
      ids.insert(job.id.string ?? "")
      faults += far.faults(of: job, entry)
      if let place = place(of: job, entry) {
        for (path, sum) in entry.contents { expected[path.isEmpty ? place : place + "/" + path] = sum }
        if let sidecar = entry.sidecar { expected[sidecarPlace(place, entry)] = sidecar }
      }
      let isArchived = places.contains { $0.name == job.spool.string && $0.archive != nil }
      if isArchived, job.state == "registered" {
        archived += Array(entry.contents.values) + (entry.sidecar.map { [$0] } ?? [])
      }
    }
    if let strange = jobs.keys.first(where: { name in !entries.contains { $0.name == name } }) {
      faults.append("there is a job of \(strange), which nobody dropped")
    }
    faults += far.strangers(besides: ids)
    return faults + (try await faultsOnDisk(expected, archived: archived))
  }

  /// Where the bytes of a job's file should be now; nil where they should be nowhere.
  private func place(of job: JSONValue, _ entry: Entry) -> String? {
    switch job.state {
    case "registered": nil  // in the archive, if anywhere, where a name may have got a number
    case "discarded": if case .released(let folder) = entry.fate { folder.path + "/" + entry.name } else { nil }
    default: job.path.string ?? "nowhere, says job \(job.job)"
    }
  }

  /// Where the sidecar of a document should be that is in its place: beside it, or where claimed sidecars stand.
  private func sidecarPlace(_ document: String, _ entry: Entry) -> String {
    guard let claimed = document.firstRange(of: "/.waybill/") else { return document + ".json" }
    return document.replacingCharacters(in: claimed, with: "/.waybill/sidecars/{name}.json/")
  }

  private func faultsOnDisk(_ expected: [String: String], archived due: [String]) async throws -> [String] {
    var faults: [String] = []
    var sums = try await Self.sums(in: folders).filter { !$0.key.hasSuffix("/.waybill/lock") }
    for (path, sum) in expected where sums.removeValue(forKey: path) != sum {
      faults.append("\(path) is not as it should be")
    }
    var archived: [String] = []
    for archive in places.compactMap(\.archive) {
      for (path, sum) in sums where path.hasPrefix(archive.path + "/") {
        archived.append(sum)
        sums[path] = nil
        if path.contains("/.waybill") { faults.append("\(path) is left in the archive") }
      }
    }
    if archived.sorted() != due.sorted() {
      faults.append("the archives have \(archived.count) files instead of \(due.count), or others")
    }
    return faults + sums.keys.sorted().map { "\($0) is left" }
  }
}

extension Books.Fate {
  fileprivate var isRelease: Bool { if case .released = self { true } else { false } }

  var state: String? {
    switch self {
    case .any: nil
    case .registered: "registered"
    case .cancelled, .removed: "cancelled"
    case .discarded, .released: "discarded"
    }
  }
}
