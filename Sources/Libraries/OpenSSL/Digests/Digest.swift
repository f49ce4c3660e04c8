/// The bytes of a hash, without an allocation of their own.
///
/// Inlinable throughout, so that a hash becomes hex or base64 without a call for each byte.
@frozen public struct Digest<let count: Int>: RandomAccessCollection, Sendable {
  @usableFromInline var bytes: InlineArray<count, UInt8>

  /// All bytes zero.
  init() { bytes = InlineArray(repeating: 0) }

  /// Has C write the bytes.
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
