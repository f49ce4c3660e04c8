import Glibc

/// Puts other bytes in the place of a small file's, whole and at once, and returns when they are on disk. The file keeps its mode
/// and its owner. A symbolic link stays, and what it leads to is replaced. Another hard link keeps the old bytes.
///
/// - Parameters:
///   - old: the bytes that the file must still have.
///   - limit: the most bytes that it may have.
/// - Throws: ``FileError`` with the kernel's errno, and ESTALE if the file has other bytes by now. Then it is as it was.
public func replaceSmallFile(path: String, old: [UInt8], with new: [UInt8], limit: Int) throws(FileError) {
  guard let resolved = realPath(Array(path.utf8)) else { throw FileError("find", path: path, errno: errno) }
  let target = String(decoding: resolved, as: UTF8.self)
  let slash = target.lastIndex(of: "/") ?? target.startIndex
  let directory = try Directory(path: String(target[...slash]))
  let name = Array(target[target.index(after: slash)...].utf8)
  let facts = try directory.facts(of: name)
  let trial = Array(".".utf8) + name.prefix(200) + ".waybill-\(getpid())".utf8
  let copy = try directory.create(trial, permissions: 0o600)
  do throws(FileError) {
    // The file is nobody else's to read before it has its owner.
    if facts.owner != ProcessRights.user || facts.group != getegid() {
      try copy.setOwner(facts.owner, group: facts.group, path: target)
    }
    try copy.setPermissions(facts.permissions, path: target)
    try copy.write(new, path: target)
    try copy.sync(.configurationFile, path: target)
    guard try readSmallFile(path: target, limit: limit) == old else {
      throw FileError("replace", path: target, errno: ESTALE)
    }
    try directory.rename(trial, replacing: name)
  } catch {
    // Ignored: the reason of the failure is told, and nothing reads a file of this name.
    try? directory.remove(trial)
    throw error
  }
  try directory.sync(.configurationEntry)
}
