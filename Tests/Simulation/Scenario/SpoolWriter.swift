import FoundationEssentials
import SystemPackage

/// The programs of droppers: they write real files into the world's folder, and enter into the books what is whole.
///
/// They live in the process of the daemon. When that ends, so do they (``died(_:at:)``).
package struct SpoolWriter: Codable, Sendable {
  struct OpenFile: Codable, Hashable, Sendable {
    var drop: Drop
    var role: FileVersion.Part.Role
    var runs: [FileContent.Run] = []
    var descriptor: Int32
  }

  package let root: String
  var open = SortedTable<OpenFile>()
  /// The numbers of drops whose programs have died half way.
  private var dead: [Int] = []
  /// The paths to which nothing could be renamed or linked.
  private var lost: [String] = []
  /// The number of the card that is in each slot, if it is not the first one. Only ever looked up.
  private var cards: [String: Int] = [:]

  package init(root: String) { self.root = root }

  /// Makes the directories of a scenario's world, and the files of its keys.
  package func makeWorld(of scenario: Scenario) throws {
    let plans = scenario.configurations
    let spools = plans.flatMap(\.spools)
    for folder in [Drop.outside, ConfigurationPlan.releaseFolder, "state", "keys"]
      + spools.map(\.directory) + spools.filter(\.archives).map(\.archive)
    {
      try FileManager.default.createDirectory(atPath: place(folder), withIntermediateDirectories: true)
    }
    for file in plans.flatMap(\.keyFiles) { try writeKey(file.text, to: file.path) }
  }

  package func writeKey(_ text: String, to path: String) throws {
    let file = try FileDescriptor.open(
      FilePath(place(path)), .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
    try file.closeAfter { _ = try file.writeAll(Array((text + "\n").utf8)) }
  }

  /// Does one step of a drop. A step of a file that is not open any more does nothing: its program has died.
  package mutating func perform(_ step: FileStep, _ books: inout Books, at now: Duration) throws {
    switch step {
    case .makeFolder(let path):
      // A spool that is away is not made anew.
      guard exists(path.split(separator: "/").prefix(2).joined(separator: "/")) || path.hasPrefix(Drop.outside) else {
        return
      }
      try FileManager.default.createDirectory(atPath: place(path), withIntermediateDirectories: true)
    case .open(let path, let drop, let role):
      guard !dead.contains(drop.number) else { return }
      let file: FileDescriptor
      do {
        file = try FileDescriptor.open(
          FilePath(place(path)), .writeOnly, options: [.create, .append],
          permissions: [.ownerReadWrite, .groupReadWrite])
      } catch Errno.noSuchFileOrDirectory {
        dead.append(drop.number)
        return
      }
      if let id = drop.wantedID, role == .document { try ask(for: id, file.rawValue) }
      open[path] = OpenFile(drop: drop, role: role, descriptor: file.rawValue)
    case .write(let path, let content, let run):
      guard var file = open[path] else { return }
      try FileDescriptor(rawValue: file.descriptor).writeAll(content.bytes(of: run))
      file.runs.append(run)
      open[path] = file
    case .writeSidecar(let path, let file):
      guard let open = open[path] else { return }
      try FileDescriptor(rawValue: open.descriptor).writeAll(Array(Drop.sidecarText(of: file).utf8))
    case .close(let path):
      guard let file = open[path] else { return }
      open[path] = nil
      try FileDescriptor(rawValue: file.descriptor).close()
    case .rename(let path, let target), .link(let path, let target):
      guard exists(path), exists(Self.folder(of: target)) else {
        return lost.append(target)
      }
      if case .rename = step {
        try FileManager.default.moveItem(atPath: place(path), toPath: place(target))
      } else {
        try FileManager.default.linkItem(atPath: place(path), toPath: place(target))
      }
    case .finish(let drop, let version):
      if !dead.contains(drop.number), !lost.contains(drop.path) { books.finished(drop, version, at: now) }
    }
  }

  /// Moves the directory of a spool away, or back. The files in it are on disk all the time.
  package func moveSpool(_ directory: String, isAway: Bool) throws {
    let name = directory.split(separator: "/").last.map(String.init) ?? directory
    let away = "\(WorldFacts.away)/\(name)"
    try FileManager.default.createDirectory(atPath: place(WorldFacts.away), withIntermediateDirectories: true)
    let (from, target) = isAway ? (directory, away) : (away, directory)
    if exists(from), !exists(target) {
      try FileManager.default.moveItem(atPath: place(from), toPath: place(target))
    }
  }

  /// Puts a card into the slot that a spool's directory is; nil leaves it without one. The files of the other cards are on disk all the
  /// time.
  package mutating func insert(_ card: Card?, into directory: String) throws {
    let name = directory.split(separator: "/").last.map(String.init) ?? directory
    func shelf(_ number: Int) -> String { "\(WorldFacts.away)/\(name)-\(number)" }
    let present = cards[directory] ?? 1
    if exists(directory), present == card?.number { return }
    try FileManager.default.createDirectory(atPath: place(WorldFacts.away), withIntermediateDirectories: true)
    if exists(directory) {
      try FileManager.default.moveItem(atPath: place(directory), toPath: place(shelf(present)))
    }
    guard let card else { return }
    cards[directory] = card.number
    if exists(shelf(card.number)) {
      try FileManager.default.moveItem(atPath: place(shelf(card.number)), toPath: place(directory))
    } else {
      try FileManager.default.createDirectory(atPath: place(directory), withIntermediateDirectories: true)
    }
  }

  private static func folder(of path: String) -> String {
    path.split(separator: "/").dropLast().joined(separator: "/")
  }

  /// The process that they lived in has ended. What they had written of a document counts as whole: nobody can know better.
  package mutating func died(_ books: inout Books, at now: Duration) {
    for file in open.entries.map(\.value) {
      dead.append(file.drop.number)
      guard case .document = file.role else { continue }
      let content = FileContent(file: file.drop.number, runs: file.runs)
      let part = FileVersion.Part(.document, sum: content.sum, content: content)
      books.finished(file.drop, FileVersion([part]), at: now)
    }
    open = SortedTable()
  }

  func place(_ path: String) -> String { root + "/" + path }

  func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: place(path)) }
}
