/// The bytes of a hash, stored inline; inlinable, so that converting a hash to hex or base64 needs no call for each byte.
@frozen public struct Digest<let count: Int>: RandomAccessCollection, Sendable {
  @usableFromInline var bytes: InlineArray<count, UInt8>

  /// A digest of zeros.
  init() { bytes = InlineArray(repeating: 0) }

  /// Lets a C function write the bytes.
  mutating func fill(_ write: (UnsafeMutablePointer<UInt8>?) -> Void) {
    var span = bytes.mutableSpan
    unsafe span.withUnsafeMutableBufferPointer { bytes in unsafe write(bytes.baseAddress) }
  }

  /// 0.
  @inlinable public var startIndex: Int { 0 }
  /// The number of bytes.
  @inlinable public var endIndex: Int { count }
  /// A byte.
  @inlinable public subscript(position: Int) -> UInt8 { bytes[position] }
}
