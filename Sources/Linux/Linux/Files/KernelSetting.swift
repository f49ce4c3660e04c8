/// Settings and names of the kernel in /proc/sys.
///
/// The daemon's unit has no /proc/sys (`ProcSubset=pid`). It passes them as credentials, read at its start (`LoadCredential=`).
public enum KernelSetting {
  /// True if the kernel lets users link only their own files and files that they may write (fs.protected_hardlinks of
  /// proc_sys_fs(5)). Also true if that cannot be read, so that nothing is reported.
  public static func protectsLinks(
    environment: [String: String], kernel: String = "/proc/sys/fs/protected_hardlinks"
  ) -> Bool {
    read(kernel, or: "protected_hardlinks", environment) { $0.first != "0" } ?? true
  }

  /// The random name that the kernel gives itself at each boot (proc_sys_kernel(5)); nil if it cannot be read.
  public static func bootName(environment: [String: String]) -> String? {
    read("/proc/sys/kernel/random/boot_id", or: "boot_id", environment) { $0.utf8.count == 36 ? $0 : nil }
  }

  /// Returns the first word of a file of the kernel, or else of a credential, as `parse` understands it.
  private static func read<Value>(
    _ kernel: String, or credential: String, _ environment: [String: String], parse: (String) -> Value?
  ) -> Value? {
    let passed = environment["CREDENTIALS_DIRECTORY"].map { "\($0)/\(credential)" }
    for path in [kernel, passed].compactMap(\.self) {
      do throws(FileError) {
        let text = String(decoding: try readSmallFile(path: path, limit: 64), as: UTF8.self)
        if let value = parse(String(text.prefix { !$0.isWhitespace })) { return value }
      } catch {
        continue  // It is not there, or may not be read: try the next one.
      }
    }
    return nil
  }
}
