import HTTPTransfer
import Jobs
import Messages

final class KeyFetcher: Sendable {
  /// The longest time for an answer of the metadata service, which is on the same host.
  static let metadataTimeout: Duration = .seconds(2)

  let environment: [String: String]
  let now: @Sendable () -> Timestamp
  private let transport = OwnTransport()

  init(environment: [String: String], now: @escaping @Sendable () -> Timestamp) {
    self.environment = environment
    self.now = now
  }

  func keys(_ source: AWSKeySource) async throws(KeyFault) -> FetchedCredential {
    switch source {
    case .fixed(let keys): return FetchedCredential(.keys(keys))
    case .process(let command): return try await CredentialProcess(command, environment: environment).keys()
    case .webIdentity(let file, let role): return try await assume(role, try token(.file(file)))
    case .assumedRole(let role, let source):
      guard case .keys(let keys) = try await keys(source).value else { throw KeyFault(.profileNoKeys) }
      return try await assume(role, by: keys)
    case .container(let url, let token): return try await container(url, token)
    case .instanceMetadata(let endpoint): return try await instance(endpoint)
    }
  }

  /// Reads a token each time: it is replaced long before it expires.
  func token(_ source: CredentialSource) throws(KeyFault) -> Secret {
    do throws(CredentialError) {
      return try CredentialReader(source, environment: environment).read()
    } catch {
      throw KeyFault(error)
    }
  }

  /// Sends a request; `place` is named in the error, which has this remedy.
  func send(
    _ request: HTTPRequest, to place: Message, remedy: Message? = nil
  ) async throws(KeyFault) -> HTTPResponse {
    var request = request
    request.bodyLimit = OwnTransport.limit
    request.caFile = environment["AWS_CA_BUNDLE"].flatMap { $0.isEmpty ? nil : $0 }
    return try await transport.send(request, to: place) { _ in remedy ?? .seeWayTo(place: place) }
  }
}
