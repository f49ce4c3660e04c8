import Credentials
import LinuxFiles

/// Whether the keys that a configuration names are looked at while it is read.
struct CredentialCheck {
  /// The daemon's environment, where `{ env = … }` and `{ credential = … }` are looked up.
  let environment: [String: String]
  /// False to judge the text of a configuration alone, on a machine that does not have its keys.
  let reads: Bool

  /// Why a credential cannot be used now, or nil if it can.
  func fault(_ source: CredentialSource) -> CredentialError? {
    guard reads else { return nil }
    do throws(CredentialError) {
      _ = try CredentialReader(source, environment: environment).read()
      return nil
    } catch {
      return error
    }
  }

  /// Why a file cannot be read now, or nil if it can.
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
