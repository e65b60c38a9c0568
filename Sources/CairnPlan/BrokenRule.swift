/// A broken rule of Cairn's own, which neither a plan nor the engine can work around. It stops one
/// mount and never ends the process: the status of the mount names the rule.
public struct BrokenRule: Error, CustomStringConvertible {
  /// The rule, as a clause of a sentence.
  public let rule: String

  /// Creates an error.
  public init(_ rule: String) { self.rule = rule }

  /// A sentence with the rule.
  public var description: String { "a rule of Cairn's own is broken (\(rule))" }
}
