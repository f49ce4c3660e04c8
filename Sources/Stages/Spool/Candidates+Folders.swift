import Jobs

/// The names in directories below the spool, which move and go with their directories.
extension Candidates {
  /// Forgets what is in a directory and below it.
  mutating func forget(in folder: Folder) {
    for name in names(in: folder, most: .max) ?? [] {
      forget(name)
      setIgnored(name, nil)
    }
  }

  /// Records that a directory has moved, with everything below it. Returns false if that is too much: then all of it is forgotten, and
  /// must be read anew.
  mutating func move(_ from: Folder, to folder: Folder) -> Bool {
    guard let names = names(in: from, most: Self.mostMoved - moved) else {
      forget(in: from)
      return false
    }
    moved += names.count
    for name in names {
      let now = FileName(bytes: from.moved(name.bytes, to: folder))
      if let openers = ignored[name] {
        setIgnored(name, nil)
        setIgnored(now, openers)
      }
      rename(name, to: now)
    }
    return true
  }

  /// Returns the names in a directory and below it; nil if there are more.
  private func names(in folder: Folder, most: Int) -> [FileName]? {
    var (names, folders): ([FileName], Int) = ([], 0)
    var isMore = false
    below.forEach(from: folder) { place, values in
      folders += 1
      isMore = names.count + (values?.count ?? 0) > most || folders > max(most, 1)
      guard !isMore else { return false }
      let folder = below.folder(at: place)
      names += (values ?? []).map { folder.file($0) }
      return true
    }
    return isMore ? nil : names
  }

  /// Records that there is something to know of a name in a directory below the spool, or nothing more.
  mutating func index(_ name: FileName) {
    let folder = Folder(of: name)
    guard folder != .spool else { return }
    let last = name.last.bytes
    if table[name] != nil || ignored[name] != nil {
      guard let place = below.place(of: folder), below[place] != nil else {
        below.set([last], of: folder)
        return
      }
      below.change(place) { _ = $0?.insert(last) }
    } else if let place = below.place(of: folder) {
      below.change(place) { names in
        names?.remove(last)
        if names?.isEmpty == true { names = nil }
      }
    }
  }
}
