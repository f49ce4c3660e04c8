import Credentials
import Failures
import FoundationEssentials
import HTTPTransfer
import Jobs

/// Gets tokens from an OAuth 2 token endpoint (RFC 6749, section 4.4).
final class TokenFetcher: Sendable {
  /// The longest time for an answer.
  static let timeout: Duration = .seconds(10)
  /// The most bytes of an answer.
  static let limit = 64 << 10

  private let client: OAuthClient
  private let now: @Sendable () -> Timestamp
  private let transport = OwnTransport()
  /// The reader of the client's secret or private key.
  private let secret: CredentialReader
  /// The reader of the password of the private key.
  private let password: CredentialReader?

  init(_ client: OAuthClient, environment: [String: String], now: @escaping @Sendable () -> Timestamp) {
    self.client = client
    self.now = now
    switch client.proof {
    case .basic(let source), .post(let source):
      secret = CredentialReader(source, environment: environment)
      password = nil
    case .key(let source, let lock, _):
      secret = CredentialReader(source, form: .lines, environment: environment)
      password = lock.map { CredentialReader($0, environment: environment) }
    }
  }

  func fetch() async -> Result<FetchedCredential, FetchFailure> {
    do throws(FetchFailure) {
      return .success(try await token())
    } catch {
      return .failure(error)
    }
  }

  private func token() async throws(FetchFailure) -> FetchedCredential {
    let (secret, password) = try secrets()
    let proof = try proof(secret, password)
    let response = try await send(request(proof))
    let answer = TokenAnswer(
      response, now: now(), place: "the token endpoint \(DisplayText.escape(client.place))",
      hiding: SecretMask([secret.text, password?.text].compactMap(\.self) + proof.secrets))
    return try answer.token()
  }

  private func secrets() throws(FetchFailure) -> (secret: Secret, password: Secret?) {
    do throws(CredentialError) {
      return (try secret.read(), try password?.read())
    } catch {
      throw FetchFailure(error.words, remedy: error.remedy)
    }
  }

  /// The way in which a request shows who the client is.
  private enum Proof {
    case header(String)
    case form(_ name: String, _ value: String, _ more: [(String, String?)])

    /// The values in the request that are secret.
    var secrets: [String] {
      switch self {
      case .header(let value), .form(_, let value, _): [value]
      }
    }
  }

  private func proof(_ secret: Secret, _ password: Secret?) throws(FetchFailure) -> Proof {
    switch client.proof {
    case .basic:
      // Both are encoded as in a form first (RFC 6749, section 2.3.1).
      let pair = "\(FormText.encoded(client.clientID)):\(FormText.encoded(secret.text))"
      return .header("Basic \(Data(pair.utf8).base64EncodedString())")
    case .post: return .form("client_secret", secret.text, [])
    case .key(_, _, let id):
      let statement = try ClientStatement(client: client, keyID: id, now: now()).signed(by: secret, password)
      return .form("client_assertion", statement, [("client_assertion_type", ClientStatement.type)])
    }
  }

  private func request(_ proof: Proof) -> HTTPRequest {
    var headers = [
      HTTPHeader("Accept", "application/json"), HTTPHeader("Content-Type", "application/x-www-form-urlencoded"),
    ]
    var form: [(String, String?)] = [
      ("grant_type", "client_credentials"), ("scope", client.scope), ("audience", client.audience),
    ]
    switch proof {
    case .header(let value): headers.append(HTTPHeader("Authorization", value))
    case .form(let name, let value, let more): form += [("client_id", client.clientID)] + more + [(name, value)]
    }
    let body = form.compactMap { name, value in value.map { "\(name)=\(FormText.encoded($0))" } }
    return HTTPRequest(
      method: "POST", url: client.url, headers: headers, body: .bytes(Array(body.joined(separator: "&").utf8)),
      bodyLimit: Self.limit, connectTimeout: Self.timeout, totalTimeout: Self.timeout, caFile: client.caFile,
      proxy: client.proxy)
  }

  private func send(_ request: HTTPRequest) async throws(FetchFailure) -> HTTPResponse {
    do throws(TransferError) {
      return try await transport.open().send(request)
    } catch {
      throw FetchFailure(
        "the token endpoint \(DisplayText.escape(client.place)) cannot be reached: \(DisplayText.escape(error.words))",
        remedy: "it is tried again by itself; see url of oauth, and that the daemon may reach it")
    }
  }
}
