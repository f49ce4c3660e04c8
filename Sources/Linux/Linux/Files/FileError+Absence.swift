import Glibc

/// Returns the result of calls that are about one file; nil if it is not there (ENOENT).
public func ifPresent<Result>(_ calls: () throws(FileError) -> Result) throws(FileError) -> Result? {
  do throws(FileError) {
    return try calls()
  } catch {
    guard error.errno == ENOENT else { throw error }
    return nil
  }
}
