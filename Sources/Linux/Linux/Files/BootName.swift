/// The random name that the kernel gives itself at each boot (proc_sys_kernel(5), `random/boot_id`).
public enum BootName {
  /// Returns the name; nil if it cannot be read.
  ///
  /// The daemon's unit has no /proc/sys (`ProcSubset=pid`). It passes the name as a credential (`LoadCredential=`).
  public static func read(
    environment: [String: String], kernel: String = "/proc/sys/kernel/random/boot_id"
  ) -> String? {
    let passed = environment["CREDENTIALS_DIRECTORY"].map { $0 + "/boot_id" }
    for path in [kernel, passed].compactMap(\.self) {
      do throws(FileError) {
        let text = String(decoding: try readSmallFile(path: path, limit: 64), as: UTF8.self)
        let name = text.prefix { !$0.isWhitespace }
        if name.utf8.count == 36 { return String(name) }
      } catch {
        continue  // It is not there, or may not be read: try the next one.
      }
    }
    return nil
  }
}
