import CairnControl
import Foundation
import Testing

extension EndToEnd {
  /// The unused objects in the container.
  @Suite struct GarbageTests {
    @Test func `an orphan is found, and closing it disturbs nobody`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let large = [UInt8]((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
        try bob.folder.write(large, to: "large")
        try people.settle()
        let share = try ana.answer(Control.ShareReply.self, "share", "show", ana.folder.path).share
        let folder = URL(filePath: people.container.path)
          .appending(path: "users/\(share.owner.user)/packs/00000000/ab")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let orphan = folder.appending(path: "ab" + String(repeating: "0", count: 30))
        try Data(count: 5_000).write(to: orphan)

        let quota = try ana.answer(Control.QuotaReply.self, "quota", ana.folder.path)
        #expect(quota.zones.first?.history == 0)
        let dry = try ana.answer(Control.GarbageReply.self, "gc", "--dry-run")
        #expect(dry.unnamed == Control.PackCount(packs: 1, bytes: 5_000))
        #expect(dry.closed == 0 && dry.deleted.packs == 0)
        let said = try ana.cairn("gc")
        #expect(said.text.contains("Unused: 1 pack with 5.0 kB"))
        #expect(said.lastLine.contains("run `cairn gc` then"))
        #expect(FileManager.default.fileExists(atPath: orphan.path), "not before seven days")
        #expect(try bob.answer(Control.GarbageReply.self, "gc").unnamed.packs == 0)

        try bob.folder.write(large.reversed(), to: "larger")
        try ana.folder.remove("large")
        try people.settle()
        try people.expectSame(count: 1)
        let past = try ana.answer(Control.QuotaReply.self, "quota", ana.folder.path)
        #expect(past.zones.first?.history == UInt64(large.count))
        #expect(past.zones.first?.deleted == UInt64(large.count))
        #expect(past.zones.first?.keepsAll == true && past.zones.first?.expired == 0)
        let told = try ana.cairn("quota").text
        #expect(told.contains("deleted files use 300.0 kB, and are kept forever"), "\(told)")
        #expect(told.contains("cairn history policy \(ana.folder.path) --all 30d"), "\(told)")
        let trial = try ana.cairn("gc", "--dry-run").text
        #expect(trial.contains("versions and deleted files use 300.0 kB"), "\(trial)")
        try ana.folder.write(large, to: "large again")
        try people.settle()
        try people.expectSame(count: 2)
        try ana.cairn("verify", ana.folder.path)
      }
    }
  }
}
