import Foundation
import Testing

@testable import CairnStore

/// Signature V4 against what Amazon has published, and against what botocore makes.
struct SignatureTests {
  private static let example = SignatureV4(
    credentials: S3Credentials(
      id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    region: "us-east-1", time: 1_369_353_600)

  /// The examples of "Signature Calculations for the Authorization Header" in the API's reference.
  @Test func `the published examples have the published signatures`() {
    let host = "examplebucket.s3.amazonaws.com"
    let date = "Fri, 24 May 2013 00:00:00 GMT"
    let all: [(String, String, [(String, String)], [(String, String)], String, String)] = [
      (
        "GET", "/test.txt", [], [("Range", "bytes=0-9")], "",
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
      ),
      (
        "PUT", "/test%24file.text", [],
        [("Date", date), ("x-amz-storage-class", "REDUCED_REDUNDANCY")], "Welcome to Amazon S3.",
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
      ),
      (
        "GET", "/", [("lifecycle", "")], [], "",
        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
      ),
      (
        "GET", "/", [("prefix", "J"), ("max-keys", "2")], [], "",
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
      ),
    ]
    for (method, path, query, headers, body, signature) in all {
      let signed = Self.example.headers(
        method, host: host, path: path, query: query,
        headers: headers.map { (name: $0.0, value: $0.1) }, body: Array(body.utf8))
      #expect(signed.last?.value.hasSuffix("Signature=\(signature)") == true, "\(method) \(path)")
    }
  }

  private struct Case: Decodable {
    var id: String
    var secret: String
    var token: String?
    var region: String
    var host: String
    var method: String
    var path: String
    var query: [[String]]
    var headers: [[String]]
    var body: [UInt8]
    var time: Int64
    var authorization: String
  }

  /// `Tests/Buckets/signatures.py` made them; `SIGNATURES` names a file with others.
  @Test func `random requests have the signatures that botocore makes`() throws {
    let own = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Buckets/signatures.json")
    let file = ProcessInfo.processInfo.environment["SIGNATURES"].map { URL(filePath: $0) } ?? own
    let cases = try JSONDecoder().decode([Case].self, from: Data(contentsOf: file))
    try #require(cases.count >= 60)
    for known in cases {
      let signature = SignatureV4(
        credentials: S3Credentials(id: known.id, secret: known.secret, token: known.token),
        region: known.region, time: known.time)
      let signed = signature.headers(
        known.method, host: known.host, path: known.path,
        query: known.query.map { ($0[0], $0[1]) },
        headers: known.headers.map { (name: $0[0], value: $0[1]) }, body: known.body)
      let expected = known.authorization.replacing(", ", with: ",")
      #expect(signed.last?.value == expected, "\(known.method) \(known.path)")
    }
  }

  @Test func `a key is encoded byte by byte, and its slashes stay`() {
    #expect(SignatureV4.encoded("a b/ü~+", keepingSlashes: true) == "a%20b/%C3%BC~%2B")
    #expect(SignatureV4.encoded("a/b") == "a%2Fb")
    #expect(SignatureV4.moment(0) == "19700101T000000Z")
  }

  @Test func `a key's secret is in no text`() {
    let key = S3Credentials(id: "id", secret: "hidden", token: "also hidden")
    #expect(!"\(key)".contains("hidden"))
  }
}
