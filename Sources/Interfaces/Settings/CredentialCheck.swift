import Credentials
import Linux

/// Decides if the keys that a configuration names are checked while it is read.
struct CredentialCheck {
  /// The daemon's environment, which `{ env = … }` and `{ credential = … }` refer to.
  let environment: [String: String]
  /// True if the keys are read; false to check only the text of a configuration, on a machine that does not have its keys.
  let reads: Bool
  /// The settings in the same environment.
  let settings: EnvironmentSettings

  init(environment: [String: String], reads: Bool) {
    self.environment = environment
    self.reads = reads
    settings = EnvironmentSettings(environment)
  }

  /// Returns the reason why a credential cannot be used now, or nil if it can.
  func fault(_ source: CredentialSource, _ form: Secret.Form = .line) -> CredentialError? {
    guard reads else { return nil }
    switch source {
    case .aws(let name, _): return fault(aws: name, source)
    case .oauth: return nil  // nothing is fetched here; the client's own secrets have been checked
    case .file, .credential, .environment, .awsProfile: break
    }
    return error { () throws(CredentialError) in
      _ = try CredentialReader(source, form: form, environment: environment).read()
    }
  }

  /// Returns the reason why keys of AWS's tools cannot be used, or nil if a source is set up. The keys are not fetched here.
  private func fault(aws name: String, _ source: CredentialSource) -> CredentialError? {
    error { () throws(KeyFault) in _ = try AWSKeySource(name, environment: environment) }.map {
      CredentialError($0, of: source)
    }
  }

  /// Returns the reason why a file cannot be read now, or nil if it can.
  func fault(file: String, limit: Int) -> FileError? {
    guard reads else { return nil }
    return error { () throws(FileError) in _ = try readSmallFile(path: file, limit: limit) }
  }

  /// Returns the error that a body throws; nil if it does not throw.
  private func error<Fault: Error>(of body: () throws(Fault) -> Void) -> Fault? {
    do throws(Fault) {
      try body()
      return nil
    } catch {
      return error
    }
  }
}
