package import XML

/// The kinds of documents that S3 answers with, besides errors.
///
/// Servers use different names for the root: moto calls the list of parts `ListPartsResponse`. So a document is recognized by
/// S3's name for its root, or by a child element that no other kind of answer has.
package enum S3Document: String, CaseIterable, Sendable {
  case uploadBegun = "InitiateMultipartUploadResult"
  case parts = "ListPartsResult"
  case uploads = "ListMultipartUploadsResult"
  case completed = "CompleteMultipartUploadResult"
  case lifecycle = "LifecycleConfiguration"

  private var marks: Set<String> {
    switch self {
    case .uploadBegun: ["UploadId"]
    case .parts: ["Part", "PartNumberMarker", "NextPartNumberMarker", "MaxParts"]
    case .uploads: ["Upload", "UploadIdMarker", "NextUploadIdMarker", "MaxUploads"]
    case .completed: ["ETag", "Location"]
    case .lifecycle: ["Rule"]
    }
  }

  /// True if an element is the root of this document.
  package func isRoot(_ element: XMLElement) -> Bool {
    element.name == rawValue || element.children.contains { marks.contains($0.name) }
  }
}
