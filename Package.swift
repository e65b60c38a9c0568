// swift-tools-version: 6.2
import Foundation
import PackageDescription

// `make fuzz` sets this: then our targets are instrumented for libFuzzer, and there is one program
// more, which is built in a folder of its own.
let isFuzzing = Context.environment["CAIRN_FUZZ"] != nil
let instrumented: [SwiftSetting] =
  isFuzzing ? [.unsafeFlags(["-sanitize=fuzzer", "-enable-testing"])] : []

// One set of rules for every target of ours: Swift 6, and a warning is an error.
let strict: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
  ] + instrumented

func library(
  _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
  .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

/// A package of https://github.com/apple at the version that Cairn is tested with, and one of its
/// products.
struct Pin {
  let package: String
  let version: Version
  let product: String
}

// Everything that is built with, also the last three, which swift-nio brings. NOTICE and
// .ci/debian/copyright name their licences.
let pinned: [Pin] = [
  Pin(package: "swift-protobuf", version: "1.39.0", product: "SwiftProtobuf"),
  Pin(package: "swift-argument-parser", version: "1.8.2", product: "ArgumentParser"),
  Pin(package: "swift-log", version: "1.16.2", product: "Logging"),
  Pin(package: "swift-nio", version: "2.101.2", product: "NIOCore"),
  Pin(package: "swift-atomics", version: "1.3.0", product: "Atomics"),
  Pin(package: "swift-collections", version: "1.6.0", product: "DequeModule"),
  Pin(package: "swift-system", version: "1.8.1", product: "SystemPackage"),
]

// A program that uses the library may need later versions of the same packages. With CAIRN_EXACT=1,
// as `.ci/toolchain` sets it, exactly the tested versions are built.
let isExact = Context.environment["CAIRN_EXACT"].map { !$0.isEmpty } ?? false

/// In the tarball of `make dist` the sources stand in `packages`, and nothing is fetched.
func dependency(_ pin: Pin) -> Package.Dependency {
  let folder = "packages/" + pin.package
  let isHere = FileManager.default.fileExists(
    atPath: Context.packageDirectory + "/" + folder + "/Package.swift")
  let url = "https://github.com/apple/" + pin.package
  guard !isHere else { return .package(path: folder) }
  return isExact
    ? .package(url: url, exact: pin.version)
    : .package(url: url, .upToNextMajor(from: pin.version))
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

func sample(_ name: String, _ others: [Target.Dependency] = []) -> Target {
  .executableTarget(
    name: "sample-\(name)", dependencies: ["CairnCloud"] + others,
    path: "examples/\(name)/Sources/\(name)", swiftSettings: strict)
}

let protobuf: Target.Dependency = .product(name: "SwiftProtobuf", package: "swift-protobuf")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let arguments: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser")

// The decoders that get hostile bytes, fuzzed by libFuzzer or replayed by a test; the same sources.
let fuzzed: [Target.Dependency] = [
  "CairnControl", "CairnDaemon", "CairnFolders", "CairnPlan", "CairnContainer", "CairnIdentity",
  "CairnReplica", "CairnWire", "CairnZone", "CairnIndex", "CairnStore", "CairnThreads", protobuf,
  .product(name: "NIOCore", package: "swift-nio"),
  .product(name: "NIOEmbedded", package: "swift-nio"),
  .product(name: "NIOHTTP1", package: "swift-nio"),
]
let fuzz: Target =
  isFuzzing
  ? .executableTarget(
    name: "cairn-fuzz", dependencies: fuzzed, path: "Tests/Fuzz",
    exclude: ["CAMPAIGN.md", "Corpus", "Replay", "campaign.tsv", "run"], swiftSettings: strict,
    linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])])
  : .testTarget(
    name: "FuzzTests", dependencies: fuzzed, path: "Tests/Fuzz",
    exclude: ["CAMPAIGN.md", "Corpus", "Runner", "campaign.tsv", "run"], swiftSettings: strict)

let package = Package(
  name: "cairn",
  products: [
    // The library for programs. CairnContainer and the targets below it are its inside.
    .library(name: "CairnCloud", targets: ["CairnCloud", "CairnMirror"]),
    .executable(name: "cairn", targets: ["cairn"]),
    .executable(name: "cairnd", targets: ["cairnd"]),
    .executable(name: "cairn-watch", targets: ["cairn-watch"]),
    // What tests put under a daemon (Tests/Faults); no part of what is installed.
    .library(name: "CairnFaults", type: .dynamic, targets: ["CairnFaults"]),
  ],
  dependencies: pinned.map(dependency),
  targets: [
    // System libraries, nothing else.
    .systemLibrary(
      name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(
      name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CInotifyTools", providers: [.apt(["libinotifytools0-dev"])]),
    .target(name: "CairnSystem"),
    .target(name: "CairnSQLite", dependencies: ["CSQLite"]),
    .target(name: "CairnCurl"),
    .target(name: "CairnCipher"),
    .target(name: "CairnDesktop"),
    // Compiled without libfuse3-dev, it says so when a view is to be shown.
    .target(name: "CairnFuse"),
    .target(name: "CairnConsolePage"),

    // The layers, lowest first. A layer imports only what stands above it in this list.
    library("CairnDiagnostics", [logging]),
    library("CairnThreads", ["CairnSystem"]),
    library(
      "CairnStore",
      ["CairnDiagnostics", "CairnThreads", "CairnSystem", "CairnCurl", "CSodium"]),
    library("CairnZone"),
    library("CairnIndex", ["CairnZone", "CairnSQLite", "CSQLite"]),
    library("CairnWire", [protobuf], exclude: ["Schema"]),
    library(
      "CairnIdentity",
      ["CairnCipher", "CairnIndex", "CairnStore", "CairnWire", "CairnZone", "CSodium", protobuf]),
    library(
      "CairnReplica",
      [
        "CairnDiagnostics", "CairnIdentity", "CairnIndex", "CairnStore", "CairnThreads",
        "CairnWire", "CairnZone", "CSodium", "CZstd", protobuf,
      ]),
    library(
      "CairnContainer",
      [
        "CairnIdentity", "CairnIndex", "CairnReplica", "CairnStore", "CairnWire", "CairnZone",
      ]),
    library(
      "CairnControl", ["CairnThreads", "CairnSystem", "CQREncode"],
      exclude: ["generate", "openapi.yaml"]),
    library("CairnView", ["CairnControl", "CairnThreads", "CairnFuse"]),
    library(
      "CairnCloud",
      [
        "CairnContainer", "CairnControl", "CairnIdentity", "CairnReplica", "CairnIndex",
        "CairnStore", "CairnThreads", "CairnZone",
      ], exclude: ["API.txt", "CairnCloud.docc", "document"]),
    library(
      "CairnMirror", ["CairnCloud", "CairnThreads", "CairnSystem", "CSQLite"],
      exclude: ["API.txt"]),
    library("CairnPlan", ["CairnZone"]),
    library(
      "CairnFolders",
      [
        "CairnDiagnostics", "CairnPlan", "CairnZone", "CairnIndex", "CairnIdentity", "CairnReplica",
        "CairnContainer", "CairnThreads", "CairnSystem",
      ]),
    // The console's page, whose files become part of the program.
    .target(
      name: "CairnConsole", dependencies: ["CairnConsolePage"], exclude: ["Page"],
      swiftSettings: strict),
    library(
      "CairnDaemon",
      [
        "CairnConsole", "CairnControl", "CairnCloud", "CairnDesktop", "CairnDiagnostics",
        "CairnFolders", "CairnPlan", "CairnContainer", "CairnIdentity", "CairnReplica", "CairnZone",
        "CairnIndex", "CairnStore", "CairnThreads", "CairnSystem", logging,
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ]),
    .executableTarget(
      name: "cairn", dependencies: ["CairnControl", "CairnView", arguments],
      swiftSettings: strict),
    .executableTarget(
      name: "cairnd", dependencies: ["CairnDaemon", arguments], swiftSettings: strict),
    .executableTarget(
      name: "cairn-watch", dependencies: ["CInotifyTools", "CairnSystem"],
      exclude: ["COPYING"], swiftSettings: strict),

    // Measures the built programs, and the parts by themselves; for `make bench`.
    .executableTarget(
      name: "cairn-bench",
      dependencies: [
        "CairnFolders", "CairnPlan", "CairnContainer", "CairnIdentity", "CairnReplica", "CairnZone",
        "CairnStore", "CairnThreads", "CairnSystem", "CSodium", "CSQLite", arguments,
      ],
      path: "Tests/Bench", exclude: ["CHOICES.md", "PERFORMANCE.md", "Choices"],
      swiftSettings: strict),
    .target(name: "CairnFaults", path: "Tests/Faults"),
    // A program of a person, for tests.
    .executableTarget(
      name: "cairn-writer", dependencies: ["CairnCloud"], path: "Tests/Programs",
      swiftSettings: strict),
    // The sample programs of the library, for the test that plays them. People build them by
    // packages of their own, which depend on this one.
    .systemLibrary(name: "SampleSQLite", path: "examples/notes/Sources/SQLite"),
    sample("list"),
    sample("album"),
    sample("notes", ["CairnMirror", "SampleSQLite"]),
    // Where tests find them.
    .target(
      name: "BuiltPrograms", dependencies: ["CairnSystem"], path: "Tests/BuiltPrograms",
      swiftSettings: strict),
    // Compares answers with the description of the API.
    .target(name: "APIDescription", path: "Tests/APIDescription", swiftSettings: strict),

    tests("CairnThreadsTests", ["CairnThreads"]),
    tests("CairnStoreTests", ["CairnStore", "CairnThreads", "BuiltPrograms"]),
    tests("CairnZoneTests", ["CairnZone"]),
    tests("CairnIndexTests", ["CairnIndex", "CairnZone", "CSQLite"]),
    tests(
      "CairnContainerTests",
      [
        "CairnCipher", "CairnContainer", "CairnIdentity", "CairnReplica", "CairnWire", "CairnIndex",
        "CairnZone", "CairnStore", "CairnThreads", "BuiltPrograms", "CSQLite", protobuf,
      ]),
    tests(
      "CairnCloudTests",
      [
        "CairnCloud", "CairnIdentity", "CairnIndex", "CairnReplica", "CairnStore", "CairnZone",
      ]),
    tests("CairnViewTests", ["CairnView", "CairnControl", "CairnThreads"]),
    tests("CairnMirrorTests", ["CairnMirror", "CairnCloud", "CairnContainer", "CSQLite"]),
    tests("CairnPlanTests", ["CairnPlan", "CairnZone"]),
    tests(
      "CairnFoldersTests",
      [
        "CairnFolders", "CairnPlan", "CairnZone", "CairnIndex", "CairnIdentity", "CairnReplica",
        "CairnContainer", "CairnStore", "CairnSystem", "cairn-watch", "BuiltPrograms",
      ]),
    tests(
      "CairnControlTests",
      ["CairnControl", "CairnDaemon", "cairn", "BuiltPrograms", "APIDescription"]),
    tests(
      "CairnDaemonTests",
      [
        "CairnDaemon", "CairnConsole", "CairnControl", "CairnCloud", "CairnContainer",
        "CairnIdentity", "CairnReplica", "CairnZone", "CairnStore", "CairnThreads", "CairnFolders",
        "CairnMirror", "CSQLite", "cairn-watch", "BuiltPrograms", logging,
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    tests(
      "EndToEndTests",
      [
        "CairnControl", "CairnFuse", "CairnSystem", "CairnThreads", "cairn", "cairnd",
        "cairn-watch", "cairn-writer", "sample-list", "sample-album", "sample-notes",
        "BuiltPrograms", "APIDescription",
      ]),
    // Against a second implementation of the format, in Python (Tests/Format).
    tests(
      "FormatTests",
      [
        "CairnContainer", "CairnIdentity", "CairnReplica", "CairnWire", "CairnIndex", "CairnZone",
        "CairnStore", "cairn", "cairnd", "cairn-watch", "BuiltPrograms",
      ]),
    tests("TidyTests", []),
    fuzz,

    // The whole engine in one thread over a simulated disk and store, from one seed.
    .target(
      name: "Simulator",
      dependencies: [
        "CairnFolders", "CairnPlan", "CairnContainer", "CairnIdentity", "CairnReplica", "CairnZone",
        "CairnIndex", "CairnStore", "CSodium",
      ],
      path: "Tests/Simulator", exclude: ["run", "CAMPAIGN.md", "campaign.tsv"],
      swiftSettings: strict),
    .executableTarget(
      name: "cairn-simulate", dependencies: ["Simulator"], path: "Tests/SimulatorProgram",
      swiftSettings: strict),
    tests(
      "SimulatorTests", ["Simulator", "cairn-simulate", "CairnFolders", "BuiltPrograms"],
      exclude: ["README.md", "Scripts"]),
  ]
)

// SwiftPM builds every target, also for `swift test --filter`. CAIRN_TESTS="CairnPlanTests" selects
// this test target with all that it needs. Empty, it selects what is installed.
if let chosen = Context.environment["CAIRN_TESTS"]?.split(separator: " ").map(String.init) {
  var kept: Set<String> = []
  var next = chosen.isEmpty ? ["cairn", "cairnd", "cairn-watch", "CairnMirror"] : chosen
  // Its tests load the library into a daemon, so that none of them may link it.
  if chosen.contains("EndToEndTests") { next.append("CairnFaults") }
  while let name = next.popLast() {
    guard kept.insert(name).inserted else { continue }
    let target = package.targets.first { $0.name == name }
    next += (target?.dependencies ?? []).compactMap { dependency in
      if case .byNameItem(let name, _) = dependency { name } else { nil }
    }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  package.products.removeAll { product in
    let targets =
      (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets ?? []
    return !kept.isSuperset(of: targets)
  }
}

// SwiftPM warns of a pinned package that no target names. This dependency holds on no system that
// Cairn is built for, so nothing is built because of it.
package.targets.first { $0.type == .regular }?.dependencies += pinned.map { pin in
  .product(name: pin.product, package: pin.package, condition: .when(platforms: [.windows]))
}
