import Credentials
import Linux

/// Decides if the keys that a configuration names are checked while it is read.
struct CredentialCheck {
  /// The daemon's environment, which `{ env = … }` and `{ credential = … }` refer to.
  let environment: [String: String]
  /// True if the keys are read; false to check only the text of a configuration, on a machine that does not have its keys.
  let reads: Bool
  let settings: EnvironmentSettings

  init(environment: [String: String], reads: Bool) {
    self.environment = environment
    self.reads = reads
    settings = EnvironmentSettings(environment)
  }

  /// Returns the reason why a credential cannot be used now, or nil if it can. What would have to be fetched is not fetched: of AWS's tools
  /// a source must be set up, and an OAuth client's own secrets have been checked.
  func fault(_ source: CredentialSource, _ form: Secret.Form = .line) -> CredentialError? {
    guard reads else { return nil }
    do throws(CredentialError) {
      switch source {
      case .aws(let name): try checkKeys(name, source)
      case .oauth: break
      case .file, .credential, .environment, .awsProfile:
        _ = try CredentialReader(source, form: form, environment: environment).read()
      }
      return nil
    } catch {
      return error
    }
  }

  private func checkKeys(_ name: String, _ source: CredentialSource) throws(CredentialError) {
    do throws(KeyFault) {
      _ = try AWSKeySource(name, environment: environment)
    } catch {
      throw CredentialError(error, of: source)
    }
  }

  func fault(file: String, limit: Int) -> FileError? {
    guard reads else { return nil }
    do throws(FileError) {
      _ = try readSmallFile(path: file, limit: limit)
      return nil
    } catch {
      return error
    }
  }

  /// Returns the key and the reason why a certificate, whose files can be read, cannot be used; nil if it can, or has expired.
  func fault(of certificate: ClientCertificate) -> (key: String, words: String)? {
    guard reads else { return nil }
    let live = LiveCertificate(certificate) { CredentialReader($0, form: $1, environment: environment) }
    do throws(CredentialError) {
      _ = try live.read()
      return nil
    } catch {
      return (error.source == certificate.certificate ? "client_cert" : "client_key", error.words)
    }
  }
}
