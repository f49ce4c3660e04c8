import Credentials
import LinuxFiles

/// Decides if the keys that a configuration names are checked while it is read.
struct CredentialCheck {
  /// The daemon's environment, which `{ env = … }` and `{ credential = … }` refer to.
  let environment: [String: String]
  /// True if the keys are read; false to check only the text of a configuration, on a machine that does not have its keys.
  let reads: Bool

  /// Returns the reason why a credential cannot be used now, or nil if it can.
  func fault(_ source: CredentialSource) -> CredentialError? {
    guard reads else { return nil }
    do throws(CredentialError) {
      _ = try CredentialReader(source, environment: environment).read()
      return nil
    } catch {
      return error
    }
  }

  /// Returns the reason why a file cannot be read now, or nil if it can.
  func fault(file: String, limit: Int) -> FileError? {
    guard reads else { return nil }
    do throws(FileError) {
      _ = try readSmallFile(path: file, limit: limit)
      return nil
    } catch {
      return error
    }
  }
}
