import Foundation
import Testing

/// Builds Tests/PlannerCases with optimization if a source is newer than the program, and runs it.
/// Without optimization, a million cases would take most of an hour. It doesn't use the package
/// manager, whose optimization flags would keep others from using the package. It compiles only
/// the part of `CairnZone` that the planner uses.
struct PlannerProgram {
  /// The output of a run.
  struct Counts {
    var cases = 0
    var conflicts = 0
    var rounds = 0
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private static let folder = root.appending(path: ".build/planner-cases")
  private static let zoneSources = [
    "Ascent", "Author", "FixedBytes", "Hexadecimal", "Identifiers", "Record", "RecordChange",
    "RecordVersion",
  ].map { "Sources/CairnZone/\($0).swift" }
  private static let ownSources = [
    "FetchedRecords", "MixedRights", "Model", "ModelEngine", "Properties", "RandomProperty",
    "RandomTrees",
    "SettledConflicts", "SmallTrees", "TreeText", "TripleProperty", "UnwantedRecords",
  ].map { "Tests/CairnPlanTests/\($0).swift" }

  /// A Boolean value that indicates whether the tests check all cases that a machine manages in
  /// some minutes, as `make check-deep` asks for, and not only those of an ordinary run.
  static let isDeep = ProcessInfo.processInfo.environment["CAIRN_TESTS_DEEP"] != nil

  /// The program, built once in a run of the tests.
  static let built = Result { try PlannerProgram() }

  private init() throws {
    let folder = ".build/planner-cases"
    try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
    try Self.build("\(folder)/CairnZone.o", of: Self.zoneSources)
    let plan = try Self.sources("Sources/CairnPlan")
    try Self.build("\(folder)/CairnPlan.o", of: plan, on: ["\(folder)/CairnZone.o"])
    let cases = try Self.sources("Tests/PlannerCases") + Self.ownSources
    try Self.build(
      "\(folder)/planner-cases", of: cases,
      on: ["\(folder)/CairnZone.o", "\(folder)/CairnPlan.o"])
  }

  private static func sources(_ path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appending(path: path).path)
      .filter { $0.hasSuffix(".swift") }.sorted().map { "\(path)/\($0)" }
  }

  /// Compiles a module to its object, or the program, if a source or an object below is newer.
  private static func build(_ result: String, of sources: [String], on objects: [String] = [])
    throws
  {
    guard try !isFresh(result, sources + objects) else { return }
    let module = String(result.dropLast(2))
    try swiftc(
      result.hasSuffix(".o")
        ? [
          "-module-name", "\(module.split(separator: "/").last ?? "")", "-emit-module",
          "-emit-module-path", "\(module).swiftmodule", "-c", "-o", result,
        ] + sources
        : ["-module-name", "PlannerCases", "-o", result] + sources + objects)
  }

  private static func isFresh(_ result: String, _ sources: [String]) throws -> Bool {
    guard FileManager.default.fileExists(atPath: root.appending(path: result).path) else {
      return false
    }
    func date(_ path: String) throws -> Date {
      try root.appending(path: path).resourceValues(forKeys: [.contentModificationDateKey])
        .contentModificationDate ?? .distantFuture
    }
    let built = try date(result)
    return try sources.allSatisfy { try date($0) < built }
  }

  private static func swiftc(_ arguments: [String]) throws {
    let common = ["swiftc", "-O", "-wmo", "-parse-as-library", "-swift-version", "6"]
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = common + ["-I", folder.path] + arguments
    process.currentDirectoryURL = root
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Misstep("swiftc ended with \(process.terminationStatus)")
    }
  }

  /// Runs the program once for each list of arguments, all at the same time.
  func run(_ parts: [[String]]) throws -> Counts {
    let runs = try parts.map { arguments -> (Process, Pipe) in
      let process = Process()
      let pipe = Pipe()
      process.executableURL = Self.folder.appending(path: "planner-cases")
      process.arguments = arguments
      process.standardOutput = pipe
      try process.run()
      return (process, pipe)
    }
    var counts = Counts()
    for (process, pipe) in runs {
      let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      let text = String(decoding: output, as: UTF8.self)
      let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
      guard process.terminationStatus == 0, numbers.count == 3 else {
        throw Misstep("\(process.arguments ?? []): \(text)")
      }
      counts.cases += numbers[0]
      counts.conflicts += numbers[1]
      counts.rounds = max(counts.rounds, numbers[2])
    }
    return counts
  }
}
