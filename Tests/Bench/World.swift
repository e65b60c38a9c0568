import Glibc

/// Two people with a container and a folder each, in a fresh place. Their daemons are processes.
final class World {
  /// A person's home, daemon and folder.
  struct Person {
    var handle: String
    var home: String
    var folder: String
    var binaries: String

    var environment: [String] {
      ["CAIRN_HOME=\(home)", "HOME=\(home)", "PATH=\(binaries):/usr/bin:/bin", "LC_ALL=C"]
    }

    /// Runs `cairn`, which must succeed. Returns its last line of output.
    @discardableResult
    func cairn(_ words: String...) throws -> String {
      let output = home + "-output"
      try Child(["\(binaries)/cairn"] + words, environment: environment, output: output)
        .end("cairn \(words.joined(separator: " "))")
      return text(of: output).split(separator: "\n").last.map(String.init) ?? ""
    }

    /// The figures of the daemon.
    func daemon() throws -> ProcessFigures { ProcessFigures(of: try process()) }

    /// The daemon's process.
    func process() throws -> pid_t {
      let answer = try cairn("status", "--json")
      guard let part = answer.firstMatch(of: /"pid":([0-9]+)/), let process = pid_t(part.output.1)
      else { throw Child.Trouble(description: "\(handle)'s daemon doesn't say who it is") }
      return process
    }
  }

  let path: String
  let binaries: String
  let ana: Person
  let bob: Person
  var container: String { path + "/container" }

  init(binaries: String, below parent: String) throws {
    path = try freshFolder(below: parent)
    self.binaries = binaries
    ana = Person(handle: "ana", home: path + "/a", folder: path + "/A", binaries: binaries)
    bob = Person(handle: "bob", home: path + "/b", folder: path + "/B", binaries: binaries)
    for person in [ana, bob] { try join(person) }
  }

  /// Adds another person to the same container.
  func another(_ handle: String) throws -> Person {
    let person = Person(
      handle: handle, home: "\(path)/\(handle)", folder: "\(path)/of-\(handle)",
      binaries: binaries)
    try join(person)
    return person
  }

  private func join(_ person: Person) throws {
    try person.cairn(
      "init", "--container", container, "--name", person.handle, "--handle", person.handle)
  }

  /// Lets Ana share her folder, and the others accept it. Returns when they have all of it.
  func share(with others: [Person]) throws {
    try ana.cairn("share", "create", ana.folder)
    for person in others {
      let link = try ana.cairn("share", "invite", ana.folder, person.handle)
      try person.cairn("share", "accept", link, "--at", person.folder, "--wait")
    }
  }

  /// Returns when everybody has everybody's changes.
  func settle(_ people: [Person]? = nil) throws {
    let people = people ?? [ana, bob]
    for person in people + people { try person.cairn("wait", "--timeout", "1200") }
  }

  /// Returns the bytes of all objects in the container.
  func stored() -> Double { Self.size(of: container) }

  /// Returns the bytes of all files below a folder.
  static func size(of folder: String) -> Double {
    var sum = 0.0
    for name in names(in: folder) {
      var status = stat()
      let path = "\(folder)/\(name)"
      guard lstat(path, &status) == 0 else { continue }
      sum += status.st_mode & S_IFMT == S_IFDIR ? size(of: path) : Double(status.st_size)
    }
    return sum
  }

  /// Fails unless both folders have the same names, bytes and times.
  func checkSame(_ one: String, _ other: String) throws {
    let differences = path + "/differences"
    do {
      try Child.run(
        "diff", "-r", "--no-dereference", "--exclude=.cairn", one, other, output: differences)
    } catch let error as Child.Trouble {
      let lines = text(of: differences).split(separator: "\n")
      throw Child.Trouble(
        description: "\(error.description), \(lines.count) lines:\n"
          + lines.prefix(10).joined(separator: "\n"))
    }
  }

  /// Ends the daemons and removes all files.
  func end(_ more: [Person] = []) {
    for person in [ana, bob] + more { _ = try? person.cairn("stop") }
    removeFolder(path)
  }
}

/// Random bytes from a seed, the same each time.
struct Noise {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 2 &+ 1 }

  /// Returns the next bytes.
  mutating func bytes(_ count: Int) -> [UInt8] {
    var all = [UInt8](repeating: 0, count: (count + 7) / 8 * 8)
    all.withUnsafeMutableBytes { raw in
      for offset in stride(from: 0, to: raw.count, by: 8) {
        // xorshift64* is good enough that nothing compresses.
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        raw.storeBytes(
          of: state &* 2_685_821_657_736_338_717, toByteOffset: offset, as: UInt64.self)
      }
    }
    return Array(all[..<count])
  }
}

/// Makes a new folder for a measurement.
func freshFolder(below parent: String) throws -> String {
  var template = Array("\(parent)/cairn-bench-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else {
    throw Child.Trouble(description: "can't make a folder in \(parent)")
  }
  let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  Processes.shared.keep(folder)
  return folder
}

/// Removes a folder that `freshFolder` made, with everything in it.
func removeFolder(_ folder: String) {
  _ = try? Child.run("rm", "-rf", folder)
  Processes.shared.forget(folder)
}

/// Writes a whole file, or fails.
func write(_ content: [UInt8], to path: String, flags: Int32 = O_CREAT | O_TRUNC) throws {
  let file = open(path, O_WRONLY | O_CLOEXEC | flags, 0o644)
  guard file >= 0 else { throw Child.Trouble(description: "can't write \(path)") }
  defer { close(file) }
  var sent = 0
  while sent < content.count {
    let count = content[sent...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
    guard count > 0 else { throw Child.Trouble(description: "can't write \(path)") }
    sent += count
  }
}
