public import Jobs

/// The facts of a job that a key or a link may name.
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
  /// The path of the file's directory in a recursive spool, without slashes at the ends; empty for the spool itself.
  public var path: [UInt8]
  /// The time at which the job was admitted.
  public var time: Timestamp
  /// The time zone in which that time is shown.
  public var zone: TimeZoneRules
  /// The values that the file carried in `user.waybill.NAME`, by NAME.
  public var metadata: [String: String]

  /// The facts of one job.
  public init(
    spool: String, id: JobID, name: FileName, job: JobNumber, host: String, path: [UInt8] = [], time: Timestamp,
    zone: TimeZoneRules = .utc, metadata: [String: String] = [:]
  ) {
    self.spool = spool
    self.id = id
    self.name = name
    self.job = job
    self.host = host
    self.path = path
    self.time = time
    self.zone = zone
    self.metadata = metadata
  }

  /// The facts that a template may name.
  enum Fact: String, CaseIterable {
    case spool, yyyy, mm, dd, id, name, stem, ext, job, host, path
  }

  /// The value of a placeholder as bytes of UTF-8, empty for metadata that the file does not carry.
  func value(_ placeholder: KeyPlaceholder) -> [UInt8] {
    switch placeholder {
    case .fact(let fact): value(fact)
    case .metadata(let name): Array((metadata[name] ?? "").utf8)
    }
  }

  /// The value of a fact as bytes of UTF-8. Bytes that are not UTF-8 become `%HH`.
  func value(_ fact: Fact) -> [UInt8] {
    switch fact {
    case .spool: Array(spool.utf8)
    case .yyyy: Self.digits(time.parts(in: zone).year, 4)
    case .mm: Self.digits(time.parts(in: zone).month, 2)
    case .dd: Self.digits(time.parts(in: zone).day, 2)
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

  /// The bytes; each byte that is not part of well-formed UTF-8 becomes `%HH`.
  package static func text(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
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
