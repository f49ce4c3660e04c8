/// Arithmetic for numbers from outside: files, servers, clocks, commands, rows. A result out of the type's range becomes the nearest
/// value in range, and does not end the process.

infix operator +| : AdditionPrecedence
infix operator -| : AdditionPrecedence
infix operator *| : MultiplicationPrecedence
infix operator +|= : AssignmentPrecedence

extension FixedWidthInteger {
  /// The sum, or the nearest number to it.
  @inlinable public static func +| (a: Self, b: Self) -> Self {
    let (sum, isOver) = a.addingReportingOverflow(b)
    return isOver ? (b < 0 ? .min : .max) : sum
  }

  /// The difference, or the nearest number to it.
  @inlinable public static func -| (a: Self, b: Self) -> Self {
    let (difference, isOver) = a.subtractingReportingOverflow(b)
    return isOver ? (b > 0 ? .min : .max) : difference
  }

  /// The product, or the nearest number to it.
  @inlinable public static func *| (a: Self, b: Self) -> Self {
    let (product, isOver) = a.multipliedReportingOverflow(by: b)
    return isOver ? ((a < 0) == (b < 0) ? .max : .min) : product
  }

  /// Adds a number.
  @inlinable public static func +|= (a: inout Self, b: Self) { a = a +| b }
}

extension Sequence where Element: FixedWidthInteger {
  /// The sum, or the largest number if the sum would be larger.
  @inlinable public var saturatingSum: Element { reduce(0, +|) }
}

extension Duration {
  /// The whole seconds of the duration.
  public var wholeSeconds: Int64 { whole(1_000_000_000_000_000_000) }
  /// The whole milliseconds.
  public var milliseconds: Int64 { whole(1_000_000_000_000_000) }
  /// The whole microseconds; other modules use those of `Jobs`.
  var microseconds: Int64 { whole(1_000_000_000_000) }
  /// The whole nanoseconds.
  public var nanoseconds: Int64 { whole(1_000_000_000) }

  private func whole(_ unit: Int128) -> Int64 { Int64(clamping: attoseconds / unit) }
}
