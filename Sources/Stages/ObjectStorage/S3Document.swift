package import XML

/// The documents that S3 answers with, besides an error.
///
/// Servers differ in the name of the root: moto calls the list of parts `ListPartsResponse`. So a document is known by the name
/// that S3 has for its root, or by an element that no other answer has directly in it.
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

  /// True if a root element is that of this document.
  package func isRoot(_ element: XMLElement) -> Bool {
    element.name == rawValue || element.children.contains { marks.contains($0.name) }
  }
}
