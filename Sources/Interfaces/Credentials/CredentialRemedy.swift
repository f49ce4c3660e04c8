import Glibc
import Linux
import Messages

/// The remedy for a file that holds a credential and cannot be read.
enum CredentialRemedy {
  static func of(_ error: FileError, source: CredentialSource) -> Message? {
    switch (error.errno, source) {
    case (ENOENT, .credential(let name)): .loadCredential(name: name)
    case (ENOENT, .awsProfile): .nameAwsFile
    case (ENOENT, _), (ENOTDIR, _): .putValueIntoFile
    case (EACCES, _), (EPERM, _): .letUserRead
    case (EISDIR, .awsProfile), (EINVAL, .awsProfile): .mustBeRegular
    case (EISDIR, _), (EINVAL, _): .regularFileValueAlone
    case (EFBIG, _): .valueTooLarge
    default: nil
    }
  }
}
