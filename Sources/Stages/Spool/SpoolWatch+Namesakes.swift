import Jobs

extension SpoolWatch {
  /// Returns the paths of files in directories of the spool that have this name, at most `limit`, in order: candidates, and files that
  /// could not be claimed. A file that a scan left alone, such as an empty one, is not kept in memory, and not found.
  func namesakes(of name: FileName, limit: Int) -> [FileName] {
    guard options.recursive, options.group == nil else { return [] }
    // Unread events may be about such a file.
    woke()
    let end = [UInt8(ascii: "/")] + name.bytes
    var found = Set<FileName>()
    for known in candidates.table.keys where known.bytes.hasSuffix(end) { found.insert(known) }
    for refused in refusals.byName.keys where refused.bytes.hasSuffix(end) { found.insert(refused) }
    return Array(found.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.prefix(limit))
  }
}

extension [UInt8] {
  fileprivate func hasSuffix(_ end: [UInt8]) -> Bool {
    count > end.count && self[(count - end.count)...].elementsEqual(end)
  }
}
