import Glibc

/// The size of a terminal in characters.
public enum TerminalSize {
  /// The columns of the terminal behind a descriptor; nil where there is none, or it does not say (ioctl_tty(2)).
  public static func columns(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
