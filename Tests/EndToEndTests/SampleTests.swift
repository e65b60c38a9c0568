import Glibc
import Testing

extension EndToEnd {
  /// The sample programs of the library, as processes of their own.
  @Suite struct SampleTests {
    @Test(arguments: ["list", "album", "notes"])
    func `a sample plays the story of its page`(name: String) throws {
      let built = try Program.built("sample-\(name)")
      let folder = built.split(separator: "/").dropLast().joined(separator: "/")
      let here = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
      var template = Array("/tmp/ceXXXXXX".utf8CString)
      try #require(mkdtemp(&template) != nil)
      let scratch = Folder(String(decoding: template.dropLast().map { UInt8($0) }, as: UTF8.self))
      defer {
        do { try Folder("/tmp").remove("\(scratch.path.dropFirst("/tmp/".utf8.count))") } catch {
          Issue.record("\(scratch.path) can't be removed: \(error)")
        }
      }
      let outcome = try Program.run(
        "/\(here)/examples/play", [name],
        environment: [
          "BUILT=/\(folder)", "PATH=/usr/bin:/bin", "HOME=\(scratch.path)", "TZ=UTC",
          "SWIFT_BACKTRACE=enable=no",
        ], scratch: scratch)
      #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
      #expect(outcome.lastLine.hasPrefix("\(name): played"))
    }
  }
}
