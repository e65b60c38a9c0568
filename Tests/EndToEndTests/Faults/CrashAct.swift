import CairnControl
import Glibc
import Testing

/// An act of people while system calls of one of their daemons fail. It is repeated, with the
/// failure one call later each time. Whatever happens, both folders must show the acting person's
/// result, and nothing else.
struct CrashAct {
  let name: String
  /// The preparation before the first time.
  var begin: (TwoPeople) throws -> Void = { _ in }
  /// The preparation before each time, with all daemons running; the number counts the times.
  var prepare: (TwoPeople, Int) throws -> Void = { _, _ in }
  /// The act itself.
  let play: (TwoPeople, Int) throws -> Void
  /// Completes a command that was interrupted, or failed, as people would by repeating it.
  var insist: (TwoPeople, Int) throws -> Void = { _, _ in }
  /// A Boolean value that indicates whether Bob acts, and not Ana.
  var isBobActing = false
  /// A Boolean value that indicates whether Bob is a participant afterwards.
  var isBobIn = true
  /// Returns whether Bob may write afterwards.
  var isWritable: (Int) -> Bool = { _ in true }

  static var all: [CrashAct] { contents + names + commands + garbage + nesting + joining }

  // MARK: Acts in folders

  static var contents: [CrashAct] {
    [
      CrashAct(name: "create") { people, number in
        let folder = people.ana.folder
        try folder.make("c\(number)")
        try folder.write("small \(number)", to: "c\(number)/small")
        try folder.write(bytes(number, 300_000), to: "c\(number)/large")
        try folder.link("c\(number)/link", to: "small")
      },
      CrashAct(name: "create-tree") { people, number in
        let folder = people.ana.folder
        try folder.make("t\(number)")
        try folder.make("t\(number)/inner")
        for name: Name in ["t\(number)/one", "t\(number)/two", "t\(number)/inner/three"] {
          try folder.write("\(name) \(number)", to: name)
        }
      },
      CrashAct(
        name: "edit",
        begin: { try $0.ana.folder.write("first", to: "edited") },
        play: { people, number in
          try people.ana.folder.write("edit \(number)", to: "edited")
        }),
      CrashAct(
        name: "edit-again",
        begin: { try $0.ana.folder.write("first", to: "edited again") },
        play: { people, number in
          try people.ana.folder.write("edit \(number)", to: "edited again")
        },
        insist: { people, number in
          // If the daemon ends meanwhile, there is none yet at the next edit.
          _ = try? people.ana.ask(Control.Wait(timeoutSeconds: 60))
          try people.ana.folder.write("edit again \(number)", to: "edited again")
        }),
      CrashAct(
        name: "replace",
        begin: { try $0.ana.folder.write("first", to: "replaced") },
        play: { people, number in
          try people.ana.folder.write("replacement \(number)", to: "replaced.new")
          try people.ana.folder.move("replaced.new", to: "replaced")
        }),
    ]
  }

  static var names: [CrashAct] {
    [
      CrashAct(
        name: "rename",
        begin: { try $0.ana.folder.write("renamed", to: "name 0") },
        play: { people, number in
          let names = try people.ana.folder.names("").filter { $0.starts(with: "name ") }
          for name in names { try people.ana.folder.move(name, to: "name \(number)") }
        }),
      CrashAct(
        name: "move",
        begin: { people in
          for name: Name in ["from", "to", "from/d", "from/d/e"] {
            try people.ana.folder.make(name)
          }
          for number in 0..<5 { try people.ana.folder.write("\(number)", to: "from/d/e/\(number)") }
        },
        play: { people, _ in
          let isThere = people.ana.folder.exists("from/d")
          try people.ana.folder.move(isThere ? "from/d" : "to/d", to: isThere ? "to/d" : "from/d")
        }),
      CrashAct(
        name: "delete",
        prepare: { people, number in
          for name: Name in ["d\(number)", "d\(number)/e"] { try people.ana.folder.make(name) }
          try people.ana.folder.write("one \(number)", to: "d\(number)/e/one")
          try people.ana.folder.write("two \(number)", to: "d\(number)/two")
        },
        play: { people, number in try people.ana.folder.remove("d\(number)") }),
      CrashAct(
        name: "chmod",
        begin: { try $0.ana.folder.write("#!/bin/sh", to: "program") },
        play: { people, _ in
          let isRunnable = try people.ana.folder.node("program").mode & 0o100 != 0
          let path = people.ana.folder.path + "/program"
          guard chmod(path, isRunnable ? 0o644 : 0o755) == 0 else {
            throw Folder.Trouble(description: "chmod: \(String(cString: strerror(errno)))")
          }
        }),
    ]
  }

  // MARK: Commands

  static var commands: [CrashAct] {
    [
      CrashAct(
        name: "accept",
        prepare: { people, _ in
          _ = try people.bob.run("share", "leave", people.bob.folder.path)
          try people.ana.cairn("share", "invite", people.ana.folder.path, "bob")
        },
        play: { people, _ in try people.accept() },
        insist: { people, _ in try people.insist { try people.accept() } }, isBobActing: true),
      CrashAct(
        name: "revoke",
        prepare: { people, _ in
          guard !people.bob.folder.exists("") else { return }
          try people.ana.cairn("share", "invite", people.ana.folder.path, "bob")
          try people.accept()
        },
        play: { people, _ in try people.revoke() },
        insist: { people, _ in
          try people.insist { try people.revoke() }
          try people.insist {
            _ = try people.bob.ask(Control.Wait(timeoutSeconds: 60))
            guard !people.bob.folder.exists("") else { throw NotYet() }
          }
        }, isBobIn: false),
      CrashAct(
        name: "permission",
        play: { people, number in try people.give(isWritable: number.isMultiple(of: 2)) },
        insist: { people, number in
          try people.insist { try people.give(isWritable: number.isMultiple(of: 2)) }
        }, isWritable: { $0.isMultiple(of: 2) }),
    ]
  }

  struct NotYet: Error {}

  /// Returns incompressible bytes that no other number gives.
  static func bytes(_ number: Int, _ count: Int) -> [UInt8] {
    var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 | 1
    return (0..<count).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return UInt8(truncatingIfNeeded: state)
    }
  }
}
