import CairnZone
import Foundation
import Testing

@testable import CairnFolders

/// Entries that are moved out of a person's way, and their return.
struct AsideTests {
  /// A folder that is removed when it isn't used any more.
  private final class Place {
    let path = NSTemporaryDirectory() + "cairn-aside-\(UUID())"
    let root: Descriptor

    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      root = try Descriptor.openRoot(Array(path.utf8), on: SystemDisk())
    }

    // In the temporary folder.
    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, _ name: String) throws {
      try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
    }
  }

  private func name(_ text: String) -> FileNameBytes { Array(text.utf8) }

  // MARK: Replaced files

  @Test func `a replaced file is checked soon, a busy one later, and each once`() throws {
    let place = try Place()
    let staging = try Staging(root: place.root, names: Staging.FreshNames(token: "t"))
    try place.write("one", ".cairn/displaced/a")
    var files = DisplacedFiles()
    #expect(files.isQuiet && files.nextDeadline == nil)
    files.load(staging, 0)
    files.load(staging, 0)
    let due = try #require(files.nextDeadline)
    #expect(!files.isQuiet)
    #expect(files.takeDue(staging, due - 1).isEmpty)
    #expect(files.takeDue(staging, due).map(\.name) == [name("a")])
    #expect(files.nextDeadline == nil)
    files.postpone(name("a"), due)
    #expect(files.isQuiet && files.nextDeadline == due + 10 * .second)
  }

  @Test func `an unreadable one is tried soon three times, and then as a busy one`() throws {
    let place = try Place()
    let staging = try Staging(root: place.root, names: Staging.FreshNames(token: "t"))
    var files = DisplacedFiles()
    var waits: [Int64] = []
    for _ in 0..<4 {
      files.retry(name("a"), 0)
      let due = try #require(files.nextDeadline)
      waits.append(due)
      _ = files.takeDue(staging, due)
    }
    #expect(waits == [.second / 5, .second / 5, .second / 5, 10 * .second])
    #expect(holds(files.finish(name("a")) && !files.finish(name("a"))))
  }

  // MARK: Rescue

  @Test func `a rescued file keeps its path, or gets a number beside a taken name`() throws {
    let (place, shelf) = (try Place(), try Place())
    let rescue = RescueFolder(path: Array("\(shelf.path)/rescue".utf8))
    for text in ["one", "two"] {
      try place.write(text, "f.txt")
      _ = try rescue.take(
        name("f.txt"), from: place.root, as: [name("d"), name("f.txt")])
    }
    let found = try RescueFolder.files(in: Array("\(shelf.path)/rescue".utf8), limit: 10)
    #expect(
      found.map { String(decoding: $0.path, as: UTF8.self) }.sorted() == [
        "d/f.txt", "d/f.txt 2",
      ])
    let text = try String(contentsOfFile: "\(shelf.path)/rescue/d/f.txt 2", encoding: .utf8)
    #expect(text == "two")
  }

  @Test func `a restored file leaves no empty folders, and replaces nothing`() throws {
    let (place, shelf) = (try Place(), try Place())
    let rescue = RescueFolder(path: Array("\(shelf.path)/rescue".utf8))
    try place.write("old", "f")
    _ = try rescue.take(name("f"), from: place.root, as: [name("d"), name("f")])
    try place.write("new", "f")
    #expect(throws: FolderError.self) {
      try rescue.giveBack(
        name("d/f"), to: Array(place.path.utf8), as: name("f"), isFlexible: false)
    }
    let path = try rescue.giveBack(
      name("d/f"), to: Array(place.path.utf8), as: name("f"), isFlexible: true)
    #expect(String(decoding: path, as: UTF8.self) == "\(place.path)/f (rescued)")
    #expect(try String(contentsOfFile: place.path + "/f", encoding: .utf8) == "new")
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(shelf.path)/rescue").isEmpty)
  }

  @Test func `a note is removed with its file, and so is a torn note`() throws {
    let place = try Place()
    let staging = try Staging(root: place.root, names: Staging.FreshNames(token: "t"))
    let notes = RescueNotes(in: staging.notes)
    for (number, path) in ["gone", "kept", "kept-too/f"].enumerated() {
      let note = RescueNotes.Note(
        path: name(path.split(separator: "/").first.map { String($0) } ?? path), of: name(path),
        reason: "why", time: 1)
      try notes.add(note, as: name("note\(number)"))
    }
    try place.write("", ".cairn/notes/empty")
    try place.write("kept\0kept", ".cairn/notes/half")
    try notes.sweep(keeping: [name("kept"), name("kept-too/f")])
    #expect(
      try DirectoryListing.names(of: staging.notes).map { String(decoding: $0, as: UTF8.self) }
        .sorted() == ["note1", "note2"])
  }
}
