import Foundation
import Testing

@testable import CairnDaemon

struct ReceivingFolderTests {
  @Test(arguments: [
    ("Trip", "Trip"), ("Fotos 2026", "Fotos 2026"), ("bin", "bin"), ("日本", "日本"),
    // Titles that would lead elsewhere, or hide the folder.
    ("../../.ssh", "ssh"), ("..", "Folder"), (".", "Folder"), (".bashrc", "bashrc"),
    ("/etc/passwd", "etc-passwd"), ("a/b", "a-b"), ("a\\b", "a-b"), ("", "Folder"),
    ("   ", "Folder"), ("~", "Folder"), ("-rf", "rf"), (" . . x . ", "x"),
    // Titles that would look like other names.
    ("a\u{202E}gpj.exe", "agpj.exe"), ("a\u{2066}b\u{2069}", "ab"), ("\u{200F}\u{FEFF}x", "x"),
    ("a\nb\u{1B}[31mc\u{7F}\u{9B}", "a-b-[31mc--"), ("a\u{2028}b", "a-b"), ("a\u{A0}b", "a b"),
    ("a\u{0}b", "a-b"),
    // Joiners that scripts need.
    ("می\u{200C}خواهم", "می\u{200C}خواهم"),
  ])
  func `a title becomes a name that leads nowhere and deceives nobody`(
    _ title: String, _ name: String
  ) {
    #expect(ReceivingFolder.folderName(title) == name)
  }

  @Test func `a long title becomes a name that a file system accepts`() {
    for title in [String(repeating: "a", count: 4_000), String(repeating: "日", count: 400)] {
      let name = ReceivingFolder.folderName(title)
      #expect((190...200).contains(name.utf8.count) && title.hasPrefix(name))
    }
  }

  @Test func `a link is no folder, wherever it leads`() throws {
    let folder = "/tmp/cairn-receiving-\(UUID().uuidString.prefix(8))"
    let files = FileManager.default
    try files.createDirectory(atPath: folder + "/real", withIntermediateDirectories: true)
    defer { try? files.removeItem(atPath: folder) }
    try files.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/real")
    try files.createSymbolicLink(atPath: folder + "/dead", withDestinationPath: folder + "/none")
    try Data().write(to: URL(filePath: folder + "/file"))
    #expect(ReceivingFolder.look(folder + "/real") == .folder)
    #expect(ReceivingFolder.look(folder + "/none") == .nothing)
    #expect(ReceivingFolder.look(folder + "/file") == .other("is no folder"))
    #expect(ReceivingFolder.look(folder + "/file/x") == .failure(ENOTDIR))
    guard case .other(let link) = ReceivingFolder.look(folder + "/link"),
      case .other(let dead) = ReceivingFolder.look(folder + "/dead")
    else {
      Issue.record("a link counts as a folder")
      return
    }
    #expect(link.contains("symbolic link to") && link.contains("/real"))
    #expect(dead.contains("symbolic link"))
  }
}
