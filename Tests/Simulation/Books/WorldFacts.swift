/// A moment of the world, as an outsider sees it: the files on disk, and the jobs of the ledger.
package struct WorldFacts: Codable, Hashable, Sendable {
  /// A file that is on disk.
  package struct File: Codable, Hashable, Sendable {
    /// Its path from the world's root.
    package var path: String
    /// Its size and hash.
    package var sum: ContentSum

    /// A file.
    package init(path: String, sum: ContentSum) {
      self.path = path
      self.sum = sum
    }
  }

  /// A job of the ledger.
  package struct Job: Codable, Hashable, Sendable {
    /// Its number.
    package var number: Int64
    /// Its id.
    package var id: String
    /// The name of its spool.
    package var spool: String
    /// The name of its file.
    package var name: String
    /// `upload` or `register`.
    package var step: String
    /// Its state in the words of the contract.
    package var state: String
    /// What is left of it at the storage, in the words of the contract; nil if that is not known.
    package var remote: String?

    /// A job.
    package init(
      number: Int64, id: String, spool: String, name: String, step: String, state: String, remote: String? = nil
    ) {
      self.number = number
      self.id = id
      self.spool = spool
      self.name = name
      self.step = step
      self.state = state
      self.remote = remote
    }
  }

  /// All files in spools, archives and the release folder, the daemon's `.waybill` included.
  package var files: [File]
  /// All jobs that the ledger has; nil if nobody has looked.
  package var jobs: [Job]?
  /// What people were told of objects that are left: ids of jobs, and sentences that name a key.
  package var told: [String]

  /// Facts.
  package init(files: [File], jobs: [Job]? = nil, told: [String] = []) {
    self.files = files
    self.jobs = jobs
    self.told = told
  }
}
