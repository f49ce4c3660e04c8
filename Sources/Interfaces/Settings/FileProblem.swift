import Glibc
import Linux

/// The problem of a configuration file or folder that cannot be read, with its remedy.
enum FileProblem {
  static func of(_ error: FileError, file: String) -> ConfigurationProblem {
    ConfigurationProblem(
      file: file, words: "cannot read the configuration: \(error.reason)", remedy: remedy(error.errno) ?? error.remedy,
      mayPass: error.mayPass)
  }

  private static func remedy(_ errno: Int32) -> String? {
    switch errno {
    case ENOENT:
      "waybill init makes one, and /usr/share/doc/waybill/examples/waybill.toml is one to begin with; --config FILE "
        + "names another file"
    case EACCES, EPERM: "let the daemon's user read it, and enter each directory above it"
    case EISDIR: "name a file inside it with --config FILE"
    case EFBIG: "a configuration file has at most 1 MiB"
    case E2BIG: "the folder has at most 1,000 files"
    case EINVAL: "it must be a regular file"
    default: nil
    }
  }
}
