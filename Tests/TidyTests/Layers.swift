/// The modules that each target may import: the table of layers in Sources/ARCHITECTURE.md, as
/// code. A new target must be entered here first.
enum Layers {
  /// Modules of the system and the compiler that touch nothing by themselves.
  private static let system: Set<String> = ["Glibc", "Synchronization"]
  private static let foundation: Set<String> = ["Foundation", "FoundationEssentials"]
  private static let nio: Set<String> = ["NIOCore", "NIOPosix", "NIOHTTP1"]

  /// The modules that each target may import. A pure target has only the standard library.
  static let allowed: [String: Set<String>] = [
    "CairnZone": [],
    "CairnPlan": ["CairnZone"],
    "CairnDiagnostics": ["Logging"],
    "CairnThreads": system.union(["CairnSystem"]),
    "CairnStore": system.union([
      "CairnDiagnostics", "CairnThreads", "CairnSystem", "CairnCurl", "CSodium",
    ]),
    "CairnIndex": system.union(["CairnZone", "CairnSQLite", "CSQLite"]),
    "CairnWire": ["SwiftProtobuf"],
    "CairnIdentity": system.union([
      "CairnCipher", "CairnIndex", "CairnStore", "CairnWire", "CairnZone", "CSodium",
      "SwiftProtobuf",
    ]),
    "CairnReplica": system.union([
      "CairnDiagnostics", "CairnIdentity", "CairnIndex", "CairnStore", "CairnThreads", "CairnWire",
      "CairnZone", "CSodium", "CZstd", "SwiftProtobuf",
    ]),
    "CairnContainer": system.union([
      "CairnIdentity", "CairnIndex", "CairnReplica", "CairnStore", "CairnWire", "CairnZone",
    ]),
    "CairnCloud": system.union([
      "FoundationEssentials",
      "CairnContainer", "CairnControl", "CairnIdentity", "CairnReplica", "CairnIndex", "CairnStore",
      "CairnThreads", "CairnZone",
    ]),
    "CairnMirror": system.union(["CairnCloud", "CairnThreads", "CairnSystem", "CSQLite"]),
    "CairnFolders": system.union([
      "CairnDiagnostics", "CairnPlan", "CairnZone", "CairnIndex", "CairnIdentity", "CairnReplica",
      "CairnContainer", "CairnThreads", "CairnSystem",
    ]),
    "CairnControl": system.union(foundation).union(["CairnThreads", "CairnSystem", "CQREncode"]),
    "CairnView": system.union(["CairnControl", "CairnThreads", "CairnFuse"]),
    "CairnConsole": ["CairnConsolePage"],
    "CairnDaemon": system.union(foundation).union(nio).union([
      "CairnConsole", "CairnControl", "CairnCloud", "CairnDesktop", "CairnDiagnostics",
      "CairnFolders", "CairnPlan", "CairnContainer", "CairnIdentity", "CairnReplica", "CairnZone",
      "CairnIndex", "CairnStore", "CairnThreads", "CairnSystem", "Logging",
    ]),
    "cairn": system.union(foundation).union(["CairnControl", "CairnView", "ArgumentParser"]),
    "cairnd": system.union(foundation).union(["CairnDaemon", "CairnControl", "ArgumentParser"]),
    "cairn-watch": ["CInotifyTools", "CairnSystem", "Glibc"],
  ]

  /// Targets in C, which import no Swift module.
  static let inC: Set<String> = [
    "CairnSystem", "CairnSQLite", "CairnCurl", "CairnCipher", "CairnDesktop", "CairnConsolePage",
    "CairnFuse", "CInotifyTools", "CQREncode", "CSodium", "CSQLite", "CZstd",
  ]

  /// Modules whose interface forces Foundation on a file that imports them.
  private static let forcesFoundation: Set<String> = ["SwiftProtobuf"]

  /// The places where a source imports a module that its target must not know.
  static func violations(in source: SwiftSource) -> [Violation] {
    guard !source.isTest, source.path.hasPrefix("Sources/"), !inC.contains(source.target) else {
      return []
    }
    guard var modules = allowed[source.target] else {
      return [
        Violation(source.path, 1, "`\(source.target)` is in no layer: enter it in \(#fileID)")
      ]
    }
    let imported = Set(source.imports.map(\.text))
    if !imported.isDisjoint(with: forcesFoundation) {
      modules.formUnion(foundation)
    }
    // The generated messages have fields of type Data, whose members must be imported to be used.
    if modules.contains("CairnWire") { modules.insert("FoundationEssentials") }
    return source.imports.filter { !modules.contains($0.text) }.map {
      Violation(source.path, $0.line, "`\(source.target)` must not import `\($0.text)`")
    }
  }
}
