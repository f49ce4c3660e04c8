import ControlAPI
import Jobs
import Messages

/// The parameters of a call: those that every call of a fleet takes, and the rest, which a daemon has too.
struct FleetQuery: Sendable {
  /// The names or the ledgers of the hosts that are meant; empty for all.
  var hosts: Set<String> = []
  /// The form of texts in the answer.
  var texts: TextForm
  /// The other parameters, as they stand in the URL.
  var rest = ""

  /// Reads the part of a URL after its `?`.
  ///
  /// - Throws: ``ProblemDocument`` for a host without a name.
  init(_ query: String, acceptLanguage: String?) throws(ProblemDocument) {
    texts = .words(ReaderLanguage(acceptLanguage: acceptLanguage))
    var others: [Substring] = []
    for part in query.split(separator: "&") {
      if part == "texts=coded" {
        texts = .coded
      } else if part.hasPrefix("host=") {
        let names = PercentEncoding.decoded(String(part.dropFirst("host=".count))).split(separator: ",")
        // a variable that is empty by mistake must not match all hosts
        guard !names.isEmpty else { throw ProblemDocument(.invalidRequest, saying: .fleetHostNeeded) }
        hosts.formUnion(names.map(String.init))
      } else {
        others.append(part)
      }
    }
    rest = others.joined(separator: "&")
  }
}
