import Credentials
import Spool

/// The decisions that a setup needs, however they were made: by answers, by options, or by what was found.
struct SetupAnswers: Equatable {
  /// The keys of the storage.
  enum Keys: Equatable {
    /// These are written into files.
    case written(access: Secret, secret: Secret, token: Secret?)
    /// They are in files that stay where they are.
    case files(access: String, secret: String)
    /// The machine has a role that gives them (AWS).
    case instance
  }

  /// `[storage.main]`.
  struct Storage: Equatable {
    var endpoint: String
    var region: String
    var bucket: String
    var keys: Keys
    var settings: [StorageSetting] = []
  }

  /// `[backend.main]`.
  struct Backend: Equatable {
    var url: String
    /// The token, which is written into a file.
    var token: Secret?
    /// The file with the token, which stays where it is.
    var tokenFile: String?
  }

  /// A `[[spool]]`, with what else its section has.
  struct Spool: Equatable {
    var path: String
    /// The group of those who drop files; nil for the usual one.
    var group: String?
    /// A directory for archived files.
    var archive: String?
    /// The owner and group that a person has agreed to take its directory from; nil if nobody was asked.
    var agreed: DirectorySetup.State?
  }

  var storage: Storage
  var backend: Backend
  var spools: [Spool]
  /// The users who are to drop files and to operate.
  var people: [String]
  /// True if the storage or the backend is the sandbox on this machine.
  var usesSandbox: Bool
  /// False with `--no-start`.
  var starts = true

  /// Uses a secret that is in a key file already.
  mutating func use(_ secret: Secret, from path: String, at place: SetupPlace) {
    if case .written(let access, let secretKey, let token) = storage.keys {
      storage.keys = .written(
        access: path == place.key("s3-access-key") ? secret : access,
        secret: path == place.key("s3-secret-key") ? secret : secretKey,
        token: path == place.key("s3-session-token") ? secret : token)
    }
    if path == place.key("backend-token") { backend.token = secret }
  }
}

/// The sandbox on this machine (waybill-sandbox.service).
enum LocalSandbox {
  static let unit = "waybill-sandbox.service"
  static let endpoint = "http://127.0.0.1:9100"
  static let backend = endpoint + "/register"
  static let bucket = "documents"

  /// Its storage, with the keys that everybody knows.
  static var storage: SetupAnswers.Storage? {
    guard let access = Secret(text: "sandbox"), let secret = Secret(text: "sandbox-secret") else { return nil }
    return SetupAnswers.Storage(
      endpoint: endpoint, region: "us-east-1", bucket: bucket,
      keys: .written(access: access, secret: secret, token: nil))
  }
}
