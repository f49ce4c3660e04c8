import CLinux
import Glibc

extension OpenFile {
  /// Creates a file without a name that exists only in memory (memfd_create(2)), with these bytes.
  public convenience init(inMemory bytes: [UInt8]) throws(FileError) {
    let name = "a file in memory"
    let number = clinux_create_in_memory()
    guard number >= 0 else { throw FileError("create", path: name, errno: errno) }
    let descriptor = Descriptor(taking: number)
    try descriptor.write(bytes, path: name)
    self.init(PathText(name, []), descriptor)
  }
}
