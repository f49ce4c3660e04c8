import HTTPTransfer
import Settings

/// The configured headers, by the requests that they are sent with.
struct ConfiguredHeaders: Sendable {
  /// The values of all, by their names.
  let values: [String: String]
  /// Those of an object, in the order of their names. They go with the request that begins it.
  let ofObjects: [HTTPHeader]
  /// Those of each request.
  let ofRequests: [HTTPHeader]

  /// - Parameter headers: the values by name.
  init(_ headers: [String: String]) {
    values = headers
    let all = headers.sorted { $0.key < $1.key }.map { HTTPHeader($0.key, $0.value) }
    ofObjects = all.filter { !StorageSettings.isOfEachRequest($0.name) }
    ofRequests = all.filter { StorageSettings.isOfEachRequest($0.name) }
  }

  /// The value of a header of an object; nil if it is not configured.
  subscript(name: String) -> String? { ofObjects.first { $0.isNamed(name) }?.value }
}
