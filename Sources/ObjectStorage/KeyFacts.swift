public import Jobs

/// What a key or a link may name of a job.
public struct KeyFacts: Hashable, Sendable {
  /// The spool's name.
  public var spool: String
  /// The job's identity.
  public var id: JobID
  /// The file's name, without a path.
  public var name: FileName
  /// The job's number.
  public var job: JobNumber
  /// The name of this host.
  public var host: String
  /// Where in a recursive spool the file was, without slashes at the ends; empty for the spool itself.
  public var path: [UInt8]
  /// When the job was admitted; it is shown in UTC.
  public var time: Timestamp

  /// The facts of one job.
  public init(
    spool: String, id: JobID, name: FileName, job: JobNumber, host: String, path: [UInt8] = [], time: Timestamp
  ) {
    self.spool = spool
    self.id = id
    self.name = name
    self.job = job
    self.host = host
    self.path = path
    self.time = time
  }

  /// What a template may name of them.
  enum Placeholder: String, CaseIterable {
    case spool, yyyy, mm, dd, id, name, stem, ext, job, host, path
  }

  /// The value of a placeholder in the bytes of UTF-8, those that are not UTF-8 as `%HH`.
  func value(_ placeholder: Placeholder) -> [UInt8] {
    switch placeholder {
    case .spool: Array(spool.utf8)
    case .yyyy: Self.digits(time.utc.year, 4)
    case .mm: Self.digits(time.utc.month, 2)
    case .dd: Self.digits(time.utc.day, 2)
    case .id: Array(id.description.utf8)
    case .name: Self.text(name.bytes[...])
    case .stem: Self.text(name.bytes[..<stemEnd])
    case .ext: Self.text(name.bytes[stemEnd...].dropFirst())
    case .job: Array(job.description.utf8)
    case .host: Array(host.utf8)
    case .path: Self.text(path[...])
    }
  }

  /// The last dot, or the end of a name that has none.
  private var stemEnd: Int { name.bytes.lastIndex(of: UInt8(ascii: ".")) ?? name.bytes.endIndex }

  private static func digits(_ number: Int, _ width: Int) -> [UInt8] {
    let digits = Array(String(number).utf8)
    return Array(repeating: UInt8(ascii: "0"), count: max(0, width - digits.count)) + digits
  }

  /// The bytes, each that is not part of well-formed UTF-8 as `%HH`.
  private static func text(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    if String(validating: bytes, as: UTF8.self) != nil { return Array(bytes) }
    var out: [UInt8] = []
    var rest = bytes
    while let byte = rest.first {
      var iterator = rest.makeIterator()
      var decoder = UTF8()
      if case .scalarValue(let scalar) = decoder.decode(&iterator) {
        let width = UTF8.width(scalar)
        out += rest.prefix(width)
        rest = rest.dropFirst(width)
      } else {
        PercentEncoding.append(byte, to: &out)
        rest = rest.dropFirst()
      }
    }
    return out
  }
}
