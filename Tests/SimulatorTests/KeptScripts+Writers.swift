@testable import Simulator

/// Scripts in which somebody writes between two calls of the engine's, beside the others.
extension KeptScripts {
  static let writers: [KeptScript] = [
    KeptScript(
      about:
        "what a person puts over the name that a file just got doesn't take the file's bytes away",
      script: Script(
        seed: 134015006, people: 2,
        traits: [
          .init(),
          .init(hasRenameFlags: false, hasBirths: true, hasLeases: true, granularity: 1),
        ],
        steps: [
          .operation(person: 0, .create(place: 157270969, name: 3718549094, size: 127)),
          .operation(person: 1, .create(place: 2771928946, name: 2147167981, size: 139)),
          .operation(person: 0, .create(place: 2882093026, name: 4010657827, size: 82)),
          .operation(person: 0, .create(place: 1852869026, name: 1892138370, size: 40)),
          .work(person: 0, turns: 20, hints: .delivered),
          .work(person: 1, turns: 20, hints: .delivered),
          .operation(person: 1, .rename(entry: 178371255, place: 1635755042, name: 418902577)),
          .operation(person: 0, .edit(file: 3854904659, size: 62)),
          .interruptDisk(
            person: 1, call: 2, .writer(.create(place: 2488571115, name: 3068305275, size: 35))),
          .work(person: 1, turns: 5, hints: .delivered),
          .operation(person: 1, .rename(entry: 4216209774, place: 1136568092, name: 1853584587)),
          .work(person: 0, turns: 2, hints: .delivered),
          .operation(person: 0, .create(place: 1607233213, name: 159557279, size: 64)),
          .operation(person: 1, .delete(file: 3263994793)),
          .operation(person: 0, .replace(file: 265191109, size: 80)),
          .operation(person: 0, .edit(file: 1649362798, size: 60)),
          .interruptDisk(person: 1, call: 92, .writer(.delete(file: 1220582254))),
          .operation(person: 0, .changeMode(file: 630485816)),
          .work(person: 1, turns: 5, hints: .delivered),
          .operation(person: 0, .makeSymlink(place: 2596026011, name: 2117416294)),
          .wait(6321),
          .operation(person: 1, .makeDirectory(place: 299150133, name: 2832656632)),
          .work(person: 0, turns: 3, hints: .delivered),
          .operation(person: 1, .rename(entry: 3604996179, place: 3438011543, name: 1647975167)),
          .work(person: 1, turns: 20, hints: .delivered),
          .operation(person: 1, .rename(entry: 3241358433, place: 1737827774, name: 3945126150)),
          .operation(person: 0, .rename(entry: 1232272514, place: 1254243785, name: 3038637652)),
          .work(person: 0, turns: 3, hints: .delivered),
          .operation(person: 1, .append(file: 4222476968)),
          .interruptDisk(
            person: 1, call: 261,
            .writer(.rename(entry: 3793475117, place: 2392950088, name: 987591654))),
          .work(person: 1, turns: 5, hints: .delivered),
          .operation(person: 0, .delete(file: 2518728743)),
          .work(person: 1, turns: 2, hints: .delivered),
          .operation(person: 1, .create(place: 52959023, name: 1884740222, size: 177)),
          .operation(person: 1, .rename(entry: 2743085940, place: 2106967473, name: 3620857924)),
          .operation(person: 0, .create(place: 1303625803, name: 751488089, size: 44)),
          .operation(person: 0, .create(place: 4289414699, name: 1773402880, size: 114)),
          .work(person: 0, turns: 10, hints: .doubled),
          .work(person: 1, turns: 2, hints: .delivered),
          .operation(person: 1, .recreate(file: 676887368, size: 84306)),
          .wait(745),
          .work(person: 1, turns: 20, hints: .delivered),
          .operation(person: 1, .edit(file: 2449007212, size: 192)),
          .operation(person: 0, .rename(entry: 30965633, place: 4146244268, name: 204840948)),
          .work(person: 0, turns: 2, hints: .delivered),
          .operation(person: 1, .edit(file: 2566762817, size: 57)),
          .work(person: 1, turns: 5, hints: .delivered),
        ]))
  ]
}
