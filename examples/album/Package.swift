// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "album",
  dependencies: [.package(name: "cairn", path: "../..")],
  targets: [
    .executableTarget(
      name: "album", dependencies: [.product(name: "CairnCloud", package: "cairn")])
  ])
