import ControlAPI

/// The description of the control API (OpenAPI 3.1), which is part of the program: `share/waybill-api.yaml`, made into JSON by
/// `scripts/api-description`.
package enum APIDescription {
  /// The document in JSON.
  package static var document: [UInt8] { PackageResources.openapi_json }

  /// The answer to `GET /v1`: the list of calls.
  package static var index: APIIndex {
    get throws { try APIIndex(ControlJSON.decode(Document.self, from: document)) }
  }

  /// The parts of the document that the index shows.
  fileprivate struct Document: Decodable {
    var paths: [String: [String: Call]]

    struct Call: Decodable { var summary: String }
  }
}

/// The calls of the control API.
package struct APIIndex: Encodable {
  /// A call.
  package struct Call: Encodable {
    package var method: String
    package var path: String
    package var summary: String
  }

  /// The version of the daemon.
  package var version = WaybillVersion.current
  /// The path of the description.
  package var description = "/v1/openapi.json"
  /// The calls, by path.
  package var calls: [Call]

  fileprivate init(_ document: APIDescription.Document) {
    calls = document.paths.sorted { $0.key < $1.key }.flatMap { path, calls in
      calls.sorted { $0.key < $1.key }.map { Call(method: $0.key.uppercased(), path: path, summary: $0.value.summary) }
    }
  }
}
