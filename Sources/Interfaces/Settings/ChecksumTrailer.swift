/// The storages that get a CRC after the bytes, so that a file is read once. Otherwise the CRC is sent before them, in a header.
public enum ChecksumTrailer: String, Choice {
  /// AWS itself, over TLS.
  case auto
  /// This storage, whatever it is, until the first answer that does not show the checksum.
  case on
  /// None.
  case off
}
