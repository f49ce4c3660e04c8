import Glibc
import Linux

/// Replaces this program with another one, which keeps the process id, open files and environment (execv(2)). No signal is blocked in it.
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
