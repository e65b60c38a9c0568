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
        ])),
    KeptScript(
      about: "a file in the place of a directory that its person deleted just now is no conflict",
      script: Script(
        seed: 5, people: 2, traits: [.init(), .init()],
        steps: [
          .operation(person: 1, .makeDirectory(place: 2_507_651_123, name: 1_066_143_454)),
          .operation(person: 1, .create(place: 2_724_756_533, name: 749_127_528, size: 206)),
          .work(person: 1, turns: 20, hints: .delivered),
          .operation(person: 1, .deleteTree(directory: 261_963_606)),
          .operation(person: 1, .create(place: 1_978_699_241, name: 3_902_682_562, size: 95)),
        ])),
  ]
}
