import FoundationEssentials
import Yams

/// `api-declarations DESCRIPTION MESSAGES BYTES` makes Swift of the description of the control API: the types of its messages, and
/// the description in JSON, as the daemon serves it.
@main
enum APIDeclarations {
  static func main() throws {
    let paths = CommandLine.arguments.dropFirst().map { URL(filePath: $0) }
    guard paths.count == 3 else { throw DeclarationFault("usage", "api-declarations DESCRIPTION MESSAGES BYTES") }
    let words = String(decoding: try Data(contentsOf: paths[0]), as: UTF8.self)
    guard let description = try Yams.compose(yaml: words), let schemas = description["components"]?["schemas"]?.mapping
    else {
      throw DeclarationFault(paths[0].path, "it has no schemas")
    }
    let named = schemas.map { (name: $0.key.string ?? "", node: $0.value) }
    let types = try SwiftTypes(
      schemas: Dictionary(uniqueKeysWithValues: named.map { ($0.name, Schema(place: $0.name, node: $0.node)) }))
    try Data(SwiftText(types.types).text.utf8).write(to: paths[1])
    try Data(bytes(description.json).utf8).write(to: paths[2])
  }

  private static func bytes(_ json: String) -> String {
    """
    // Made from share/waybill-api.yaml.
    /// The description of the control API, as the daemon serves it.
    package enum APIDescription {
      /// The OpenAPI document in JSON, with a line feed at its end.
      package static let document = Array(###"\(json)"###.utf8) + [0x0A]
    }

    """
  }
}
