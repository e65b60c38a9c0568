// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "notes",
  dependencies: [.package(name: "cairn", path: "../..")],
  targets: [
    .systemLibrary(name: "SQLite"),
    .executableTarget(
      name: "notes", dependencies: ["SQLite", .product(name: "CairnCloud", package: "cairn")]),
  ])
