/// A dropped file's name in the kernel's bytes: any bytes except NUL; `/` only if a recursive spool keeps a path.
public struct FileName: Hashable, Sendable {
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

  package init(_ text: String) { self.bytes = Array(text.utf8) }

  package var isUTF8: Bool { bytes.span.isUTF8 }

  /// The name for programs: unchanged, except that `\xHH` replaces each byte that is not UTF-8.
  public var text: String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    return Self.walk(bytes) { $0.append(Character($1)) }
  }

  /// The name for people: characters that move a cursor, end a line or change the direction of the text are escaped.
  ///
  /// Control characters become `\n`, `\t`, `\xHH`; invisible format characters (right-to-left marks …) `\u{HHHH}`.
  public var shown: String { DisplayText.escape(bytes) }

  static func walk(_ bytes: [UInt8], _ append: (inout String, Unicode.Scalar) -> Void) -> String {
    var out = ""
    var rest = bytes[...]
    while !rest.isEmpty {
      var iterator = rest.makeIterator()
      var decoder = UTF8()
      if case .scalarValue(let scalar) = decoder.decode(&iterator) {
        append(&out, scalar)
        rest = rest.dropFirst(UTF8.width(scalar))
      } else if let byte = rest.first {
        out += DisplayText.hexEscape(byte)
        rest = rest.dropFirst()
      }
    }
    return out
  }
}

extension Span<UInt8> {
  package var isUTF8: Bool {
    do {
      _ = try UTF8Span(validating: self)
      return true
    } catch {
      return false
    }
  }
}

extension FileName {
  /// Creates the name of a file in a directory below a recursive spool, `PATH/NAME`; only the name if the path is empty.
  public init(_ name: FileName, in path: [UInt8]) {
    self = path.isEmpty ? name : FileName(bytes: path + [UInt8(ascii: "/")] + name.bytes)
  }

  /// The name without the path before it.
  public var last: FileName {
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return self }
    return FileName(bytes: Array(bytes[(slash + 1)...]))
  }

  /// The bytes before the last dot; all of them for a name without a dot.
  public var stem: ArraySlice<UInt8> { bytes[..<(bytes.lastIndex(of: UInt8(ascii: ".")) ?? bytes.endIndex)] }

  /// The bytes after the last dot; none for a name without a dot.
  public var ext: ArraySlice<UInt8> { bytes[stem.endIndex...].dropFirst() }

  /// The path before the name, without a slash at its end; empty if there is none.
  public var path: [UInt8] { bytes.lastIndex(of: UInt8(ascii: "/")).map { Array(bytes[..<$0]) } ?? [] }
}
