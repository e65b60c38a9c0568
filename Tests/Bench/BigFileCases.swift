import Glibc

/// One large file: its first mirror, and small changes in it.
enum BigFileCases {
  private static let mebibyte = 1_048_576
  /// The number of times that each change is made.
  private static let rounds = 3

  /// A random file of 2 GiB.
  static func first(_ bench: Bench) throws {
    try bench.place { place in
      let source = "\(place)/big"
      try make(source, mebibytes: 2_048)
      let into = try Child.run("cp", "-a", source, "\(place)/in")
      let out = try Child.run("cp", "-a", "\(place)/in", "\(place)/out")
      for name in ["in", "out"] { unlink("\(place)/\(name)") }
      try bench.world { world in
        mkdir(world.ana.folder, 0o755)
        try world.share(with: [world.bob])
        rename(source, "\(world.ana.folder)/big")
        let began = now()
        try world.settle()
        let seconds = now() - began
        try Child.run("cmp", "\(world.ana.folder)/big", "\(world.bob.folder)/big")
        bench.add(
          Figure(
            "random file of 2 GiB", "s", seconds, bare: into.seconds + out.seconds, bar: 1.5))
      }
    }
  }

  /// A random file of 1 GiB, changed in the middle, at the front and at the end.
  static func changes(_ bench: Bench) throws {
    try bench.world { world in
      mkdir(world.ana.folder, 0o755)
      try world.share(with: [world.bob])
      let (path, other) = ("\(world.ana.folder)/big", "\(world.bob.folder)/big")
      try make(path, mebibytes: 1_024)
      try world.settle()
      var noise = Noise(9)
      let changes: [(String, () throws -> Void)] = [
        (
          "1 MiB changed in the middle",
          {
            let file = open(path, O_WRONLY | O_CLOEXEC)
            defer { close(file) }
            let bytes = noise.bytes(mebibyte)
            _ = pwrite(file, bytes, bytes.count, 512 * mebibyte)
          }
        ),
        (
          "a byte inserted at the front",
          {
            let next = path + ".part"
            try Child.run("sh", "-c", "{ printf x; cat \"$1\"; } > \"$2\"", "sh", path, next)
            rename(next, path)
          }
        ),
        ("1 MiB appended", { try write(noise.bytes(mebibyte), to: path, flags: O_APPEND) }),
      ]
      for (what, change) in changes {
        var (seconds, bare, stored, read) = ([Double](), [Double](), [Double](), [Double]())
        for _ in 0..<rounds {
          bare.append(try readAndWrite(path, "\(world.path)/bare"))
          try change()
          let (held, looked) = (world.stored(), try world.ana.daemon().bytesRead)
          let began = now()
          try world.settle()
          seconds.append(now() - began)
          try Child.run("cmp", path, other)
          stored.append((world.stored() - held) / Double(mebibyte))
          read.append((try world.ana.daemon().bytesRead - looked) / Double(mebibyte))
        }
        bench.add(Figure("1 GiB, \(what)", "s", seconds, bare: bare, bar: 1.5))
        bench.add(Figure("  stored by it", "MiB", stored, bare: nil, bar: 1.5))
        bench.add(Figure("  read by the daemon", "MiB", read, bare: nil))
      }
    }
  }

  /// Returns the seconds to read a file once, and to write it once, durably.
  private static func readAndWrite(_ path: String, _ target: String) throws -> Double {
    let cost = try Child.run(
      "dd", "if=\(path)", "of=\(target)", "bs=1M", "conv=fsync", "status=none")
    unlink(target)
    return cost.seconds
  }

  private static func make(_ path: String, mebibytes: Int) throws {
    var noise = Noise(UInt64(mebibytes))
    try write([], to: path)
    for _ in 0..<mebibytes { try write(noise.bytes(mebibyte), to: path, flags: O_APPEND) }
  }
}
