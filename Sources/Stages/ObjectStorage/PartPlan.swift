import Messages

/// The division of a file into parts ("Amazon S3 multipart upload limits" in the S3 user guide).
struct PartPlan: Hashable, Sendable {
  /// A range of the file.
  struct Part: Hashable, Sendable {
    /// The number, counted from 1.
    var number: Int
    /// The offset in the file at which it begins.
    var offset: Int64
    /// The number of its bytes.
    var count: Int64
  }

  /// AWS's maximum number of parts of an object; some services allow fewer.
  static let most = 10_000
  /// The numbers that a part can have.
  static let numbers = 1...most
  private static let mebibyte: Int64 = 1 << 20

  let size: Int64
  let partSize: Int64

  /// Creates parts of this size. If there would be too many of them, the size is the next whole number of MiB that is large
  /// enough.
  init(size: Int64, wanted: Int64, most: Int = PartPlan.most) {
    self.size = size
    let least = size.dividedUp(by: Int64(most))
    partSize = least <= wanted ? wanted : least.dividedUp(by: Self.mebibyte) *| Self.mebibyte
  }

  /// Creates parts of exactly this size, with which an upload was begun.
  init(size: Int64, partSize: Int64) {
    self.size = size
    self.partSize = max(1, partSize)
  }

  /// The number of parts; an empty file has one empty part.
  var count: Int { max(1, Int(size.dividedUp(by: partSize))) }

  /// The part with this number, counted from 1.
  func part(_ number: Int) -> Part {
    let offset = Int64(number - 1) * partSize
    return Part(number: number, offset: offset, count: min(partSize, size - offset))
  }
}

extension Int64 {
  /// The quotient, rounded up.
  fileprivate func dividedUp(by divisor: Int64) -> Int64 { self / divisor + (self % divisor > 0 ? 1 : 0) }
}
