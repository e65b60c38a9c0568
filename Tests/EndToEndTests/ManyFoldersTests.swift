import CairnControl
import Glibc
import Testing

extension EndToEnd {
  /// The needs of a daemon with many folders.
  @Suite struct ManyFoldersTests {
    @Test func `a folder at rest needs one descriptor, and no thread of its own`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        func add(_ numbers: ClosedRange<Int>) throws {
          for number in numbers {
            try people.root.make("\(number)")
            let folder = Folder(people.root.path + "/\(number)")
            try folder.write("\(number)", to: "file")
            try ana.cairn("add", folder.path)
          }
          try ana.wait()
        }
        try add(1...2)
        let few = try Needs(people)
        #expect(few.instances == 2)
        try add(3...12)
        // Each of them has worked, and each hears of a change.
        for number in 1...12 {
          try Folder(people.root.path + "/\(number)").write("\(number)", to: "again")
        }
        try ana.wait()
        var many = try Needs(people)
        // A step that takes long has one more thread, until it is done.
        while many.mountThreads > 5 { many = try Needs(people) }
        #expect(many.mountThreads >= 1)
        #expect(many.instances == 2)
        // What has just come from the container is applied, and then its folder rests.
        while many.stagingFolders > 0 { many = try Needs(people) }
        #expect(many.roots == 12)
      }
    }
  }
}

/// The threads and inotify instances of a person's daemon and its cairn-watch.
private struct Needs {
  /// The threads of mounts.
  let mountThreads: Int
  /// The inotify instances.
  let instances: Int
  /// The open roots of folders, and the open folders below their `.cairn`.
  let (roots, stagingFolders): (Int, Int)

  /// The needs of Ana's daemon, whose folders are in the root.
  init(_ people: TwoPeople) throws {
    let person = people.ana
    let home = try Home(environment: ["CAIRN_HOME": person.home.path])
    let daemon = try #require(HomeLock.holder(of: home))
    let tasks = Folder("/proc/\(daemon)/task")
    // A thread may end meanwhile.
    let names = try tasks.names("").compactMap { try? tasks.text($0 / "comm") }
    mountThreads = names.count { $0 == "cairn-mount\n" }
    var instances = 0
    for process in try [Int(daemon)] + Self.children(of: daemon) {
      let open = Folder("/proc/\(process)/fd")
      for name in try open.names("") where open.target(name) == "anon_inode:inotify" {
        instances += 1
      }
    }
    self.instances = instances
    let open = Folder("/proc/\(daemon)/fd")
    let targets = try open.names("").compactMap { open.target($0) }
    let root = people.root.path + "/"
    roots = targets.count { $0.hasPrefix(root) && Int($0.dropFirst(root.count)) != nil }
    stagingFolders = targets.count { $0.contains("/.cairn/") }
  }

  private static func children(of process: Int32) throws -> [Int] {
    let all = Folder("/proc")
    return try all.names("").compactMap { name -> Int? in
      // Other processes end meanwhile.
      guard let number = Int(String(decoding: name.bytes, as: UTF8.self)),
        let text = try? all.text(name / "stat"), let end = text.lastIndex(of: ")")
      else { return nil }
      let fields = text[end...].split(separator: " ")
      return fields.count > 2 && fields[2] == "\(process)" ? number : nil
    }
  }
}

extension Folder {
  /// Returns the target of a symbolic link; nil if it has none, or is gone.
  fileprivate func target(_ name: Name) -> String? {
    var buffer = [CChar](repeating: 0, count: 256)
    let count = at(name) { readlink($0, &buffer, buffer.count) }
    guard count > 0 else { return nil }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
