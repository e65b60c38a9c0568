import CairnControl
import Testing

extension EndToEnd {
  /// Problems of disks and containers are reported as long as they last, with the place, the reason
  /// and the advice.
  @Suite struct FaultTests {
    enum Fault: String, CaseIterable {
      case containerAway = "a container that is away"
      case containerEmpty = "a folder without a container in its place"
      case containerReadOnly = "a container that can only be read"
      case folderAway = "a folder that is away"
      case folderCovered = "a folder below another mount"
      case folderReadOnly = "a folder that can only be read"
      case fileImmutable = "a file that can't be replaced"
      case fifo = "a FIFO in the way"
      case indexFull = "an index without room"
      case packMissing = "content that is gone"

      /// Words of the problem's path or name, and of its cause.
      var told: (place: String, cause: String) {
        switch self {
        case .containerAway: ("/c", "isn't there")
        case .containerEmpty: ("/c", "no container is in it")
        case .containerReadOnly: ("container", "Read-only file system")
        case .folderAway: ("/B", "isn't there")
        case .folderCovered: ("/B", "file system is mounted at this path")
        case .folderReadOnly: ("/B/file", "Read-only file system")
        case .fileImmutable: ("/B/file", "not permitted")
        case .fifo: ("/B/new", "FIFO")
        case .indexFull: ("/index", "full")
        case .packMissing: ("/B/large", "missing")
        }
      }

      /// The advice that a person needs and the system's own message lacks.
      var remedy: String { self == .fileImmutable ? "`chattr -i`" : " " }
    }

    @Test(.enabled(if: Mounts.arePossible, Mounts.comment), arguments: Fault.allCases)
    func `a fault is reported with place, cause and remedy while it lasts`(
      _ fault: Fault
    ) throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("one", to: "file")
        try people.settle()
        let mend = try make(fault, people)
        try isTold(fault, by: bob)
        try mend()
        try ana.folder.write("after", to: "after")
        try people.settle()
        // The entry at the path for Bob's daemon, which may have mounts of its own.
        try bob.inDaemonsMounts("grep -q after '\(bob.folder.path)/after'")
        let status = try bob.answer(Control.StatusReply.self, "status")
        #expect(status.problems.isEmpty && status.mounts.flatMap(\.problems).isEmpty, "\(status)")
        #expect(status.container.reachable && status.mounts.allSatisfy { $0.phase == .idle })
        #expect(try !bob.cairn("status").text.contains("problem"))
        try bob.cairn("doctor")
      }
    }

    @Test func `an invalid index is named, with the remedy`() throws {
      try TwoPeople.playSharing { people in
        let bob = people.bob
        try people.ana.folder.write("text", to: "file")
        try people.settle()
        try bob.stopDaemon()
        for name: Name in ["shared.sqlite-wal", "shared.sqlite-shm"]
        where bob.home.exists("index" / name) { try bob.home.remove("index" / name) }
        try bob.home.write("no database, and longer than nothing", to: "index/shared.sqlite")
        let outcome = try bob.run("status")
        #expect(outcome.status != 0 && !outcome.errors.contains("should not"))
        #expect(outcome.errors.contains("/index/shared.sqlite is damaged"), "\(outcome.errors)")
        #expect(outcome.errors.contains("delete that file"))
        try bob.home.remove("index/shared.sqlite")
        try people.settle()
        try people.expectSame()
      }
    }

    /// Returns when status reports the fault correctly.
    private func isTold(_ fault: Fault, by person: Person) throws {
      var last = ""
      for _ in 0..<30 {
        // The wait makes the daemon check, so that nothing here sleeps.
        _ = try person.run("wait", "--timeout", "1")
        let status = try person.answer(Control.StatusReply.self, "status")
        let problems = status.problems + status.mounts.flatMap(\.problems)
        last = problems.map { "\($0.path?.printable ?? ""): \($0.message) \($0.remedy)" }
          .joined(separator: "; ")
        let isRight = problems.contains { problem in
          let place = (problem.path?.printable ?? "") + " " + problem.message
          return place.contains(fault.told.place) && problem.message.contains(fault.told.cause)
            && !problem.remedy.isEmpty && problem.remedy.contains(fault.remedy)
        }
        guard isRight else { continue }
        #expect(status.mounts.allSatisfy { $0.phase != .idle }, "\(fault) isn't idle")
        let text = try person.cairn("status").text
        let isShown = text.contains("problem  ") || text.contains("offline  ")
        #expect(isShown && !text.contains("should not"), "\(text)")
        return
      }
      Issue.record("\(fault.rawValue) isn't told: \(last)")
    }

    private func packs(of people: TwoPeople) throws -> [Name] {
      try people.container.files(below: "users").filter {
        String(decoding: $0.bytes, as: UTF8.self).contains("/packs/")
      }
    }

    /// Makes the fault. Returns a function that ends it.
    private func make(_ fault: Fault, _ people: TwoPeople) throws -> () throws -> Void {
      let (bob, root) = (people.bob, people.root)
      let place = bob.folder.path
      switch fault {
      case .containerAway, .containerEmpty:
        try root.move("c", to: "away")
        if fault == .containerEmpty { try root.make("c") }
        try bob.folder.write("of bob", to: "bobs")
        return {
          if fault == .containerEmpty { try root.remove("c") }
          try root.move("away", to: "c")
        }
      case .containerReadOnly:
        let path = people.container.path
        try bob.stopDaemon()
        try bob.startDaemon(after: "mount --bind '\(path)' '\(path)'")
        try bob.wait()
        try bob.inDaemonsMounts("mount -o remount,bind,ro '\(path)'")
        try bob.folder.write("of bob", to: "bobs")
        return { try bob.inDaemonsMounts("mount -o remount,bind,rw '\(path)'") }
      case .folderAway:
        try root.move("B", to: "away")
        return { try root.move("away", to: "B") }
      case .folderCovered:
        try bob.stopDaemon()
        try bob.startDaemon(after: "true")
        try bob.wait()
        try bob.inDaemonsMounts("mount -t tmpfs none '\(place)'")
        return { try bob.inDaemonsMounts("umount '\(place)'") }
      default: return try makeByBoth(fault, people)
      }
    }

    /// Returns the visible effect of Ana's writes.
    private func makeByBoth(_ fault: Fault, _ people: TwoPeople) throws -> () throws -> Void {
      let (ana, bob) = (people.ana, people.bob)
      let place = bob.folder.path
      switch fault {
      case .folderReadOnly:
        try bob.stopDaemon()
        try bob.startDaemon(after: "mount --bind '\(place)' '\(place)'")
        try bob.wait()
        try bob.inDaemonsMounts("mount -o remount,bind,ro '\(place)'")
        try ana.folder.write("two", to: "file")
        try ana.wait()
        return { try bob.inDaemonsMounts("mount -o remount,bind,rw '\(place)'") }
      case .fileImmutable:
        try bob.inDaemonsMounts("chattr +i '\(place)/file'")
        try ana.folder.write("two", to: "file")
        try ana.wait()
        return { try bob.inDaemonsMounts("chattr -i '\(place)/file'") }
      case .fifo:
        try bob.inDaemonsMounts("mkfifo '\(place)/new'")
        try ana.folder.write("two", to: "new")
        try ana.wait()
        return { try bob.inDaemonsMounts("rm '\(place)/new'") }
      case .indexFull:
        let index = bob.home.path + "/index"
        try bob.stopDaemon()
        try bob.startDaemon(
          after: """
            mv '\(index)' '\(index)-before' && mkdir -m 700 '\(index)' \
            && mount -t tmpfs -o size=256m,mode=700 none '\(index)' \
            && cp -a '\(index)-before/.' '\(index)'
            """)
        try bob.wait()
        try bob.inDaemonsMounts("head -c 300000000 /dev/zero > '\(index)/ballast' || true")
        for number in 0..<300 { try ana.folder.write("\(number)", to: "\(number)") }
        try ana.wait()
        return { try bob.inDaemonsMounts("rm '\(index)/ballast'") }
      default:
        try bob.stopDaemon()
        let before = Set(try packs(of: people))
        try ana.folder.write(Samples.noise(300_000), to: "large")
        try ana.wait()
        let packs = try packs(of: people).filter { !before.contains($0) }
        for (number, pack) in packs.enumerated() {
          try people.container.move(pack, to: "hidden-\(number)")
        }
        try bob.startDaemon()
        return {
          for (number, pack) in packs.enumerated() {
            try people.container.move("hidden-\(number)", to: pack)
          }
        }
      }
    }
  }
}
