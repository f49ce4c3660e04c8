#if LIBFUZZER
  import CFuzzer
  import FuzzTargets
  import Glibc

  /// The same targets under libFuzzer: `waybill-fuzz TARGET [libFuzzer's options] CORPUS`. Built by `scripts/fuzz` alone.
  @main
  struct LibFuzzer {
    /// Set once, before libFuzzer begins, from the first argument.
    static let target = CommandLine.arguments.dropFirst().first.flatMap(FuzzTarget.init)

    static func main() {
      guard target != nil else {
        print("usage: waybill-fuzz TARGET …; there are \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
        exit(64)
      }
      // The target's name makes way for the program's: libFuzzer takes the arguments after the first.
      var count = CommandLine.argc - 1
      var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv + 1
      let status = unsafe LLVMFuzzerRunDriver(&count, &arguments) { bytes, size in
        unsafe LibFuzzer.target?.take(Array(UnsafeBufferPointer(start: bytes, count: size)))
        return 0
      }
      exit(status)
    }
  }
#endif
