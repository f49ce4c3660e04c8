import Jobs

extension SpoolWatch {
  /// Returns the paths of files in directories of the spool that have this name, at most `limit`, in order: candidates, and files that
  /// could not be claimed. A file that a scan left alone, such as an empty one, is not kept in memory, and not found.
  func namesakes(of name: FileName, limit: Int) -> [FileName] {
    guard options.recursive, options.group == nil else { return [] }
    // Unread events may be about such a file.
    woke()
    let end = [UInt8(ascii: "/")] + name.bytes
    func isMeant(_ known: FileName) -> Bool { known.bytes.suffix(end.count).elementsEqual(end) }
    let found = Set(candidates.table.keys.filter(isMeant) + refusals.byName.keys.filter(isMeant))
    return Array(found.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.prefix(limit))
  }
}
