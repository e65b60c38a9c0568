import CairnStore
import Testing

@testable import CairnDaemon

/// The text of a timeout of `wait`.
@Suite struct PendingTextTests {
  @Test func `each reason is named once, without a second full stop`() {
    let away = "The container can't be reached: The folder /c is not there. Mount it."
    #expect(
      PendingText.list([("/a", away), ("/b", away), ("/a", away)])
        == "/a, /b (The container can't be reached: The folder /c is not there)")
    let many = (1...9).map { ("/\($0)", "being synced") } + [("/x", "open")]
    #expect(PendingText.list(many) == "/1, /2, /3 and 6 more (being synced); /x (open)")
  }

  @Test func `names of objects are left out`() {
    let key = "users/" + String(repeating: "0a", count: 32) + "/packs/1/ab"
    #expect(
      PendingText.clause("Could not read \(key): I/O error.")
        == "Could not read an object: I/O error")
  }

  @Test func `an invalid address says which part of it is wrong`() {
    let cases = [
      ("s3:http://127.0.0.1:5999/bk/team", "bk is not the name of a bucket"),
      ("s3:https://host.example", "names no bucket"), ("s3:host/bucket", "After s3:"),
      ("s3:https:///bucket", "is not a host"),
    ]
    for (text, part) in cases {
      #expect(StoreLocation(text) == nil)
      #expect(StoreLocation.mistake(in: text)?.contains(part) == true, "\(text)")
    }
    #expect(StoreLocation.mistake(in: "https://host example/") == nil)
  }
}
