import FoundationEssentials
import Glibc
import Linux

/// The file `.waybill/holder` of a shared spool.
enum HolderFile {
  static let name = Array("holder".utf8)
  private static let mostBytes = 4096

  /// The content of the file.
  enum Content: Equatable {
    /// There is none: nobody has held the spool yet.
    case none
    /// It is damaged, so nobody knows who held the spool.
    case unknown
    /// A daemon holds the spool, or held it last.
    case of(Entry)
  }

  struct Entry: Codable, Equatable {
    let holder: SpoolHolder
    /// The tenure's id: another one each time that a spool is taken.
    let tenure: String
    /// The other daemon whose files this one takes over; nil if there is none.
    let after: SpoolHolder?

    private enum CodingKeys: String, CodingKey { case tenure, after }

    init(_ holder: SpoolHolder, tenure: String, after: SpoolHolder?) {
      (self.holder, self.tenure, self.after) = (holder, tenure, after)
    }

    init(from decoder: any Decoder) throws {
      holder = try SpoolHolder(from: decoder)
      let container = try decoder.container(keyedBy: CodingKeys.self)
      tenure = try container.decode(String.self, forKey: .tenure)
      after = try container.decodeIfPresent(SpoolHolder.self, forKey: .after)
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

  /// Writes it in place of what stands there.
  static func write(_ entry: Entry, in claims: Directory) throws(FileError) {
    let file = try RecordFile.write(
      try RecordFile.encode(entry, name), for: name, by: Array(entry.tenure.utf8), in: claims, .holder)
    try claims.rename(file, replacing: name)
  }
}

extension HolderFile.Content {
  /// True if the ledger of this daemon has all that its own last tenure did, and nobody has held the spool since. Only then nobody
  /// needs to be waited for.
  func isOwn(_ daemon: SpoolHolder, completed: String?) -> Bool {
    guard case .of(let last) = self else { return false }
    return last.holder.hasLedger(of: daemon) && last.tenure == completed
  }

  /// The daemon that may have gone on with files of this one's jobs, or this one itself if its ledger is behind its last tenure; nil
  /// if a file that is gone is nobody else's.
  func mover(of daemon: SpoolHolder, completed: String?) -> SpoolHolder? {
    if let other = predecessor(of: daemon, completed: completed) { return other }
    guard case .of(let last) = self, !isOwn(daemon, completed: completed) else { return nil }
    return last.holder
  }

  /// The other daemon whose files this one takes over; nil if there is none.
  ///
  /// A take-over that was cut short is not forgotten: the file names this daemon then, and its ledger may be behind. So a tenure of
  /// its own counts only if the ledger has it as complete.
  ///
  /// - Parameter completed: the last tenure that is complete in this daemon's ledger.
  func predecessor(of daemon: SpoolHolder, completed: String?) -> SpoolHolder? {
    switch self {
    case .none: nil
    case .unknown: SpoolHolder(host: "an unknown host", pid: 0, ledger: "")
    case .of(let last):
      if !last.holder.hasLedger(of: daemon) {
        last.holder
      } else if isOwn(daemon, completed: completed) {
        nil
      } else {
        // Nothing is complete in the ledger when a spool becomes shared: then the ledger knows all that there is.
        last.after ?? (completed == nil ? nil : last.holder)
      }
    }
  }
}
