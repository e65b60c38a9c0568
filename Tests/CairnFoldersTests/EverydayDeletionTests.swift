import Foundation
import Testing

/// Everyday deletions by programs are no accident; a person's large deletion may be one.
@Suite struct EverydayDeletionTests {
  private let world: HostileWorld

  init() throws {
    world = try HostileWorld()
    try make(300, in: "src")
    try sync()
  }

  private func make(_ count: Int, in directory: String) throws {
    let path = "\(world.folder)/\(directory)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for number in 0..<count {
      try Data("\(directory) \(number)".utf8).write(to: URL(filePath: "\(path)/f\(number)"))
    }
  }

  private func delete(_ path: String) throws {
    try FileManager.default.removeItem(atPath: "\(world.folder)/\(path)")
  }

  private func sync() throws { try world.lookAgain() }

  @Test func `files that are created and deleted again and again are no accident`() throws {
    for _ in 0..<12 {
      try make(30, in: "tmp")
      try sync()
      try delete("tmp")
      try sync()
      try #require(world.heldDeletions == nil)
    }
    #expect(try world.tree()["tmp"] == nil)
    try delete("src")
    try sync()
    #expect(world.heldDeletions == 300)
  }

  @Test func `a repository that packs its objects goes on, and a deleted one waits`() throws {
    try make(280, in: ".git/objects/aa")
    try make(1, in: ".git/refs")
    try delete("src")
    try make(150, in: "src")
    try sync()
    #expect(world.heldDeletions == nil)
    try delete(".git/objects/aa")
    try make(2, in: ".git/objects/pack")
    try sync()
    #expect(
      world.heldDeletions == nil
        && !FileManager.default.fileExists(
          atPath: "\(world.folder)/.git/objects/aa")
    )
    try make(400, in: ".git/objects/bb")
    try sync()
    try delete(".git")
    try sync()
    #expect(world.heldDeletions == 403)
  }

  @Test func `a build's output can be deleted beside its recipe`() throws {
    try make(2_000, in: "target")
    try sync()
    let recipe = URL(filePath: "\(world.folder)/Cargo.toml")
    try Data("[package]".utf8).write(to: recipe)
    try sync()
    try delete("target")
    try sync()
    #expect(world.heldDeletions == nil)
    try make(2_000, in: "target")
    try FileManager.default.removeItem(at: recipe)
    try sync()
    try delete("target")
    try sync()
    #expect(world.heldDeletions == 2_000)
  }
}
