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

  /// The maximum number of parts of an object at AWS; some services take fewer.
  static let most = 10_000
  /// The numbers that a part can have.
  static let numbers = 1...most
  private static let mebibyte: Int64 = 1 << 20

  let size: Int64
  let partSize: Int64

  /// Parts of that size, or of the next whole MiB that keeps the number of parts within a limit.
  init(size: Int64, wanted: Int64, most: Int = PartPlan.most) {
    self.size = size
    let least = (size + Int64(most) - 1) / Int64(most)
    partSize = least <= wanted ? wanted : (least + Self.mebibyte - 1) / Self.mebibyte * Self.mebibyte
  }

  /// Parts of exactly that size, as an upload was begun with.
  init(size: Int64, partSize: Int64) {
    self.size = size
    self.partSize = partSize
  }

  /// The number of parts; an empty file has one, which is empty.
  var count: Int { max(1, Int((size + partSize - 1) / partSize)) }

  /// The part with a number, from 1 on.
  func part(_ number: Int) -> Part {
    let offset = Int64(number - 1) * partSize
    return Part(number: number, offset: offset, count: min(partSize, size - offset))
  }
}
