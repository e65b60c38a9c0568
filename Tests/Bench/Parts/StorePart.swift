import BenchFigures
import CairnStore
import Glibc

/// The objects of a directory container. Each object is durable before the answer.
enum StorePart {
  private static let count = 200
  private static let size = 4_096

  static func play(_ bench: Bench) throws {
    var noise = Noise(13)
    let bytes = noise.bytes(size)
    try bench.place { place in
      let folders = ["\(place)/store", "\(place)/bare", "\(place)/bare/tmp"]
      for folder in folders { mkdir(folder, 0o700) }
      let store = DirectoryStore(root: folders[0])
      var number = 0
      let puts = try PartCases.rates(of: Double(count)) {
        for _ in 0..<count {
          number += 1
          guard try store.put(key(number), bytes) == .stored else {
            throw Child.Trouble(description: "\(try key(number)) stood there already")
          }
        }
      }
      var bareNumber = 0
      let barePuts = try PartCases.rates(of: Double(count)) {
        for _ in 0..<count {
          bareNumber += 1
          try put(bytes, "\(bareNumber)", in: folders[1], by: folders[2])
        }
      }
      bench.add(
        Figure(
          rate: "put if absent, 4 KiB (bare: fsync and link)", "/s", puts, bare: barePuts))

      let reads = 20_000
      let gets = try PartCases.rates(of: Double(reads)) {
        for read in 0..<reads { _ = try store.get(key(read % number + 1)) }
      }
      let bareGets = try PartCases.rates(of: Double(reads)) {
        for read in 0..<reads { try check("\(folders[1])/\(read % bareNumber + 1)") }
      }
      bench.add(
        Figure(rate: "get, 4 KiB (bare: open, fstat, read)", "/s", gets, bare: bareGets))
      let lists = try PartCases.rates(of: Double(number)) {
        _ = try store.list("zones/", after: nil, limit: number)
      }
      let bareLists = try PartCases.rates(of: Double(number)) { _ = names(in: folders[1]).sorted() }
      bench.add(Figure(rate: "keys listed (bare: readdir)", "/s", lists, bare: bareLists))
    }
  }

  private static func key(_ number: Int) throws -> ObjectKey {
    guard let key = ObjectKey("zones/z/log/\(number)") else {
      throw Child.Trouble(description: "no key for \(number)")
    }
    return key
  }

  // MARK: Bare

  /// Writes a file, makes it durable, and renames it to its final name, durably too.
  private static func put(
    _ bytes: [UInt8], _ name: String, in folder: String, by staging: String
  ) throws {
    let unfinished = "\(staging)/\(name)"
    let file = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0, write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0,
      close(file) == 0, link(unfinished, "\(folder)/\(name)") == 0, unlink(unfinished) == 0
    else { throw Child.Trouble(description: "can't put \(name)") }
    let parent = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard parent >= 0, fsync(parent) == 0, close(parent) == 0 else {
      throw Child.Trouble(description: "can't make \(name) durable")
    }
  }

  private static func check(_ path: String) throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    var status = stat()
    guard file >= 0, fstat(file, &status) == 0 else {
      throw Child.Trouble(description: "can't open \(path)")
    }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: status.st_size)
    guard read(file, &bytes, bytes.count) == bytes.count else {
      throw Child.Trouble(description: "can't read \(path)")
    }
  }
}
