import BuiltPrograms
import CairnFolders
import Foundation
import Testing

@Suite(.serialized) struct WatchProcessTests {
  /// Returns the process that runs the program of this folder.
  private func child(of folder: WatchedFolder) throws -> pid_t {
    let found = try FileManager.default.contentsOfDirectory(atPath: "/proc").first { process in
      // A process may have ended since it was listed.
      let line = pid_t(process).flatMap {
        FileManager.default.contents(atPath: "/proc/\($0)/cmdline")
      }
      return line == Data("\(folder.path)/program\0".utf8)
    }
    return try #require(found.flatMap { pid_t($0) })
  }

  @Test func `a program that is killed is started again and watches everything again`() throws {
    let folder = try WatchedFolder()
    try folder.watch(2, "out")
    for _ in 0..<3 {
      #expect(kill(try child(of: folder), SIGKILL) == 0)
      let events = try folder.recorder.take { $0 == .ready(root: 2, directories: 1) }
      #expect(
        events == [
          .stopped(message: nil), .restarted, .ready(root: 1, directories: 1),
          .ready(root: 2, directories: 1),
        ])
      folder.write("in/a")
      folder.write("out/b")
      let later = try folder.sync()
      #expect(later.contains(.written("a")))
      #expect(later.contains(.written(root: 2, path: Array("b".utf8))))
    }
  }

  @Test func `a sync that a dead program did not answer is answered by the next`() throws {
    let folder = try WatchedFolder()
    let process = try child(of: folder)
    #expect(kill(process, SIGSTOP) == 0)
    folder.process.sync(token: 1000)
    #expect(kill(process, SIGKILL) == 0)
    let events = try folder.recorder.take { $0 == .synced(token: 1000) }
    #expect(
      events == [
        .stopped(message: nil), .restarted, .ready(root: 1, directories: 1),
        .synced(token: 1000),
      ])
  }

  @Test func `the program has none of this process's descriptors, whoever opened them`() throws {
    // Libraries open sockets like this, with inheritance to every program that is started.
    let pipe = Pipe()
    let ends = [pipe.fileHandleForReading, pipe.fileHandleForWriting].map(\.fileDescriptor)
    for end in ends { try #require(fcntl(end, F_SETFD, 0) == 0) }
    let files = FileManager.default
    let name = try files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(ends[0])")
    let folder = try WatchedFolder()
    let process = try child(of: folder)
    let open = try files.contentsOfDirectory(atPath: "/proc/\(process)/fd").map {
      try files.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\($0)")
    }
    #expect(open.contains { $0.hasPrefix("socket:") } && !open.contains(name))
    withExtendedLifetime(pipe) {}
  }

  @Test func `a program that can't be started is an error with a sentence`() {
    #expect(throws: WatchError.self) {
      _ = try WatchProcess(executable: "/nonexistent/cairn-watch") { _ in }
    }
  }

  @Test func `a program that dies at once does not keep stop from returning`() throws {
    let recorder = WatchRecorder()
    let process = try WatchProcess(executable: "/bin/false") { recorder.record($0) }
    process.watch(root: 1, path: Array("/tmp".utf8))
    let reason = "cairn-watch ended with status 1, as cairn-watch(8) explains"
    _ = try recorder.take { $0 == .stopped(message: reason) }
    process.sync(token: 7)
    _ = try recorder.take { $0 == .synced(token: 7) }
    process.stop()
    process.stop()
  }

  @Test func `the callback may ask and stop`() throws {
    let folder = try WatchedFolder()
    let recorder = WatchRecorder()
    let holder = Holder()
    let process = try WatchProcess(executable: try #require(builtProgram("cairn-watch"))) {
      for case .ready(let root, _) in $0 { holder.process?.sync(token: root) }
      if $0.contains(.synced(token: 9)) { holder.process?.stop() }
      recorder.record($0)
    }
    holder.process = process
    process.watch(root: 9, path: folder.absolute(Array("in".utf8)))
    _ = try recorder.take { $0 == .synced(token: 9) }
    process.stop()
    holder.process = nil
  }

  @Test func `an overflow is reported, or nothing is lost, and a sync is answered`() throws {
    let folder = try WatchedFolder()
    folder.makeDirectory("in/d")
    for index in 0..<20_000 {
      let file = open("\(folder.path)/in/f\(index)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
      try #require(file >= 0)
      close(file)
    }
    let events = try folder.sync()
    if !events.contains(.overflow) {
      let seen = Set(events.compactMap(\.path))
      for index in 0..<20_000 { try #require(seen.contains("f\(index)")) }
    }
    folder.write("in/d/after")
    #expect(try folder.sync().contains(.written("d/after")))
  }

  @Test func `a standard input that is closed ends the program with status 0`() throws {
    let folder = try WatchedFolder()
    let program = Process()
    program.executableURL = URL(fileURLWithPath: try #require(builtProgram("cairn-watch")))
    let (input, output) = (Pipe(), Pipe())
    program.standardInput = input
    program.standardOutput = output
    try program.run()
    let commands = "watch 3 \(folder.path)/out\0sync 4\0"
    input.fileHandleForWriting.write(Data(commands.utf8))
    try input.fileHandleForWriting.close()
    let answer = output.fileHandleForReading.readDataToEndOfFile()
    program.waitUntilExit()
    #expect(program.terminationStatus == 0)
    #expect(String(decoding: answer, as: UTF8.self) == "ready 3 1\0synced 4\0")
  }

  @Test(arguments: [("--help", 0, "cairnd runs it"), ("--version", 0, "."), ("--nonsense", 64, "")])
  func `a person who starts the program by hand gets an answer`(
    argument: String, status: Int32, text: String
  ) throws {
    let program = Process()
    program.executableURL = URL(fileURLWithPath: try #require(builtProgram("cairn-watch")))
    program.arguments = [argument]
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    (program.standardInput, program.standardOutput) = (input, output)
    program.standardError = errors
    try program.run()
    program.waitUntilExit()
    #expect(program.terminationStatus == status)
    let told = output.fileHandleForReading.availableData
    let complaint = errors.fileHandleForReading.availableData
    #expect(String(decoding: told, as: UTF8.self).contains(text) || status != 0)
    #expect(told.isEmpty == (status != 0) && complaint.isEmpty == (status == 0))
  }

  @Test(arguments: [
    "watch", "watch x /tmp", "directory 1 /tmp", "directory 1 x /tmp", "sync", "sync -1",
    "unwatch 1 2", "dance 1",
  ])
  func `a command that the manual does not describe ends it with status 64`(line: String) throws {
    let program = Process()
    program.executableURL = URL(fileURLWithPath: try #require(builtProgram("cairn-watch")))
    let input = Pipe()
    program.standardInput = input
    program.standardOutput = Pipe()
    program.standardError = Pipe()
    try program.run()
    input.fileHandleForWriting.write(Data((line + "\0").utf8))
    program.waitUntilExit()
    #expect(program.terminationStatus == 64)
  }
}

/// Gives a callback the object that calls it. Unchecked: every access holds the lock.
private final class Holder: @unchecked Sendable {
  private let lock = NSLock()
  private var held: WatchProcess?

  var process: WatchProcess? {
    get { lock.withLock { held } }
    set { lock.withLock { held = newValue } }
  }
}
