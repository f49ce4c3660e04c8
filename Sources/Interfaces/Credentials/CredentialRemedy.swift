import Glibc
import Linux
import Messages

/// The remedy for a file that holds a credential and cannot be read.
enum CredentialRemedy {
  static func of(_ error: FileError, source: CredentialSource) -> Message? {
    switch (error.errno, source) {
    case (ENOENT, .credential(let name)): .loadCredential(name: name)
    case (ENOENT, .awsProfile): "name the credentials file by AWS_SHARED_CREDENTIALS_FILE in the daemon's unit"
    case (ENOENT, _), (ENOTDIR, _): .putValueIntoFile
    case (EACCES, _), (EPERM, _): .letUserRead
    case (EISDIR, .awsProfile), (EINVAL, .awsProfile): "it must be a regular file"
    case (EISDIR, _), (EINVAL, _): .regularFileValueAlone
    case (EFBIG, _): "a value has at most 64 KiB"
    default: nil
    }
  }
}
