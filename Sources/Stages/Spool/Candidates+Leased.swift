import Linux

extension Candidates {
  /// The files for which a lease can tell who has them open.
  enum Leased: Equatable {
    case none
    /// Those of the daemon's own user: a lease on others' files takes CAP_LEASE (fcntl(2)).
    case ofUser(UInt32)
    case all

    /// True if a lease can tell for this file.
    func covers(_ facts: FileFacts) -> Bool {
      switch self {
      case .none: false
      case .ofUser(let user): facts.owner == user
      case .all: true
      }
    }

    /// False if openings, and closings after reading, need not be heard: a lease tells of every file. Then half of the events would be
    /// about the daemon's own questions. A file that cannot be opened counts as open from its making, or a write, until the next closing
    /// after writing.
    var needsOpenings: Bool { self != .all }
  }
}
