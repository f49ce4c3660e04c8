#if LIBFUZZER
  import CFuzzer
  import FuzzTargets
  import Foundation

  /// The same targets under libFuzzer: `TARGET=… waybill-fuzz [libFuzzer's options] CORPUS`, with the target in the
  /// environment, as libFuzzer starts the program anew with its own options. Built by `scripts/fuzz` alone.
  @main
  struct LibFuzzer {
    static let target = ProcessInfo.processInfo.environment["TARGET"].flatMap(FuzzTarget.init)

    static func main() {
      guard target != nil else {
        print("TARGET has to be one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
        exit(64)
      }
      var count = CommandLine.argc
      var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
      let status = unsafe LLVMFuzzerRunDriver(&count, &arguments) { bytes, size in
        unsafe LibFuzzer.target?.take(Array(UnsafeBufferPointer(start: bytes, count: size)))
        return 0
      }
      exit(status)
    }
  }
#endif
