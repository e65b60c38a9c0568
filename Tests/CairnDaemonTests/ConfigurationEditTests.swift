import CairnControl
import Testing

@testable import CairnDaemon

/// Changes of single keys in the text of `cairn.conf`.
@Suite struct ConfigurationEditTests {
  private typealias Change = ConfigurationEdit.Change

  private let text = """
    # Mine.
    folder = "/home/ana/Cairn"

    [container]
    path = "/c" # where it is
    id = "1"

      [network] # a slow line
    # kilobytes
    upload-limit = "300k"   # up
    download-limit=1000000
    """

  private func edited(_ changes: Change...) throws -> String {
    try ConfigurationEdit.text(text, with: changes, from: "cairn.conf")
  }

  @Test func `a changed key leaves every other line, and comments, as they were`() throws {
    let changed = try edited(Change("network", "upload-limit", .number(5_000)))
    #expect(changed == text.replacing("\"300k\"   # up", with: "5000"))
    let removed = try edited(Change("network", "download-limit", nil))
    #expect(removed == text.replacing("\ndownload-limit=1000000", with: ""))
    #expect(try edited() == text)
    #expect(try edited(Change("network", "missing", nil), Change("other", "missing", nil)) == text)
  }

  @Test func `a new key comes below its heading, which is added if it is missing`() throws {
    let added = try edited(
      Change("container", "poll-seconds", .number(5)), Change("desktop", "notices", .truth(false)))
    let lines = added.split(separator: "\n", omittingEmptySubsequences: false)
    let heading = try #require(lines.firstIndex(of: "[container]"))
    #expect(lines[heading + 1] == "poll-seconds = 5")
    #expect(lines.suffix(4) == ["", "[desktop]", "notices = false", ""])
    let read = try ConfigurationReader.read(added)
    #expect(read["desktop", "notices"] == .truth(false) && read["network", "upload-limit"] != nil)
  }

  @Test func `a form that isn't understood is refused, and never damaged`() throws {
    for strange in ["[network]\n\"upload-limit\" = 5", "[\"network\"]\nupload-limit = 5"] {
      let changes = [Change("network", "upload-limit", .number(6))]
      do {
        let result = try ConfigurationEdit.text(strange, with: changes, from: "cairn.conf")
        #expect(try ConfigurationReader.read(result)["network", "upload-limit"] == .number(6))
      } catch let error as ControlError {
        #expect(error.remedy.contains("editor"))
      } catch {
        #expect(throws: (any Error).self) { try ConfigurationReader.read(strange) }
      }
    }
  }
}
