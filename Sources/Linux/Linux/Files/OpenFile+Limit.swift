import Glibc

extension OpenFile {
  /// The number of descriptors that this process may have (RLIMIT_NOFILE), at its present limit.
  public static var mostDescriptors: Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
    return Int(clamping: limit.rlim_cur)
  }
}
