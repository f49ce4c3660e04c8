import Glibc
import Linux

/// The remedy for a file that holds a credential and cannot be read.
enum CredentialRemedy {
  static func of(_ error: FileError, source: CredentialSource) -> String? {
    switch (error.errno, source) {
    case (ENOENT, .credential(let name)): "add LoadCredential=\(name):/path/to/file to the unit"
    case (ENOENT, .awsProfile): "name the credentials file by AWS_SHARED_CREDENTIALS_FILE in the daemon's unit"
    case (ENOENT, _), (ENOTDIR, _): "put the value into this file, readable by the daemon's user alone"
    case (EACCES, _), (EPERM, _): "let the daemon's user read it, and enter each directory above it"
    case (EISDIR, .awsProfile), (EINVAL, .awsProfile): "it must be a regular file"
    case (EISDIR, _), (EINVAL, _): "it must be a regular file that holds the value alone, on one line"
    case (EFBIG, _): "a value has at most 64 KiB"
    default: nil
    }
  }
}
