public import Messages

/// The query of `GET /v1/explain`: `path`, a file's path or only its name, and `size` for a file that is still to come.
public struct ExplainQuery: Hashable, Sendable {
  /// The bytes of the path, which need not be UTF-8. If it begins with `/` it is a path, else a name below a spool.
  public var path: [UInt8]
  /// The number of bytes of a file that is to be dropped under this path; nil to ask about what is there. With it, a `/` at the
  /// end of the path means a directory.
  public var size: Int64?

  /// Creates a query about a path or a name.
  public init(path: [UInt8], size: Int64? = nil) { (self.path, self.size) = (path, size) }

  /// Reads the part of a URL after its `?`.
  ///
  /// - Throws: ``InvalidRequest`` that names the parameter.
  public init(parsing query: some StringProtocol) throws(InvalidRequest) {
    var path: [UInt8]?
    var size: Int64?
    for (name, value) in try QueryText.bytePairs(query) {
      switch name {
      case "path":
        guard path == nil else { throw InvalidRequest("path is given more than once") }
        path = value
      case "size":
        guard size == nil, let bytes = Int64(String(decoding: value, as: UTF8.self)), bytes >= 0 else {
          throw InvalidRequest("size has to be one number of bytes")
        }
        size = bytes
      default: throw InvalidRequest("parameter \"\(name)\" is not known; there are path and size")
      }
    }
    guard let path, !path.isEmpty else { throw InvalidRequest("path is missing: /v1/explain?path=/srv/spool/scan.pdf") }
    guard path.count <= 4096, !path.contains(0) else {
      throw InvalidRequest("path has to be a path of at most 4096 bytes")
    }
    (self.path, self.size) = (path, size)
  }

  /// The query as the part of a URL after its `?`.
  public var text: String { "path=" + QueryText.encode(path) + (size.map { "&size=\($0)" } ?? "") }
}

/// The answer to `GET /v1/explain`: what is known about a file. A name alone may be in several spools.
public struct ExplainAnswer: Hashable, Sendable, Codable {
  /// The files of that name; at least one.
  public var files: [Explanation]

  /// Creates an answer.
  public init(files: [Explanation]) { self.files = files }
}

/// The reason why a file is a job, is no job, or is not yet one.
public struct Explanation: Hashable, Sendable, Codable {
  /// A program that has a file open for writing.
  public struct Writer: Hashable, Sendable, Codable {
    /// The number of the process.
    public var pid: Int32
    /// The name of the program.
    public var program: String
    /// The user that it runs under.
    public var user: String

    /// Creates a writer.
    public init(pid: Int32, program: String, user: String) {
      self.pid = pid
      self.program = program
      self.user = user
    }
  }

  /// One reason, with what to do about it.
  public struct Reason: Hashable, Sendable, Codable {
    /// The kind of reason, for programs.
    public var reason: String
    /// The reason, in words.
    public var detail: String
    /// The code and the arguments of ``detail``; nil for words that have none.
    @Nullable public var detailSaid: Message?
    /// The thing to do about it; nil if there is none.
    @Nullable public var remedy: String?
    /// The code and the arguments of ``remedy``; nil for words that have none.
    @Nullable public var remedySaid: Message?

    enum CodingKeys: String, CodingKey {
      case reason, detail, remedy
      case detailSaid = "detail_said"
      case remedySaid = "remedy_said"
    }

    /// Creates a reason.
    public init(_ reason: String, _ detail: Message, remedy: Message? = nil) {
      self.reason = reason
      self.detail = detail.text
      detailSaid = detail.coded
      self.remedy = remedy?.text
      remedySaid = remedy?.coded
    }
  }

  /// The path that the answer is about, with `\xHH` for each byte that is not UTF-8.
  public var path: String
  /// The spool that it is in; nil if it is in none.
  @Nullable public var spool: String?
  /// The reasons. The first one applies now; the others keep the file from being claimed later.
  public var reasons: [Reason]
  /// The time at which the file is claimed, or looked at again, if nothing happens to it.
  @Nullable public var until: MessageTime?
  /// The programs that have it open for writing, as far as the daemon can see them.
  public var writers: [Writer]
  /// The device and the inode of the file, if it waits in a spool: for people who can see more programs than the daemon.
  @Nullable public var inode: Inode?
  /// The jobs of files of this name, the last one first.
  public var jobs: [JobMessage]

  /// The identity of a file on this machine.
  public struct Inode: Hashable, Sendable, Codable {
    /// The device (st_dev of stat(2)).
    public var device: UInt64
    /// The inode on it.
    public var number: UInt64

    /// Creates an identity.
    public init(device: UInt64, number: UInt64) {
      self.device = device
      self.number = number
    }
  }

  /// Creates an explanation.
  public init(
    path: String, spool: String?, reasons: [Reason], until: MessageTime? = nil, writers: [Writer] = [],
    inode: Inode? = nil, jobs: [JobMessage] = []
  ) {
    self.path = path
    self.spool = spool
    self.reasons = reasons
    self.until = until
    self.writers = writers
    self.inode = inode
    self.jobs = jobs
  }
}
