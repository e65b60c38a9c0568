import Foundation

/// `cairn-fuzz TARGET [OPTION OF LIBFUZZER | FOLDER | FILE]...` fuzzes a target, or runs the files.
/// `cairn-fuzz --list` names the targets. `cairn-fuzz --seed FOLDER` writes their first inputs.
@main struct CairnFuzz {
  /// The function that the fuzzer calls. It is set once before the fuzzer starts.
  private static let chosen = FuzzTarget.named(
    CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "")

  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments == ["--list"] {
      for target in FuzzTarget.all { print(target.name) }
      return
    }
    if arguments.count == 2, arguments[0] == "--seed" {
      try seed(arguments[1])
      return
    }
    guard let target = chosen else {
      print("usage: cairn-fuzz TARGET [OPTION]... | --list | --seed FOLDER")
      exit(64)
    }
    // The name of the program and its options, as libFuzzer sees them.
    let options = ["cairn-fuzz", "-max_len=\(target.limit)"] + arguments.dropFirst()
    var count = Int32(options.count)
    var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = .allocate(
      capacity: options.count + 1)
    for (index, option) in options.enumerated() { list?[index] = strdup(option) }
    list?[options.count] = nil
    exit(runDriver(&count, &list, check))
  }

  private static let check: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32 = { start, count in
    do {
      try CairnFuzz.chosen?.check(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
      fatalError("finding: \(error)")
    }
    return 0
  }

  private static func seed(_ folder: String) throws {
    for target in FuzzTarget.all {
      let own = URL(filePath: folder).appending(path: target.name)
      try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
      for (index, bytes) in try target.seeds().enumerated() {
        try Data(bytes).write(to: own.appending(path: "seed-\(index)"))
      }
    }
  }
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ check: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32
