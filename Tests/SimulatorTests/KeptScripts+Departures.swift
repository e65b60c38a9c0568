@testable import Simulator

/// Scripts about people who are removed, leave or stop a share, and the folders that go with it,
/// beside the others.
extension KeptScripts {
  static let departures: [KeptScript] = [
    KeptScript(
      about:
        "a folder that was half given up when its daemon died is given up without the index too",
      script: Script(
        seed: 131012718, people: 3,
        traits: [
          .init(),
          .init(hasRenameFlags: false, hasBirths: true, hasLeases: true, granularity: 1),
          .init(),
        ],
        steps: [
          .operation(person: 0, .create(place: 3562743635, name: 3829924141, size: 115)),
          .operation(person: 2, .create(place: 386212808, name: 8102159, size: 87)),
          .operation(person: 2, .makeDirectory(place: 1662280246, name: 3418545603)),
          .operation(person: 0, .makeDirectory(place: 4274501051, name: 4189864676)),
          .operation(person: 0, .create(place: 3163317907, name: 81964351, size: 42)),
          .work(person: 0, turns: 20, hints: .delivered),
          .work(person: 1, turns: 20, hints: .delivered),
          .work(person: 2, turns: 20, hints: .delivered),
          .operation(person: 1, .edit(file: 1394319015, size: 21)),
          .operation(person: 2, .replace(file: 492361112, size: 146)),
          .operation(person: 1, .swap(entry: 3405141375, other: 62423654)),
          .operation(person: 1, .makeSymlink(place: 3813862413, name: 3401864121)),
          .operation(person: 2, .create(place: 3002118672, name: 3042213322, size: 112)),
          .setPermission(person: 1, mayWrite: false),
          .operation(person: 1, .makeSymlink(place: 3185630548, name: 663003990)),
          .work(person: 1, turns: 2, hints: .delivered),
          .operation(person: 1, .replace(file: 238603011, size: 98)),
          .operation(person: 1, .delete(file: 1135813139)),
          .operation(person: 0, .create(place: 623049061, name: 1851633322, size: 56)),
          .operation(person: 1, .makeDirectory(place: 6014053, name: 2242842058)),
          .operation(person: 1, .delete(file: 3838793069)),
          .operation(person: 1, .create(place: 964151796, name: 2400742349, size: 74)),
          .operation(person: 1, .create(place: 1366102096, name: 1766626390, size: 147)),
          .work(person: 1, turns: 2, hints: .delivered),
          .operation(person: 1, .edit(file: 1983402724, size: 69)),
          .operation(person: 2, .append(file: 2471793540)),
          .work(person: 2, turns: 5, hints: .delivered),
          .work(person: 0, turns: 20, hints: .delivered),
          .work(person: 1, turns: 5, hints: .delivered),
          .remove(person: 1),
          .interruptDisk(person: 1, call: 178, .crash),
          .work(person: 1, turns: 2, hints: .delivered),
          .deleteIndex(person: 1, .zones),
        ])),
    KeptScript(
      about: "a new folder after a lost index has no later edits of what its device sent",
      script: Script(
        seed: 140098598, people: 3,
        traits: [
          .init(),
          .init(),
          .init(hasRenameFlags: true, hasBirths: false, hasLeases: false, granularity: 1),
        ],
        steps: [
          .operation(person: 0, .create(place: 392909918, name: 2196892470, size: 43)),
          .operation(person: 2, .create(place: 70844594, name: 265396219, size: 85)),
          .work(person: 0, turns: 20, hints: .delivered),
          .work(person: 2, turns: 3, hints: .delivered),
          .work(person: 1, turns: 3, hints: .delivered),
          .operation(person: 1, .rename(entry: 1694064340, place: 4179817292, name: 1850568981)),
          .operation(person: 1, .edit(file: 1260811482, size: 48)),
          .work(person: 1, turns: 10, hints: .delivered),
          .remove(person: 1),
          .work(person: 1, turns: 5, hints: .delivered),
          .invite(person: 1, mayWrite: true),
          .work(person: 1, turns: 1, hints: .delivered),
          .operation(person: 1, .create(place: 1135079950, name: 3098808418, size: 204)),
          .deleteIndex(person: 1, .all),
          .operation(person: 1, .rename(entry: 3720576529, place: 2844984355, name: 316153345)),
        ])),
  ]
}
