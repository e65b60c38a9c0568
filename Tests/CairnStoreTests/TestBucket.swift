import BuiltPrograms
import Testing

@testable import CairnStore

/// Places in a bucket that only tests know.
final class TestBucket: Sendable {
  /// Started when it is needed first.
  static let shared = TestBucket()

  private let server = BucketServer()

  var port: Int { server.port }

  /// A place of its own in the bucket.
  func location(
    _ settings: S3Settings = TestBucket.settings(), bucket: String = "bucket"
  ) throws -> StoreLocation {
    let prefix = String(UInt64.random(in: 0 ... .max), radix: 36)
    let text = "s3:http://127.0.0.1:\(port)/\(bucket)/\(prefix)"
    return try #require(StoreLocation(text, StoreSettings(s3: settings)))
  }

  /// The key that the server knows, or another.
  static func settings(
    id: String = BucketServer.key.id, secret: String = BucketServer.key.secret
  ) -> S3Settings {
    S3Settings { _ throws(StoreError) in S3Credentials(id: id, secret: secret) }
  }
}
