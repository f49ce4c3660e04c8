import Glibc
import SystemdLink
import Testing

/// Unix sockets as a peer of the code under test has them.
enum Sockets {
  private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    return unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  static func datagram(at path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    try #require(descriptor >= 0)
    try #require(unsafe withAddress(path) { unsafe bind(descriptor, $0, $1) } == 0)
    return descriptor
  }

  static func received(_ descriptor: Int32) -> [String] {
    var all: [String] = []
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      guard count >= 0 else { return all }
      all.append(String(decoding: bytes[..<count], as: UTF8.self))
    }
  }

  static func connect(_ path: String, kind: __socket_type = SOCK_STREAM) -> Int32? {
    let descriptor = socket(AF_UNIX, Int32(kind.rawValue), 0)
    if unsafe withAddress(path, { unsafe Glibc.connect(descriptor, $0, $1) }) == 0 { return descriptor }
    close(descriptor)
    return nil
  }
}

func close(_ socket: ListeningSocket) { _ = Glibc.close(socket.descriptor) }
