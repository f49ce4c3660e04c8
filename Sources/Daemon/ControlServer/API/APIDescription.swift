/// The description of the control API (OpenAPI 3.1), which is part of the program: `share/waybill-api.yaml`, made into JSON by
/// `scripts/api-description`.
package enum APIDescription {
  /// The document in JSON.
  package static var document: [UInt8] { PackageResources.openapi_json }
}
