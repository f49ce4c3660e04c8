import Foundation

/// A JSON Schema of `share/schemas`, read for comparisons with the code that it describes.
public struct SchemaFile {
  /// The schema of a part of the value that the file is about.
  public typealias Part = [String: Any]

  /// The schema of the whole value.
  public let root: Part

  /// Reads the schema of that name, such as `waybill.toml`.
  public init(_ name: String) throws {
    let data = try Data(contentsOf: URL(filePath: Products.source("share/schemas/\(name).json")))
    guard let root = try JSONSerialization.jsonObject(with: data) as? Part else {
      throw Missing("share/schemas/\(name).json is no object")
    }
    self.root = root
  }

  /// The schema of one of the file's own definitions.
  public func definition(_ name: String) throws -> Part {
    guard let part = (root["$defs"] as? [String: Part])?[name] else { throw Missing("there is no \(name) in $defs") }
    return part
  }

  /// The part that a part refers to by `$ref`, as often as it does; without `$ref` it is the part itself. Members beside
  /// the reference stay.
  public func resolved(_ part: Part) throws -> Part {
    guard let name = Self.reference(part) else { return part }
    var beside = part
    beside["$ref"] = nil
    return try resolved(try definition(name)).merging(beside) { $1 }
  }

  /// The name of the definition that a part refers to; nil if it refers to none of this file.
  public static func reference(_ part: Part) -> String? {
    guard let reference = part["$ref"] as? String, reference.hasPrefix("#/$defs/") else { return nil }
    return String(reference.dropFirst("#/$defs/".count))
  }

  /// The members that an object may have.
  public func members(_ part: Part) throws -> [String: Part] {
    try resolved(part)["properties"] as? [String: Part] ?? [:]
  }

  /// The names of the members that an object must have.
  public func required(_ part: Part) throws -> Set<String> {
    Set(try resolved(part)["required"] as? [String] ?? [])
  }

  /// The texts among the values that a part may have; nil if they are not listed.
  public func words(_ part: Part) throws -> [String]? {
    (try resolved(part)["enum"] as? [Any])?.compactMap { $0 as? String }
  }
}
