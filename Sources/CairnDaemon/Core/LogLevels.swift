import CairnDiagnostics
import Logging
import Synchronization

/// The log level of each part of the program, which may change while it runs. Reading a level costs
/// one atomic load, so a line that is switched off costs next to nothing.
final class LogLevels: Sendable {
  /// The levels of this process.
  static let shared = LogLevels()
  /// The part that everything without a logger of its own in `Diagnostics` belongs to.
  static let daemon = "daemon"
  /// All parts, in the order of their bits.
  static let scopes = [daemon] + Diagnostics.labels

  /// Four bits for each scope: the position of its level in `Logger.Level.allCases`.
  private let packed: Atomic<UInt64>

  init() { packed = Atomic(Self.pack(Self.scopes.map { _ in .info })) }

  /// The level of the logger with this label.
  subscript(label: String) -> Logger.Level {
    let scope = Self.scopes.firstIndex(of: label) ?? 0
    return self[scope: scope]
  }

  /// The level of the scope at this position in `scopes`.
  subscript(scope position: Int) -> Logger.Level {
    Self.level(packed.load(ordering: .relaxed), position)
  }

  /// The levels as text that `set` accepts: the daemon's, then the scopes that differ from it.
  var description: String {
    let bits = packed.load(ordering: .relaxed)
    let general = Self.level(bits, 0)
    let others = Self.scopes.indices.dropFirst().filter { Self.level(bits, $0) != general }
    return ([general.rawValue] + others.map { "\(Self.scopes[$0])=\(Self.level(bits, $0))" })
      .joined(separator: ",")
  }

  /// Sets the levels.
  /// - Parameter text: Comma-separated: a level, which applies to every scope, or `SCOPE=LEVEL`.
  ///   Scopes that the text does not name keep their level.
  /// - Throws: `InvalidLevels` if a level or a scope does not exist; then nothing changes.
  func set(_ text: String) throws(InvalidLevels) {
    let bits = packed.load(ordering: .relaxed)
    var levels = Self.scopes.indices.map { Self.level(bits, $0) }
    for part in text.split(separator: ",") {
      let sides = part.split(separator: "=", maxSplits: 1).map { side in
        String(side.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
      }
      guard let name = sides.last, let level = Logger.Level(rawValue: name) else {
        throw InvalidLevels(text: sides.last ?? "", isScope: false)
      }
      guard sides.count == 2 else {
        levels = levels.map { _ in level }
        continue
      }
      guard let scope = Self.scopes.firstIndex(of: sides[0]) else {
        throw InvalidLevels(text: sides[0], isScope: true)
      }
      levels[scope] = level
    }
    packed.store(Self.pack(levels), ordering: .relaxed)
  }

  private static func level(_ bits: UInt64, _ position: Int) -> Logger.Level {
    Logger.Level.allCases[Int(bits >> (4 * UInt64(position)) & 15)]
  }

  private static func pack(_ levels: [Logger.Level]) -> UInt64 {
    levels.enumerated().reduce(0) { bits, next in
      let value = Logger.Level.allCases.firstIndex(of: next.element) ?? 0
      return bits | UInt64(value) << (4 * UInt64(next.offset))
    }
  }
}

/// Text that names no log level or no scope.
struct InvalidLevels: Error {
  /// The part that is not known.
  let text: String
  /// A Boolean value that indicates whether the part stands for a scope.
  let isScope: Bool

  /// The error as a sentence.
  var message: String {
    isScope ? "There is no log scope “\(text)”." : "There is no log level “\(text)”."
  }

  /// The values that exist, as a sentence.
  var remedy: String {
    "Levels are \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")); scopes are "
      + "\(LogLevels.scopes.joined(separator: ", ")). Example: info,scan=debug"
  }
}
