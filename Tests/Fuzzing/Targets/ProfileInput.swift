import Credentials

/// A profile is had whole or not at all.
enum ProfileInput {
  static func take(_ bytes: [UInt8]) {
    do {
      let keys = try SigningKey("default", in: bytes)
      for key in [keys.accessKey, keys.secret, keys.sessionToken].compactMap(\.self) {
        promise(!key.isEmpty, "an empty key")
        promise(key.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a key with a control character")
      }
      promise("\(keys)" == "signing key \(keys.accessKey)", "a secret that shows itself")
    } catch {
      promiseIsShowable("\(error.message)")
    }
  }
}
