/// How a file is cut into parts ("Amazon S3 multipart upload limits" in the S3 user guide).
struct PartPlan: Hashable, Sendable {
  /// A range of the file.
  struct Part: Hashable, Sendable {
    /// From 1 on.
    var number: Int
    /// Where it begins in the file.
    var offset: Int64
    /// How many bytes it has.
    var count: Int64
  }

  /// The most parts of an object.
  static let most: Int64 = 10_000
  /// The numbers that a part can have.
  static let numbers = 1...Int(most)
  private static let mebibyte: Int64 = 1 << 20

  let size: Int64
  let partSize: Int64

  /// Parts of that size, or of the next whole MiB that makes no more parts of the file than S3 takes.
  init(size: Int64, wanted: Int64) {
    self.size = size
    let least = (size + Self.most - 1) / Self.most
    partSize = least <= wanted ? wanted : (least + Self.mebibyte - 1) / Self.mebibyte * Self.mebibyte
  }

  /// Parts of just that size, as an upload was begun with.
  init(size: Int64, partSize: Int64) {
    self.size = size
    self.partSize = partSize
  }

  /// How many there are; an empty file has one, which is empty.
  var count: Int { max(1, Int((size + partSize - 1) / partSize)) }

  /// The part with a number, from 1 on.
  func part(_ number: Int) -> Part {
    let offset = Int64(number - 1) * partSize
    return Part(number: number, offset: offset, count: min(partSize, size - offset))
  }
}
