/// A request as a browser describes it: the page that it goes to, and the page that it came from.
package struct BrowserCall: Hashable, Sendable {
  /// The header `Host`.
  let host: String
  /// The header `Origin`; nil if there is none.
  let origin: String?
  /// The header `Sec-Fetch-Site` (Fetch Metadata Request Headers); nil if there is none.
  let site: String?

  /// Creates a description.
  package init(host: String, origin: String?, site: String?) {
    self.host = host
    self.origin = origin
    self.site = site
  }

  /// Returns true unless the browser says that another page sent the request.
  package func isOfOwnPage(schemes: [String]) -> Bool {
    if let origin, !schemes.contains(where: { origin == "\($0)://\(host)" }) { return false }
    return site == nil || site == "same-origin" || site == "none"
  }
}
