/// The limit of uploads: `bandwidth`.
extension Section {
  /// Returns bytes a second; nil for no limit.
  ///
  /// Below 16 KiB a second, portions would have to be a few bytes to be sent often enough to keep servers from giving up.
  mutating func sendLimit(_ key: String) -> Int64? {
    let limit = size(key, default: "0", in: "0"..."1TiB")
    if limit > 0, limit < 16 << 10 {
      problem(key, "is less than 16KiB a second", "write at least \"16KiB\", or \"0\" for no limit")
    }
    return limit > 0 ? limit : nil
  }
}
