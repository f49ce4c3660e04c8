import Glibc

/// Replaces the bytes of a small file atomically, and returns once they are on disk. The file keeps its mode and its owner. A
/// symbolic link stays, and its target is replaced. Other hard links of the file keep the old bytes.
///
/// - Parameters:
///   - old: the bytes that the file must have before.
///   - limit: the maximum number of these bytes.
/// - Throws: ``FileError`` with the kernel's errno, and ESTALE if the file has other bytes. Then the file is unchanged.
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
    // Nobody else may read the file before it has its owner.
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
    // Ignored: the first error is reported, and nothing reads a file of this name.
    try? directory.remove(trial)
    throw error
  }
  try directory.sync(.configurationEntry)
}
