import Testing

@testable import Simulator

/// A script that once broke a rule, in its shortest form, and what was wrong.
struct KeptScript: CustomTestStringConvertible, Sendable {
  var about: String
  var script: Script

  var testDescription: String { about }
}

/// Every script that ever found a mistake. None is ever taken out.
enum KeptScripts {
  static let all: [KeptScript] = [
    KeptScript(
      about: "an entry of the log that was read in part is read again, and not skipped for ever",
      script: Script(
        seed: 102, people: 4, traits: [.init(), .init(), .init(), .init()],
        steps: [
          .operation(person: 3, .create(place: 3_199_388_377, name: 2_534_752_882, size: 192)),
          .work(person: 3, turns: 3, hints: .delivered),
          .interruptStore(person: 2, call: 5, .truncated),
          .work(person: 2, turns: 20, hints: .delivered),
        ]))
  ]
}
