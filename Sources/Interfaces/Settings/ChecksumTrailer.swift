/// The storages that get a CRC behind the bytes, so that a file is read once. Otherwise it goes ahead of them, in a header.
public enum ChecksumTrailer: String, Choice {
  /// AWS itself, over TLS.
  case auto
  /// This storage, whatever it is. The first answer that does not show the checksum ends it.
  case on
  /// None.
  case off
}
