import Glibc

/// The size of a terminal in characters.
public enum TerminalSize {
  /// The number of columns of the terminal behind a descriptor; nil if there is none, or it does not report them (ioctl_tty(2)).
  public static func columns(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
