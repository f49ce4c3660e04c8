extension Dialect {
  /// Wasabi.
  static let wasabi: Dialect = {
    var wasabi = Dialect(name: "wasabi")
    // Accepted, and the object is overwritten: measured by vdavid/cmdr, 2026-10-02, at PUT and Complete; by OtsarDB, 2026-08-10, at PUT.
    wasabi.conditions.put = .ignored
    wasabi.conditions.complete = .ignored
    // "How do I use AWS CLI with Wasabi", 2026-09-23. (vdavid/cmdr saw it taken on 2026-10-02.)
    let refusal = StorageError(
      400, "InvalidRequest", "The algorithm type you specified in x-amz-checksum- header is invalid.")
    wasabi.checksums.object["crc64nvme"] = .refused(refusal)
    wasabi.checksums.part["crc64nvme"] = .refused(refusal)
    wasabi.checksums.refusedTypes["crc64nvme"] = ["FULL_OBJECT": refusal]
    return wasabi
  }()
}
