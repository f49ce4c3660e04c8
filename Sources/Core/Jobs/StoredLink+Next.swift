extension StoredLink {
  /// Returns the link of an upload, or the one that a person named, with the body and the id of its registration.
  ///
  /// A backend that has acted on a body refuses another one under the same id (draft-ietf-httpapi-idempotency-key-header, "Error
  /// Handling"). So once a registration may have arrived, the job's next body is the earlier one, byte for byte, or goes under a new
  /// id. The earlier body is sent again if nothing but the time of the upload differs. Another version or ETag means another object:
  /// the object of the earlier registration is gone.
  ///
  /// - Parameters:
  ///   - receipt: the storage's receipt; nil for a link that a person named.
  ///   - earlier: the job's link before.
  ///   - wasTold: true if a registration of that link may have arrived.
  ///   - isIDTaken: true if a registration of other bytes, whose link is not known, may have arrived under the job's own id.
  ///   - hasFiles: true if the body lists files, which the receipt does not show.
  ///   - newID: mints an id.
  ///   - body: makes the body for an id of the registration, nil for the job's own.
  public static func next(
    _ link: String, _ receipt: UploadReceipt?, after earlier: StoredLink?, wasTold: Bool, isIDTaken: Bool = false,
    hasFiles: Bool,
    newID: () -> JobID, body: (JobID?, UploadReceipt?) -> [UInt8]
  ) -> StoredLink {
    guard let earlier, wasTold else {
      let id = earlier?.id ?? (isIDTaken ? newID() : nil)
      return StoredLink(link: link, receipt: receipt, body: body(id, receipt), id: id)
    }
    var same = receipt
    if let before = earlier.receipt { same?.uploadedAt = before.uploadedAt }
    if link == earlier.link, same == earlier.receipt, !hasFiles || body(earlier.id, same) == earlier.body {
      return earlier
    }
    let id = newID()
    return StoredLink(link: link, receipt: receipt, body: body(id, receipt), id: id)
  }
}
