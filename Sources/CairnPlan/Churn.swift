public import CairnZone

/// Directories in which programs create and delete thousands of files. A deletion in them is no
/// accident of a person, and the files can be made again. The deletion brake doesn't count them.
public enum Churn {
  /// The names of directories that can always be made again.
  private static let always: Set<FileName> = names([
    "node_modules", "__pycache__", ".build", ".venv", ".cache", ".gradle", ".tox", ".mypy_cache",
    ".pytest_cache", ".ruff_cache", ".terraform",
  ])
  /// The names of directories that can be made again if one of `recipes` is beside them.
  private static let made: Set<FileName> = names(["build", "target", "dist", "out", "_build"])
  private static let recipes: Set<FileName> = names([
    "Makefile", "CMakeLists.txt", "meson.build", "package.json", "Cargo.toml", "pom.xml",
    "build.gradle", "build.gradle.kts", "Package.swift", "setup.py", "pyproject.toml", "go.mod",
    "dune-project", "stack.yaml", "conf.py",
  ])
  /// A repository: files that leave it were packed, as long as it exists itself.
  private static let repository: Set<FileName> = names([".git"])

  private static func names(_ texts: [String]) -> Set<FileName> {
    Set(texts.compactMap { FileName($0) })
  }

  /// The names of directories that may be such; not every directory with one is.
  public static var candidates: Set<FileName> { always.union(made).union(repository) }

  /// Returns whether a directory is one of them.
  /// - Parameters:
  ///   - name: Its name.
  ///   - stands: Whether it is still in the folder.
  ///   - hasBeside: A function that tells whether a file with a name is beside it.
  /// - Returns: True if a deletion in it is no accident of a person.
  /// - Throws: Any error of `hasBeside`.
  public static func isChurn(
    _ name: FileName, stands: Bool, hasBeside: (FileName) throws -> Bool
  ) rethrows -> Bool {
    if always.contains(name) { return true }
    if repository.contains(name) { return stands }
    return try made.contains(name) && recipes.contains { try hasBeside($0) }
  }
}
