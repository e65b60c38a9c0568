/// Plays stories of commands that move records between zones.
public struct Moves {
  private let sabotage: MovingStory.Sabotage?

  /// Creates a player of sound stories.
  public init() { sabotage = nil }

  /// Creates a player with a deliberate mistake; nil for an unknown name.
  public init?(sabotage: String) {
    guard let known = MovingStory.Sabotage(rawValue: sabotage) else { return nil }
    self.sabotage = known
  }

  /// Plays the story of a seed.
  /// - Returns: The broken rule with the finding, or nil; and the commands.
  public func play(
    seed: UInt64, commands: Int, endsDaemons: Bool, hasTrouble: Bool, keepsTrace: Bool
  ) throws -> (violation: String?, lines: [String]) {
    try SimulatedThread.play {
      let story = try MovingStory(
        seed: seed, keepsTrace: keepsTrace, endsDaemons: endsDaemons, hasTrouble: hasTrouble,
        sabotage: sabotage)
      do { try story.play(commands) } catch let violation as Violation {
        return ("\(violation)", story.trace.lines)
      } catch {
        return ("simulator: \(error)", story.trace.lines)
      }
      return (nil, story.trace.lines)
    }
  }
}
