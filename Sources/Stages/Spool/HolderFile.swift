import FoundationEssentials
import Glibc
import Linux

/// The file `.waybill/holder` of a shared spool, which names the holder.
enum HolderFile {
  static let name = Array("holder".utf8)
  private static let mostBytes = 4096

  /// The parsed content of the file.
  enum Content: Equatable {
    /// There is no file: nobody has held the spool yet.
    case none
    /// It is damaged, so it is not known who held the spool.
    case unknown
    /// A daemon holds the spool, or held it last.
    case of(Entry)
  }

  struct Entry: Codable, Equatable {
    let holder: LockHolder
    /// The tenure's id. Each tenure has a new one.
    let tenure: String
    /// The other daemon whose files this holder takes over; nil if there is none.
    let after: LockHolder?

    private enum CodingKeys: String, CodingKey { case tenure, after }

    init(_ holder: LockHolder, tenure: String, after: LockHolder?) {
      (self.holder, self.tenure, self.after) = (holder, tenure, after)
    }

    init(from decoder: any Decoder) throws {
      holder = try LockHolder(from: decoder)
      let container = try decoder.container(keyedBy: CodingKeys.self)
      tenure = try container.decode(String.self, forKey: .tenure)
      after = try container.decodeIfPresent(LockHolder.self, forKey: .after)
    }

    func encode(to encoder: any Encoder) throws {
      try holder.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(tenure, forKey: .tenure)
      try container.encodeIfPresent(after, forKey: .after)
    }
  }

  static func read(from claims: Directory) throws(FileError) -> Content {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try claims.openOurs(name).read(at: 0, count: mostBytes)
    } catch {
      guard error.errno == ENOENT else { throw error }
      return .none
    }
    do {
      return .of(try JSONDecoder().decode(Entry.self, from: Data(bytes)))
    } catch {
      return .unknown
    }
  }

  /// Writes the file, replacing the one that is there.
  static func write(_ entry: Entry, in claims: Directory) throws(FileError) {
    let file = try RecordFile.write(
      try RecordFile.encode(entry, name), for: name, by: Array(entry.tenure.utf8), in: claims, .holder)
    try claims.rename(file, replacing: name)
  }
}

extension HolderFile.Content {
  /// True if this daemon was the last holder and its ledger has all of that tenure. Only then can it start without waiting for
  /// another daemon.
  func isOwn(_ daemon: LockHolder, completed: String?) -> Bool {
    guard case .of(let last) = self else { return false }
    return last.holder.hasLedger(of: daemon) && last.tenure == completed
  }

  /// The daemon that may have continued with files of this daemon's jobs; this daemon itself, if its ledger is behind its last
  /// tenure. Nil if no other daemon has touched them: then a missing file is simply gone.
  func mover(of daemon: LockHolder, completed: String?) -> LockHolder? {
    if let other = predecessor(of: daemon, completed: completed) { return other }
    guard case .of(let last) = self, !isOwn(daemon, completed: completed) else { return nil }
    return last.holder
  }

  /// The other daemon whose files this one takes over; nil if there is none.
  ///
  /// An interrupted take-over still counts. The file then names this daemon, whose ledger may be behind. So this daemon's own
  /// tenure ends the search only if the ledger has it as complete.
  ///
  /// - Parameter completed: the last tenure that this daemon's ledger records as complete.
  func predecessor(of daemon: LockHolder, completed: String?) -> LockHolder? {
    switch self {
    case .none: nil
    case .unknown: LockHolder(host: "an unknown host", pid: 0, ledger: "")
    case .of(let last):
      if !last.holder.hasLedger(of: daemon) {
        last.holder
      } else if isOwn(daemon, completed: completed) {
        nil
      } else {
        // When a spool becomes shared, the ledger has no complete tenure yet, but knows all its files.
        last.after ?? (completed == nil ? nil : last.holder)
      }
    }
  }
}
