import CCurl

/// The header lines of one request in libcurl's form. Nodes and texts are in memory that the next request reuses, because
/// `curl_slist_append` allocates memory twice for each line.
///
/// It is used only on the transfer thread.
@safe final class HeaderList {
  private var nodes = UnsafeMutableBufferPointer<curl_slist>.allocate(capacity: 32)
  private var texts = UnsafeMutableBufferPointer<CChar>.allocate(capacity: 2048)
  private var count = 0
  private var size = 0

  deinit {
    unsafe nodes.deallocate()
    unsafe texts.deallocate()
  }

  /// The first node of the lines, which are valid until ``reset(lines:bytes:)``; nil if there are none.
  var first: UnsafeMutablePointer<curl_slist>? { unsafe count == 0 ? nil : nodes.baseAddress }

  /// Removes all lines, and reserves memory for this number of lines with this total number of bytes, without their ends.
  func reset(lines: Int, bytes: Int) {
    (count, size) = (0, 0)
    if unsafe nodes.count < lines {
      unsafe nodes.deallocate()
      unsafe nodes = .allocate(capacity: lines * 2)
    }
    if unsafe texts.count < bytes + lines {
      unsafe texts.deallocate()
      unsafe texts = .allocate(capacity: (bytes + lines) * 2)
    }
  }

  /// Adds a line of a name, a separator and a value. There must be enough memory for it.
  func add(_ name: String, _ separator: String, _ value: String = "") {
    let start = size
    append(name)
    append(separator)
    append(value)
    unsafe texts[size] = 0
    size += 1
    let text = unsafe texts.baseAddress.map { unsafe $0 + start }
    unsafe nodes.initializeElement(at: count, to: curl_slist(data: text, next: nil))
    if count > 0 { unsafe nodes[count - 1].next = nodes.baseAddress.map { unsafe $0 + count } }
    count += 1
  }

  private func append(_ text: String) {
    var text = text
    size += text.withUTF8 { bytes in
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(texts)[size...])
      unsafe rest.copyBytes(from: bytes)
      return bytes.count
    }
  }
}
