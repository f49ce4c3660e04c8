import Glibc

/// Returns the result of calls about one file; nil if it does not exist (ENOENT).
public func ifPresent<Result>(_ calls: () throws(FileError) -> Result) throws(FileError) -> Result? {
  do throws(FileError) {
    return try calls()
  } catch {
    guard error.errno == ENOENT else { throw error }
    return nil
  }
}
