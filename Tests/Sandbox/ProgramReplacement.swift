import Glibc
import Linux

/// Replaces this program with another one, which keeps the process id, open files and environment (execv(2)). No signal is blocked in it.
///
/// - Throws: ``FileError`` if that fails. After a success it does not return.
func replaceProgram(path: String, arguments: [String]) throws(FileError) -> Never {
  let texts = [path] + arguments
  var words = unsafe texts.map { unsafe strdup($0) }
  unsafe words.append(nil)
  // The new program inherits this thread's mask, and libdispatch blocks nearly all signals in its threads.
  var none = sigset_t()
  unsafe sigemptyset(&none)
  unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
  unsafe execv(path, words)
  let error = errno
  for index in unsafe words.indices { unsafe free(words[index]) }
  throw FileError("run", path: path, errno: error)
}

/// The path of the running program with links resolved, e.g. `/usr/bin/waybill`.
func programPath() throws(FileError) -> String {
  let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, filled in
    unsafe buffer.withMemoryRebound(to: CChar.self) { text in
      guard let start = text.baseAddress else { return }
      filled = unsafe max(0, readlink("/proc/self/exe", start, text.count))
    }
  }
  guard !bytes.isEmpty else { throw FileError("read", path: "/proc/self/exe", errno: errno) }
  return String(decoding: bytes, as: UTF8.self)
}
