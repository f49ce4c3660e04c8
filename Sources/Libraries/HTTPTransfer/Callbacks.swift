import CCurl

/// The functions that libcurl calls, with the transfer as their context pointer.
///
/// They run within a call of the multi handle, hence on the transfer thread. ``MultiHandle`` keeps the transfer alive until its
/// handle is removed.
enum Callbacks {
  static let sending: curl_prereq_callback = { context, _, _, _, _ in
    unsafe transfer(context)?.sendings += 1
    return Int32(CURL_PREREQFUNC_OK)
  }

  static let header: ccurl_data_function = { bytes, size, count, context in
    guard let transfer = unsafe transfer(context), let line = unsafe buffer(bytes, size * count) else { return 0 }
    // Any other count makes libcurl end the transfer.
    return unsafe transfer.receiveHeader(line) ? line.count : 0
  }

  static let body: ccurl_data_function = { bytes, size, count, context in
    guard let transfer = unsafe transfer(context), let chunk = unsafe buffer(bytes, size * count) else { return 0 }
    return unsafe transfer.receiveBody(chunk)
  }

  static let read: ccurl_data_function = { bytes, size, count, context in
    guard let transfer = unsafe transfer(context), let bytes = unsafe bytes else { return Int(CURL_READFUNC_ABORT) }
    return unsafe transfer.giveBody(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
  }

  static let seek: curl_seek_callback = { context, offset, origin in
    guard let transfer = unsafe transfer(context), origin == SEEK_SET, transfer.seek(to: Int64(offset)) else {
      return CURL_SEEKFUNC_FAIL
    }
    return CURL_SEEKFUNC_OK
  }

  static let progress: curl_xferinfo_callback = { context, _, _, _, sent in
    guard let transfer = unsafe transfer(context) else { return 1 }
    return transfer.mayGoOn(sent: Int64(sent), now: ccurl_milliseconds()) ? 0 : 1
  }

  static func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    guard let context = unsafe context else { return nil }
    return unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  }

  private static func buffer(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> UnsafeBufferPointer<UInt8>? {
    guard let bytes = unsafe bytes else { return nil }
    return unsafe UnsafeBufferPointer(start: UnsafeRawPointer(bytes).assumingMemoryBound(to: UInt8.self), count: count)
  }
}
