import Glibc
import Seams

/// Makes a small file with its owner and mode, durably. It gets its name last, and never replaces anything: EEXIST if the name is taken.
public func createSmallFile(
  path: String, _ bytes: [UInt8], owner: (user: UInt32, group: UInt32), permissions: UInt32
) throws(FileError) {
  let slash = path.lastIndex(of: "/") ?? path.startIndex
  let directory = try Directory(path: String(path[...slash]))
  let name = Array(path[path.index(after: slash)...].utf8)
  let mark = Array(".".utf8) + name.prefix(200) + ".waybill-".utf8
  let trial = mark + "\(getpid())".utf8
  removeRemains(of: mark, in: directory, path: String(path[...slash]))
  let file = try directory.create(trial, permissions: 0o600)
  do throws(FileError) {
    // Nobody else may read the file before it has its owner.
    try file.setOwner(owner.user, group: owner.group, path: path)
    try file.setPermissions(permissions, path: path)
    try file.write(bytes, path: path)
    try file.sync(.configurationFile, path: path)
    try directory.rename(trial, into: directory, as: name)
  } catch {
    // Ignored: the first error is reported, and nothing reads a file of this name.
    try? directory.remove(trial)
    throw error
  }
  try directory.sync(.configurationEntry)
}

/// Removes what earlier calls have left whose process was killed: files of that name that end with the number of a process that is gone.
private func removeRemains(of mark: [UInt8], in directory: Directory, path: String) {
  // Ignored: what is left is in nobody's way, and whatever is wrong with the directory the creation meets too.
  guard let names = try? smallDirectoryNames(path: path, limit: 10_000) else { return }
  for name in names where name.starts(with: mark) {
    guard let process = pid_t(String(decoding: name.dropFirst(mark.count), as: UTF8.self)), process > 0,
      kill(process, 0) == -1, errno == ESRCH
    else { continue }
    // Ignored: as above.
    try? directory.remove(name)
  }
}
