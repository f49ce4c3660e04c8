#if DEBUG
  import ChildProcesses
  import Foundation
  import Glibc
  import Jobs
  import Linux
  import Synchronization

  @testable import Spool

  /// A claim whose job is registered, with what others may do to it, and with the steps that the daemon takes to end it.
  final class ClaimEndModel: Sendable {
    enum Kind: CaseIterable { case file, pair, group }
    enum End: CaseIterable { case removed, archivedBeside, archivedElsewhere }

    enum Deed: CaseIterable {
      case nothing
      /// A program writes at the end of the first file, unless a lease holds it up.
      case write
      /// A program puts another file beside it: into the group, or into the archive under its name.
      case add
      /// A program writes at the end of the second file: the sidecar, or a member.
      case writeSecond
      /// The first file goes.
      case remove
      /// The last file gets another mode: its ctime changes, and no byte.
      case setMode
      /// The archive is unmounted, and is back when the daemon tries again.
      case moveArchive
    }

    static let late = "late"
    static let sent = ["first", "second", "third"]

    let kind: Kind
    let end: End
    private let place: Place
    private let memory: TemporaryFolder
    private let options: SpoolOptions
    private let paths: [String]
    private let files: [(name: String, identity: FileIdentity)]
    private let isWritten = Mutex(false)
    private let isRemoved = Mutex(false)
    private let id = JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 7)
    private let pattern: SidecarPattern
    private let name: FileName

    init(_ kind: Kind, _ end: End) throws {
      self.kind = kind
      self.end = end
      name = FileName(kind == .group ? "run" : "a.pdf")
      place = try Place()
      memory = try TemporaryFolder(inMemory: true)
      options = place.options()
      pattern = try SidecarPattern("{name}.json")
      try FileManager.default.createDirectory(atPath: place.root + "/archive", withIntermediateDirectories: false)
      _ = try SpoolDirectory(options)
      paths = Self.paths(kind, id, name, in: place.path)
      var files: [(name: String, identity: FileIdentity)] = []
      for (path, text) in zip(paths, Self.sent) {
        let url = URL(filePath: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        try place.awaitNoWriter(of: path)
        let folder = try Directory(path: url.deletingLastPathComponent().path)
        let facts = try folder.facts(of: Array(url.lastPathComponent.utf8))
        files.append((url.lastPathComponent, FileIdentity(facts)))
      }
      self.files = files
    }

    private static func paths(_ kind: Kind, _ id: JobID, _ name: FileName, in spool: String) -> [String] {
      let path = "\(spool)/.waybill/\(id)~\(name.text)"
      return switch kind {
      case .file: [path]
      case .pair: [path, "\(spool)/.waybill/sidecars/{name}.json/\(id)~a.pdf"]
      case .group: ["a", "sub/b", "x.done"].map { path + "/" + $0 }
      }
    }

    /// The daemon's steps for a registered job, until one of them says that it has to wait: `Disposals` in small.
    /// - Returns: true if nothing is left that was sent; nil if it is to be tried again.
    func dispose() throws -> Bool? {
      let spool = try SpoolDirectory(options)
      let archive = archivePath.map { Archive(path: $0) }
      return kind == .group ? try disposeOfGroup(spool, archive) : try disposeOfFile(spool, archive)
    }

    private var archivePath: String? {
      switch end {
      case .removed: nil
      case .archivedBeside: place.root + "/archive"
      case .archivedElsewhere: memory.path
      }
    }

    private func disposeOfFile(_ spool: SpoolDirectory, _ archive: Archive?) throws -> Bool? {
      let sent = files[0].identity
      let disposal = try spool.held().dispose(
        claim, sent, on: spool.terms(.longAgo), job: Self.job, archive: archive
      ) { now throws(FileError) in now.mayHoldBytes(of: sent) }
      switch disposal {
      case .removed, .alreadyGone: return true
      case .beingWritten, .tooYoung: return nil
      case .changed: return false
      }
    }

    private func disposeOfGroup(_ spool: SpoolDirectory, _ archive: Archive?) throws -> Bool? {
      do {
        if let end = try walk(spool, removing: false) { return end == .changed ? false : nil }
        if let archive {
          let pages = try spool.held().groupPages(claim)
          while try !pages.next(upTo: 10).isEmpty {}
          switch try spool.held().archiveGroup(claim, holding: pages.sum, job: Self.job, in: archive) {
          case .renamed: return true
          case .changed: return nil
          case .copied: break
          }
        }
        if let end = try walk(spool, removing: true) { return end == .changed ? false : nil }
        guard try spool.held().removeEmptyGroup(claim) else { return false }
        try spool.held().endArchive(id)
        return true
      } catch let error as FileError {
        guard try !spool.held().stands(claim) else { throw error }
        try spool.held().clear(claim, after: .alreadyGone)
        return true
      }
    }

    private enum Refusal { case changed, later }

    private func walk(_ spool: SpoolDirectory, removing: Bool) throws -> Refusal? {
      let pages = try spool.held().groupPages(claim)
      while true {
        let page = try pages.next(upTo: 2)
        if page.isEmpty { return nil }
        let disposal = try spool.held().end(page, of: claim, on: spool.terms(.longAgo), removing: removing) {
          file, now throws(FileError) in
          files.contains { $0.name == file.path.last.text && now.mayHoldBytes(of: $0.identity) }
        }
        switch disposal {
        case .changed: return .changed
        case .beingWritten, .tooYoung: return .later
        case .removed, .alreadyGone, nil: continue
        }
      }
    }

    private static let job = JobNumber(rawValue: 42)

    func readmit() throws {
      if kind == .group { archivePath.map { Archive(path: $0) }?.removeUnfinished(id) }
      let spool = try SpoolDirectory(options)
      let new = JobID(high: 0x0193_9F5C_7B1A_7C3E, low: 7)
      _ = try spool.held().readmit(claim, as: new)
    }

    private var claim: ClaimReference {
      switch kind {
      case .file: ClaimReference(id, name)
      case .pair:
        ClaimReference(id, name, .withSidecar(Parcel.Sidecar(pattern: pattern, identity: files[1].identity)))
      case .group: ClaimReference(id, name, .group(Parcel.Group(marker: "*.done", files: nil)))
      }
    }

    func does(_ deed: Deed) {
      do {
        switch deed {
        case .nothing: break
        case .write: try write(paths[0])
        case .writeSecond: if kind != .file { try write(paths[1]) }
        case .add: try add()
        case .remove:
          try FileManager.default.removeItem(atPath: paths[0])
          isRemoved.withLock { $0 = true }
        case .setMode:
          if let last = paths.last {
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: last)
          }
        case .moveArchive: if let archivePath { try FileManager.default.moveItem(atPath: archivePath, toPath: away) }
        }
      } catch {
        // It is not there any more, or a lease holds the program up.
      }
    }

    func undo(_ deed: Deed) throws {
      guard deed == .moveArchive, let archivePath, FileManager.default.fileExists(atPath: away) else { return }
      try FileManager.default.moveItem(atPath: away, toPath: archivePath)
    }

    private var away: String { (archivePath ?? "") + ".away" }

    private func write(_ path: String) throws {
      let url = URL(filePath: path)
      guard FileManager.default.fileExists(atPath: path) else { return }
      let folder = try Directory(path: url.deletingLastPathComponent().path)
      let file = try folder.openToAppend(Array(url.lastPathComponent.utf8), permissions: 0o600)
      try file.write(Array(Self.late.utf8), path: path)
      isWritten.withLock { $0 = true }
    }

    private func add() throws {
      let folder = kind == .group ? "\(place.path)/.waybill/\(id)~run" : archivePath
      guard let folder else { return }
      let file = try Directory(path: folder).create(Array((kind == .group ? "new" : "a.pdf").utf8), permissions: 0o600)
      try file.write(Array(Self.late.utf8), path: folder)
      isWritten.withLock { $0 = true }
    }

    func fault(isOver: Bool) throws -> String? {
      let here = try contents(of: place.root)
      let archived = try archivePath.map { try contents(of: $0) } ?? [:]
      let all = here.merging(archived) { $1 }
      if isWritten.withLock({ $0 }), !all.values.contains(where: { $0.hasSuffix(Self.late) }) {
        return "what was written late is lost"
      }
      for text in Self.sent.prefix(files.count) {
        let copies = archived.values.count { $0 == text }
        if copies > 1 { return "\(text) is in the archive twice" }
        let isElsewhere = here.contains { $0.value.hasPrefix(text) && archived[$0.key] == nil }
        if isOver, end != .removed, copies == 0, !isElsewhere, !isRemoved.withLock({ $0 }),
          !archived.values.contains(text + Self.late)
        {
          return "\(text) is not in the archive"
        }
      }
      let leftovers = all.keys.filter { $0.contains("/.waybill-") || $0.hasSuffix(".archived") }
      if !leftovers.isEmpty { return "left behind: \(leftovers)" }
      if isOver, here.keys.contains(where: { $0.contains("\(id)") }) { return "it is still claimed" }
      return nil
    }

    private func contents(of root: String) throws -> [String: String] {
      var found: [String: String] = [:]
      for path in try FileManager.default.subpathsOfDirectory(atPath: root) where !path.hasSuffix("/lock") {
        // A directory has none.
        guard let bytes = FileManager.default.contents(atPath: "\(root)/\(path)") else { continue }
        found["\(root)/\(path)"] = String(decoding: bytes, as: UTF8.self)
      }
      return found
    }
  }
#endif
