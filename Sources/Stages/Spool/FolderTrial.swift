import Glibc
import Jobs
import Linux

/// Checks the directories below a recursive spool: can files be taken from each?
struct FolderTrial {
  /// The maximum number of directories that are checked.
  private static let most = 65_536

  private let options: SpoolOptions
  private let wanted: WantedNames
  /// The problem of the first directory that files cannot be taken from.
  private var refusal: SpoolProblem?
  private var count = 0
  private var last: Folder?

  /// - Returns: the problem of the first directory that files cannot be taken from, with the number of other such directories;
  ///   nil if files can be taken from all.
  static func run(_ options: SpoolOptions, _ spool: Directory) throws(FileError) -> SpoolProblem? {
    var trial = FolderTrial(options)
    try trial.walk(spool)
    guard let refusal = trial.refusal else { return nil }
    let others =
      switch trial.count {
      case 1: ""
      case 2: " (and one directory more)"
      default: " (and \(trial.count - 1) directories more)"
      }
    return SpoolProblem(
      options, refusal.cause, "files in a directory cannot be taken: \(refusal.reason)\(others)",
      remedy: refusal.remedy,
      errno: refusal.errno)
  }

  private init(_ options: SpoolOptions) {
    self.options = options
    wanted = WantedNames(options)
  }

  private mutating func walk(_ spool: Directory) throws(FileError) {
    let walk = FolderWalk(from: .spool, isWhole: true, isLate: false)
    var seen = 0
    while true {
      do throws(FileError) {
        switch try walk.next() {
        case .name(let entry):
          guard wanted.contains(entry.name), try isFolder(entry, in: walk.folder, spool) else { continue }
          guard walk.folder.path.count + entry.name.count < Folder.longestPath else { continue }
          seen += 1
          if seen <= Self.most { walk.plan(walk.folder.child(entry.name)) }
        case .nextFolder(let folder): try enter(folder, walk, spool)
        case .endOfFolder: continue
        case .end: return
        }
      } catch {
        guard walk.folder != .spool else { throw error }
        if !error.isOfSomethingGone { record(error, walk.folder) }
      }
    }
  }

  private func isFolder(_ entry: DirectoryListing.Entry, in folder: Folder, _ spool: Directory) throws(FileError)
    -> Bool
  {
    if let kind = entry.kind { return kind == .directory }
    return try spool.directory(below: folder.path).facts(of: entry.name).kind == .directory
  }

  private mutating func enter(_ folder: Folder, _ walk: FolderWalk, _ spool: Directory) throws(FileError) {
    guard folder != .spool else { return try walk.enter(spool) }
    let directory = try spool.directory(below: folder.path)
    do throws(FileError) {
      if !options.keepsFiles { try directory.requireReadAndWrite() }
    } catch {
      record(error, folder)
    }
    try walk.enter(directory)
  }

  private mutating func record(_ error: FileError, _ folder: Folder) {
    guard folder != last else { return }
    last = folder
    count += 1
    if refusal == nil { refusal = LockedSpool.refused(options, error, in: folder) }
  }
}
