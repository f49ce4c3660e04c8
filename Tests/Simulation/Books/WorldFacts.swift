/// A moment of the world, as an outsider sees it: the files on disk, and the jobs of the ledger.
package struct WorldFacts: Codable, Hashable, Sendable {
  package struct File: Codable, Hashable, Sendable {
    package var path: String
    package var sum: ContentSum

    package init(path: String, sum: ContentSum) {
      self.path = path
      self.sum = sum
    }
  }

  package struct Job: Codable, Hashable, Sendable {
    package var number: Int64
    package var id: String
    package var spool: String
    package var name: String
    /// `upload` or `register`.
    package var step: String
    package var state: String
    /// What is left of it at the storage, in the words of the contract; nil if that is not known.
    package var remote: String?

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

  package var files: [File]
  package var jobs: [Job]?
  /// What people were told of objects that are left: ids of jobs, and sentences that name a key.
  package var told: [String]

  package init(files: [File], jobs: [Job]? = nil, told: [String] = []) {
    self.files = files
    self.jobs = jobs
    self.told = told
  }
}
