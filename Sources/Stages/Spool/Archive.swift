import Glibc
public import Jobs
package import Linux
package import Messages

/// A directory that takes the files of registered jobs, under the names they were dropped with.
public struct Archive: Sendable {
  /// Its path, as configured.
  public let path: String
  /// The lists of the files in it; nil if files stay for ever.
  public let index: ArchiveIndex?

  /// The archive of a spool's configuration, which may be there or not; nil if it has none.
  public init?(_ options: SpoolOptions) {
    guard let path = options.archivePath else { return nil }
    self.init(path: path, isListed: options.archiveKeep != nil)
  }

  /// An archive, which may be there or not.
  ///
  /// - Parameter isListed: true if files are to leave it again after a time, so that lists of them are needed.
  public init(path: String, isListed: Bool = false) {
    self.path = path
    index = isListed ? ArchiveIndex(path: path) : nil
  }

  /// Proves that the daemon can write there, with a file of its own. Each refusal says what is wrong and what to do.
  public func tryOut(_ options: SpoolOptions) throws(SpoolProblem) {
    do throws(FileError) {
      let directory = try open()
      try Self.tryWriting(in: directory)
      _ = try index?.open(in: directory)
    } catch {
      throw SpoolProblem(
        options, .archive, .archiveUnusable(why: error.message),
        remedy: error.advice == nil ? Self.remedy(error.errno, path) : "name another archive", errno: error.errno)
    }
  }

  /// Opens its directory. One that would go with the service is refused.
  func open() throws(FileError) -> Directory { try HeldSpool.target(path, to: "archive into") }

  /// Returns the thing to do about an error of a disposal; nil if it is not one of the archive.
  package func remedy(for error: FileError) -> Message? {
    let isHere = [error.path, error.target ?? ""].contains { $0 == path || $0.hasPrefix(path + "/") }
    guard isHere, error.advice == nil else { return nil }
    let remedy = Self.remedy(error.errno, path)
    return error.errno == ENOENT ? .mountItOr(else: remedy) : remedy
  }

  private static func remedy(_ errno: Int32, _ path: String) -> Message {
    let user = UserName.of(ProcessRights.user)
    return switch errno {
    case ENOENT: .makeIt(how: DirectoryRecipe().archive(path).joined() + UnitAccess.toSee(path))
    case ENOTDIR: "name a directory"
    case EACCES, EPERM: .grantWriting(user: user, how: "chown \(user) \(path)" + UnitAccess.toSee(path))
    case EROFS: "mount it read-write, or \(UnitAccess.toWrite(path))"
    case ENOSPC, EDQUOT: .makeRoomIn(path: path)
    case EINVAL, ENAMETOOLONG, EILSEQ: .nameOtherArchive
    default: .makeFilesPossible(path: path)
    }
  }

  private static func tryWriting(in directory: Directory) throws(FileError) {
    let trial = try HeldSpool.trialFile(in: directory)
    Failpoint.archiveTried.pass()
    do throws(FileError) {
      try directory.remove(trial)
    } catch {
      // another daemon has tried in the same moment
      guard error.errno == ENOENT else { throw error }
    }
  }

  /// The name in the archive's directory of a copy that is not whole yet.
  static func unfinished(_ id: JobID) -> [UInt8] { Array(".waybill-\(id)".utf8) }

  /// Removes what a crash left of the copy of a group that is not archived.
  package func removeUnfinished(_ id: JobID) { remove(Self.unfinished(id), below: []) }

  /// Removes what a crash left of the copy of something that is gone, or is not archived.
  func remove(_ unfinished: [UInt8], below path: [[UInt8]]) {
    do throws(FileError) {
      let root = try open()
      let below = Array(path.joined(separator: CollectionOfOne(UInt8(ascii: "/"))))
      let folder = below.isEmpty ? root : try root.directory(below: below)
      do throws(FileError) {
        try StagedCopy.remove(unfinished, from: folder)
      } catch {
        guard error.errno == EISDIR else { throw error }
        _ = try HeldSpool.remove(unfinished, from: folder, withFiles: true)
      }
    } catch {
      // The archive is away, or has no such directory. No job waits for that: it holds nothing that anybody lacks.
    }
  }

  /// The name in `.waybill` that says: a whole copy is about to get its name in the archive, or has it.
  static func mark(_ id: JobID) -> [UInt8] { Array("\(id).archived".utf8) }
}

/// The names that a file may get in an archive, in this order: its own name, its name with the job's number, if that is known, its name
/// with the job's id. The second one is taken only if a file was dropped under that very name.
struct ArchivedName {
  /// The directories below the archive, the outermost first.
  let directories: [[UInt8]]
  let choices: [[UInt8]]
  /// True if the job's number is known.
  let isNumbered: Bool

  /// NAME_MAX of Linux (limits.h).
  private static let longestName = 255

  init(_ name: FileName, job: JobNumber?, id: JobID) {
    let parts = name.bytes.split(separator: UInt8(ascii: "/"))
    let own = Array(parts.last ?? [])
    directories = parts.dropLast().map { Array($0) }
    isNumbered = job != nil
    let numbered = job.map { [Self.insert("\($0)", into: own), Self.insert("\($0).\(id)", into: own)] }
    choices = [own] + (numbered ?? [Self.insert("\(id)", into: own)])
  }

  /// `scan.pdf` becomes `scan.42.pdf`, `README` becomes `README.42`. If the result would be too long, the end of the stem is
  /// cut off.
  private static func insert(_ word: String, into name: [UInt8]) -> [UInt8] {
    let dot = name.dropFirst().lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
    let tail = Array(".\(word)".utf8) + name[dot...]
    guard tail.count < longestName else { return Array((Array("\(word).".utf8) + name).prefix(longestName)) }
    var stem = name[..<dot].prefix(longestName - tail.count)
    // Do not cut in the middle of a character: a byte 10xxxxxx continues one.
    while stem.count < name[..<dot].count, let next = name[..<dot].dropFirst(stem.count).first, next & 0xC0 == 0x80 {
      stem = stem.dropLast()
    }
    return Array(stem) + tail
  }
}
