package import HTTPTypes

/// A request as a browser describes it: the page that it goes to, and the page that it came from.
extension HTTPRequest {
  /// The header `Sec-Fetch-Site` (Fetch Metadata Request Headers); nil if there is none.
  package var fetchSite: String? { HTTPField.Name("Sec-Fetch-Site").flatMap { headerFields[$0] } }

  /// Returns true unless the browser says that another page sent the request.
  package func isOfOwnPage(schemes: [String]) -> Bool {
    let host = authority ?? ""
    if let origin = headerFields[.origin], !schemes.contains(where: { origin == "\($0)://\(host)" }) { return false }
    return fetchSite == nil || fetchSite == "same-origin" || fetchSite == "none"
  }
}
