import ChildProcesses
import Settings

/// Configurations to break: each line stands where the tests say it does.
enum Sample {
  static let storage = """
    [storage.main]
    endpoint = "https://s3.eu-central-1.amazonaws.com"
    bucket = "documents"
    access_key = { file = "KEYS/access" }
    secret_key = { file = "KEYS/secret" }
    """
  static let backend = """
    [backend.main]
    url = "https://api.example.com/documents"
    """
  static let spool = """
    [[spool]]
    path = "/var/spool/waybill/documents"
    """
  /// The smallest useful file: the storage from line 1, the backend from line 6, the spool from line 8.
  static let smallest = [storage, backend, spool].joined(separator: "\n") + "\n"

  /// Writes the text with its key files and loads it. `KEYS` stands for the directory.
  static func load(
    _ text: String, in directory: TemporaryFolder, environment: [String: String] = [:]
  ) throws -> Configuration {
    try directory.write("access", "AKIDEXAMPLE\n")
    try directory.write("secret", "wJalrXUtnFEMI\n")
    let path = try directory.write("waybill.toml", text.replacing("KEYS", with: directory.path))
    return try Configuration.load(path: path, environment: environment)
  }

  /// The problems of a text, one a line, with `F` for the file and `KEYS` for the directory.
  static func problems(
    _ text: String, in directory: TemporaryFolder, environment: [String: String] = [:]
  ) throws -> [String] {
    do {
      _ = try load(text, in: directory, environment: environment)
      return []
    } catch let error as ConfigurationError {
      return error.problems.map {
        $0.description.replacing("\(directory.path)/waybill.toml", with: "F").replacing(directory.path, with: "KEYS")
      }
    }
  }
}
