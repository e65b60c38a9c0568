import Foundation
import Testing

/// The unit with which systemd runs a person's daemon.
struct UnitFileTests {
  private static let analyze = "/usr/bin/systemd-analyze"
  private let repository = Repository()

  /// The output of systemd for the unit, alone and with a drop-in.
  private func exposure(of files: [String: String]) throws -> Double {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "cairn-unit-" + UUID().uuidString)
    // The remaining files are in /tmp.
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, source) in files {
      let file = folder.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(repository.bytes(of: source)).write(to: file)
    }
    let process = Process()
    process.executableURL = URL(filePath: Self.analyze)
    process.arguments = [
      "security", "--offline=true", "--no-pager", folder.appending(path: "cairnd.service").path,
    ]
    process.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    let figure = try #require(text.firstMatch(of: /Overall exposure level[^:]*: ([0-9.]+)/))
    return try #require(Double(figure.1))
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: analyze), "systemd isn't here"))
  func `the unit is as tight as it says`() throws {
    let unit = ["cairnd.service": "examples/systemd/cairnd.service"]
    let alone = try exposure(of: unit)
    #expect(alone <= 4.5)
    let dropIn = ["cairnd.service.d/no-network.conf": "examples/systemd/no-network.conf"]
    let both = try exposure(of: unit.merging(dropIn) { one, _ in one })
    #expect(both <= 3)
    let told = try repository.text(of: "examples/systemd/cairnd.service")
    #expect(told.contains("--offline=true` calls this \(alone),"))
    let toldOfBoth = try repository.text(of: "examples/systemd/no-network.conf")
    #expect(toldOfBoth.contains("--offline=true` calls both together \(both)."))
  }

  /// Settings with which a user unit doesn't start, or sees other mounts.
  @Test(arguments: ["cairnd.service", "no-network.conf"])
  func `nothing in it needs a mount namespace`(in file: String) throws {
    let lines = try repository.text(of: "examples/systemd/" + file).split(separator: "\n")
    let keys = Set(lines.compactMap { $0.firstMatch(of: /^([A-Z][A-Za-z]+)=/) }.map { $0.1 })
    #expect(keys.count > 1)
    let needing: Set<Substring> = [
      "PrivateDevices", "PrivateMounts", "PrivateTmp", "ProtectControlGroups", "ProtectHome",
      "ProtectKernelLogs", "ProtectKernelModules", "ProtectKernelTunables", "ProtectProc",
      "ProtectSystem", "ReadOnlyPaths", "ReadWritePaths", "RootDirectory", "InaccessiblePaths",
    ]
    #expect(keys.isDisjoint(with: needing))
  }

  @Test func `it is skipped where there is no account, and gives up in the end`() throws {
    let unit = try repository.text(of: "examples/systemd/cairnd.service")
    #expect(unit.contains("\nConditionPathExists=%E/cairn/cairn.conf\n"))
    #expect(unit.contains("\nStartLimitBurst="))
    let final = try #require(unit.firstMatch(of: /\nRestartPreventExitStatus=([0-9 ]+)\n/))
    let statuses = Set(final.1.split(separator: " "))
    // notAuthenticated, incompatibleVersion, alreadyRunning, and the status of the argument parser.
    #expect(statuses.isSuperset(of: ["9", "18", "44", "64"]))
  }
}
