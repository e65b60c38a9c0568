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
    KeptScript(
      about:
        "a directory that moved by a plan about what is in it was agreed on, and can be deleted",
      script: Script(
        seed: 100_113, people: 3,
        traits: [
          .init(),
          .init(),
          .init(),
        ],
        steps: [
          .operation(person: 2, .create(place: 2_882_550_478, name: 3_384_971_314, size: 106)),
          .operation(person: 2, .makeDirectory(place: 3_221_119_339, name: 1_435_674_759)),
          .work(person: 2, turns: 5, hints: .delivered),
          .operation(person: 2, .delete(file: 503_072_716)),
          .operation(
            person: 2, .rename(entry: 3_959_620_839, place: 2_728_979_250, name: 1_017_659_263)),
          .operation(person: 2, .create(place: 247_904_219, name: 1_411_082_787, size: 32)),
          .work(person: 2, turns: 5, hints: .delivered),
          .operation(person: 2, .deleteTree(directory: 130_542_528)),
          .operation(person: 2, .create(place: 1_494_753_464, name: 44_311_783, size: 95)),
        ])),
    KeptScript(
      about: "what takes the place of a directory that moved and was deleted is no conflict",
      script: Script(
        seed: 100_126, people: 4,
        traits: [
          .init(),
          .init(),
          .init(),
          .init(),
        ],
        steps: [
          .operation(person: 3, .makeDirectory(place: 1_213_944_501, name: 2_251_960_854)),
          .work(person: 3, turns: 10, hints: .doubled),
          .operation(person: 3, .deleteTree(directory: 1_460_196_398)),
          .operation(person: 3, .makeDirectory(place: 3_297_260_535, name: 1_284_184_903)),
          .work(person: 3, turns: 20, hints: .delivered),
          .operation(person: 3, .create(place: 1_726_381_444, name: 2_333_511_898, size: 209)),
          .operation(person: 3, .swap(entry: 473_853_275, other: 1_882_341_432)),
          .work(person: 3, turns: 20, hints: .delivered),
          .operation(person: 3, .deleteTree(directory: 1_697_257_372)),
          .operation(
            person: 3, .rename(entry: 3_036_794_578, place: 1_280_654_484, name: 1_552_215_280)),
        ])),
    KeptScript(
      about: "a file that arrived right before a crash is known where its person moved it",
      script: Script(
        seed: 100_097, people: 3,
        traits: [
          .init(hasBirths: false),
          .init(),
          .init(),
        ],
        steps: [
          .operation(person: 1, .create(place: 2_882_550_478, name: 3_384_971_314, size: 106)),
          .operation(
            person: 1, .rename(entry: 1_977_659_805, place: 3_152_771_521, name: 1_013_102_148)),
          .operation(person: 1, .makeDirectory(place: 3_221_119_339, name: 1_435_674_759)),
          .operation(person: 0, .makeSymlink(place: 672_816_699, name: 4_077_836_616)),
          .operation(person: 1, .create(place: 1_128_506_499, name: 269_074_890, size: 147)),
          .operation(person: 2, .makeDirectory(place: 2_330_773_639, name: 2_159_401_343)),
          .operation(
            person: 2, .rename(entry: 2_148_512_438, place: 1_460_196_398, name: 570_224_749)),
          .operation(person: 2, .makeSymlink(place: 3_478_893_373, name: 2_684_540_504)),
          .work(person: 1, turns: 10, hints: .delivered),
          .interruptDisk(person: 0, call: 4, .crash),
          .work(person: 0, turns: 5, hints: .delivered),
          .interruptDisk(person: 1, call: 86, .crash),
          .work(person: 1, turns: 5, hints: .delivered),
          .operation(person: 2, .create(place: 1_419_065_743, name: 4_250_326_770, size: 149)),
          .work(person: 2, turns: 5, hints: .delivered),
          .operation(person: 1, .makeDirectory(place: 456_791_305, name: 2_300_090_722)),
          .work(person: 0, turns: 3, hints: .delivered),
          .operation(person: 0, .delete(file: 2_197_519_768)),
          .operation(
            person: 1, .rename(entry: 2_571_661_868, place: 3_307_058_867, name: 423_519_280)),
          .work(person: 0, turns: 2, hints: .delivered),
          .operation(
            person: 1, .rename(entry: 2_766_901_799, place: 510_807_519, name: 1_503_153_680)),
          .operation(person: 1, .edit(file: 2_585_383_575, size: 107)),
          .work(person: 1, turns: 2, hints: .delivered),
          .operation(person: 1, .create(place: 3_722_612_266, name: 871_739_627, size: 129)),
          .operation(
            person: 1, .rename(entry: 4_249_025_107, place: 1_727_746_014, name: 3_572_573_168)),
        ])),
    KeptScript(
      about: "a file that left its place at one look is known at its new place at the next",
      script: Script(
        seed: 100_032, people: 3,
        traits: [
          .init(),
          .init(),
          .init(),
        ],
        steps: [
          .operation(person: 0, .create(place: 1_057_028_703, name: 4_070_821_192, size: 7_543)),
          .operation(person: 1, .create(place: 1_423_715_503, name: 4_120_161_516, size: 80)),
          .operation(person: 0, .makeDirectory(place: 151_880_612, name: 4_261_734_486)),
          .work(person: 1, turns: 20, hints: .shuffled),
          .work(person: 0, turns: 3, hints: .delivered),
          .work(person: 2, turns: 20, hints: .delivered),
          .operation(
            person: 2, .rename(entry: 2_728_979_250, place: 1_017_659_263, name: 2_835_221_556)),
          .interruptDisk(
            person: 2, call: 7, .writer(.swap(entry: 3_602_407_160, other: 4_291_260_787))),
          .work(person: 2, turns: 5, hints: .delivered),
          .operation(
            person: 1, .rename(entry: 1_484_967_579, place: 649_128_709, name: 3_789_465_814)),
        ])),
    KeptScript(
      about: "a file put in the place of a deleted one stays, too, where somebody else moved it",
      script: Script(
        seed: 100_027, people: 2,
        traits: [
          .init(hasRenameFlags: false, hasLeases: false),
          .init(),
        ],
        steps: [
          .operation(person: 1, .makeDirectory(place: 280_848_239, name: 1_769_874_373)),
          .operation(person: 1, .create(place: 4_091_579_296, name: 1_135_627_484, size: 162)),
          .operation(person: 1, .makeDirectory(place: 1_716_397_643, name: 3_186_967_853)),
          .operation(person: 1, .create(place: 1_057_028_703, name: 4_070_821_192, size: 7_543)),
          .operation(person: 0, .create(place: 1_423_715_503, name: 4_120_161_516, size: 80)),
          .work(person: 1, turns: 20, hints: .delivered),
          .operation(person: 0, .create(place: 392_545_268, name: 3_143_813_626, size: 108)),
          .work(person: 0, turns: 2, hints: .delivered),
          .work(person: 1, turns: 10, hints: .delivered),
          .operation(person: 0, .delete(file: 2_607_099_877)),
          .operation(person: 0, .create(place: 1_628_463_686, name: 2_681_669_869, size: 118)),
          .work(person: 0, turns: 20, hints: .delivered),
          .operation(person: 0, .create(place: 2_882_550_478, name: 3_384_971_314, size: 106)),
          .operation(person: 0, .delete(file: 2_736_472_939)),
          .operation(person: 0, .makeDirectory(place: 3_221_119_339, name: 1_435_674_759)),
          .operation(
            person: 0, .rename(entry: 1_463_930_223, place: 2_543_469_487, name: 3_560_058_097)),
          .operation(
            person: 1, .rename(entry: 2_728_979_250, place: 1_017_659_263, name: 2_835_221_556)),
        ])),
    KeptScript(
      about:
        "a file that was edited and deleted here comes back, edited, where somebody else moved it",
      script: Script(
        seed: 100_008, people: 2,
        traits: [
          .init(),
          .init(hasBirths: false),
        ],
        steps: [
          .operation(person: 0, .create(place: 292_875_040, name: 909_444_098, size: 34)),
          .operation(person: 0, .create(place: 1_135_627_484, name: 4_133_543_977, size: 74)),
          .operation(person: 1, .create(place: 2_607_099_877, name: 3_089_526_266, size: 87)),
          .operation(person: 0, .create(place: 2_882_550_478, name: 3_384_971_314, size: 106)),
          .operation(person: 0, .delete(file: 2_736_472_939)),
          .operation(person: 0, .create(place: 1_128_506_499, name: 269_074_890, size: 147)),
          .work(person: 1, turns: 10, hints: .doubled),
          .operation(person: 1, .create(place: 358_885_054, name: 733_547_393, size: 191)),
          .operation(person: 0, .delete(file: 3_261_404_964)),
          .operation(person: 0, .makeSymlink(place: 3_478_893_373, name: 2_684_540_504)),
          .work(person: 0, turns: 5, hints: .delivered),
          .work(person: 1, turns: 3, hints: .delivered),
          .operation(person: 1, .delete(file: 700_976_767)),
          .operation(
            person: 0, .rename(entry: 3_198_222_583, place: 210_401_902, name: 2_156_331_441)),
          .operation(person: 1, .replace(file: 3_329_207_603, size: 144)),
          .work(person: 1, turns: 2, hints: .delivered),
          .operation(person: 1, .delete(file: 3_119_412_764)),
        ])),
    KeptScript(
      about: "what is set aside from a directory finds room beside a file of that name",
      script: Script(
        seed: 100_079, people: 3,
        traits: [
          .init(hasRenameFlags: false),
          .init(),
          .init(),
        ],
        steps: [
          .operation(person: 0, .makeDirectory(place: 1_799_456_638, name: 1_871_203_987)),
          .operation(person: 0, .create(place: 722_672_365, name: 4_262_542_468, size: 123)),
          .work(person: 0, turns: 10, hints: .delivered),
          .setPermission(person: 1, mayWrite: false),
          .operation(person: 1, .create(place: 1_079_409_577, name: 1_483_876_393, size: 4_556)),
          .work(person: 1, turns: 10, hints: .doubled),
          .operation(person: 1, .beginWriting(file: 2_183_231_208)),
        ])),
    KeptScript(
      about: "a file whose bytes stand in a conflict copy is replaced in one step",
      script: Script(
        seed: 100_454, people: 4,
        traits: [
          .init(),
          .init(),
          .init(hasBirths: false),
          .init(),
        ],
        steps: [
          .operation(person: 2, .create(place: 1_516_807_427, name: 3_160_228_049, size: 64)),
          .work(person: 2, turns: 20, hints: .delivered),
          .work(person: 1, turns: 2, hints: .delivered),
          .operation(person: 0, .create(place: 2_049_730_255, name: 1_264_972_914, size: 199)),
          .operation(
            person: 0, .rename(entry: 1_317_213_730, place: 1_619_696_953, name: 1_384_754_951)),
          .work(person: 0, turns: 3, hints: .delivered),
          .operation(person: 1, .replace(file: 3_329_207_603, size: 144)),
          .work(person: 1, turns: 2, hints: .delivered),
          .operation(
            person: 0, .rename(entry: 2_958_325_555, place: 817_259_682, name: 1_883_363_135)),
        ])),
    KeptScript(
      about: "a file that was moved unheard stays, too, where somebody else moved it",
      script: Script(
        seed: 100_098, people: 5,
        traits: [
          .init(hasRenameFlags: false),
          .init(),
          .init(),
          .init(hasBirths: false),
          .init(),
        ],
        steps: [
          .operation(person: 2, .create(place: 2_049_730_255, name: 1_264_972_914, size: 199)),
          .work(person: 2, turns: 3, hints: .delivered),
          .work(person: 3, turns: 5, hints: .delivered),
          .work(person: 0, turns: 3, hints: .delivered),
          .operation(
            person: 3, .rename(entry: 2_571_661_868, place: 3_307_058_867, name: 423_519_280)),
          .operation(
            person: 0, .rename(entry: 123_969_382, place: 1_435_258_624, name: 3_056_382_787)),
          .work(person: 3, turns: 2, hints: .delivered),
          .work(person: 0, turns: 20, hints: .lost),
        ])),
    KeptScript(
      about: "a file that stands aside for another when the machine stops is not taken for edited",
      script: Script(
        seed: 300_800, people: 2,
        traits: [
          .init(hasBirths: false),
          .init(hasLeases: false),
        ],
        steps: [
          .operation(person: 1, .create(place: 2_066_892_836, name: 1_480_124_741, size: 122)),
          .operation(person: 1, .create(place: 2_670_006_925, name: 1_691_311_502, size: 141)),
          .operation(person: 0, .create(place: 3_980_082_405, name: 854_168_331, size: 61)),
          .work(person: 0, turns: 5, hints: .delivered),
          .work(person: 1, turns: 1, hints: .delivered),
          .work(person: 0, turns: 1, hints: .delivered),
          .operation(person: 1, .append(file: 3_424_738_777)),
          .operation(person: 1, .swap(entry: 2_256_005_606, other: 1_244_050_194)),
          .interruptDisk(person: 0, call: 27, .powerCut),
          .work(person: 1, turns: 5, hints: .delivered),
          .work(person: 0, turns: 10, hints: .delivered),
        ])),
    KeptScript(
      about: "nodes in a directory that could be removed don't stay without a way to them",
      script: Script(
        seed: 900_061, people: 3, traits: [.init(), .init(), .init()],
        steps: [
          .operation(person: 2, .makeDirectory(place: 3_649_849_726, name: 4_122_356_815)),
          .operation(person: 2, .makeDirectory(place: 2_779_767_806, name: 1_629_020_451)),
          .operation(person: 2, .makeDirectory(place: 2_830_268_959, name: 839_290_367)),
          .work(person: 2, turns: 20, hints: .doubled),
          .work(person: 0, turns: 20, hints: .delivered),
          .operation(person: 2, .deleteTree(directory: 1_395_001_850)),
          .work(person: 2, turns: 10, hints: .lost),
          .operation(person: 0, .deleteTree(directory: 3_259_176_867)),
          .work(person: 0, turns: 2, hints: .overflow),
          .work(person: 2, turns: 10, hints: .delivered),
        ])),
    KeptScript(
      about: "a directory that was made for the zone isn't its person's own when the zone drops it",
      script: Script(
        seed: 920_510, people: 4, traits: [.init(), .init(), .init(), .init()],
        steps: [
          .operation(person: 3, .makeDirectory(place: 3_396_055_510, name: 3_590_983_389)),
          .work(person: 3, turns: 2, hints: .delivered),
          .operation(person: 3, .deleteTree(directory: 1_729_917_434)),
          .work(person: 2, turns: 1, hints: .delivered),
          .operation(person: 3, .create(place: 1_704_340_716, name: 2_930_262_657, size: 43)),
          .work(person: 3, turns: 10, hints: .delivered),
        ])),
    KeptScript(
      about: "what was parked in a turn that failed is taken up in the next",
      script: Script(
        seed: 1_000_747, people: 5,
        traits: [.init(), .init(), .init(), .init(), .init(hasLeases: false)],
        steps: [
          .operation(person: 4, .create(place: 4_266_402_250, name: 3_714_964_593, size: 45)),
          .operation(person: 1, .makeDirectory(place: 2_220_117_906, name: 2_669_123_714)),
          .operation(person: 3, .create(place: 1_640_016_623, name: 2_102_712_068, size: 111)),
          .operation(person: 0, .create(place: 3_447_181_122, name: 3_981_276_596, size: 193)),
          .operation(person: 0, .create(place: 733_547_488, name: 1_088_458_473, size: 56)),
          .work(person: 0, turns: 20, hints: .delivered),
          .work(person: 1, turns: 20, hints: .delivered),
          .work(person: 3, turns: 20, hints: .delivered),
          .work(person: 4, turns: 20, hints: .delivered),
          .work(person: 0, turns: 10, hints: .delivered),
          .interruptDisk(person: 0, call: 30, .overQuota),
          .operation(
            person: 1, .rename(entry: 2_269_644_329, place: 3_235_351_536, name: 142_785_460)),
          .operation(person: 1, .create(place: 3_640_033_683, name: 345_826_628, size: 125)),
          .work(person: 0, turns: 5, hints: .doubled),
          .operation(person: 1, .edit(file: 3_239_894_120, size: 206)),
          .operation(person: 0, .delete(file: 1_752_756_177)),
          .interruptDisk(person: 0, call: 45, .broken),
          .work(person: 0, turns: 2, hints: .delivered),
          .operation(person: 1, .swap(entry: 3_338_972_973, other: 1_156_819_280)),
          .work(person: 1, turns: 2, hints: .delivered),
          .interruptDisk(person: 0, call: 14, .tooManyFiles),
          .work(person: 0, turns: 2, hints: .delivered),
        ])),
    KeptScript(
      about:
        "a directory moved into one that moved, where a file stood that was moved over another",
      script: Script(
        seed: 128006884, people: 3,
        traits: [
          .init(),
          .init(),
          .init(),
        ],
        steps: [
          .operation(person: 2, .makeDirectory(place: 3092763367, name: 3315491950)),
          .operation(person: 2, .makeDirectory(place: 2049452372, name: 73758701)),
          .operation(person: 1, .create(place: 1698547276, name: 2875147121, size: 149)),
          .operation(person: 1, .create(place: 3674042920, name: 1208072373, size: 193)),
          .operation(person: 1, .create(place: 3130500935, name: 760839114, size: 149)),
          .operation(person: 0, .create(place: 215938340, name: 921328202, size: 184)),
          .operation(person: 2, .makeDirectory(place: 1257092404, name: 486847220)),
          .operation(person: 0, .makeDirectory(place: 116371303, name: 2233836197)),
          .work(person: 1, turns: 3, hints: .delivered),
          .interruptDisk(person: 2, call: 20, .crash),
          .work(person: 2, turns: 5, hints: .delivered),
          .work(person: 0, turns: 10, hints: .delivered),
          .interruptStore(person: 2, call: 7, .race(with: 1)),
          .work(person: 2, turns: 20, hints: .delivered),
          .operation(person: 2, .rename(entry: 3964890324, place: 513612392, name: 926715767)),
          .operation(person: 2, .delete(file: 3365102774)),
          .operation(person: 2, .rename(entry: 2556394279, place: 647341964, name: 513641836)),
          .operation(person: 2, .deleteTree(directory: 3726101749)),
          .operation(person: 2, .create(place: 3054581467, name: 290722403, size: 110)),
          .operation(person: 2, .create(place: 2552386793, name: 775035865, size: 31)),
          .operation(person: 2, .makeSymlink(place: 503192238, name: 2306869553)),
          .work(person: 2, turns: 10, hints: .delivered),
          .operation(person: 2, .create(place: 4060957198, name: 114141261, size: 130)),
          .operation(person: 2, .rename(entry: 1635140009, place: 626000199, name: 670283242)),
          .operation(person: 2, .rename(entry: 1026691387, place: 3961193525, name: 2646324125)),
          .operation(person: 2, .rename(entry: 4078621515, place: 2902953423, name: 3258058595)),
        ])),
    KeptScript(
      about: "a file is replaced under its new name while its old one is taken away",
      script: Script(
        seed: 128019152, people: 2,
        traits: [
          .init(hasRenameFlags: false, hasBirths: false, hasLeases: true, granularity: 1),
          .init(),
        ],
        steps: [
          .operation(person: 0, .create(place: 303611671, name: 2105963233, size: 180)),
          .operation(person: 1, .create(place: 3070021854, name: 2953394240, size: 49)),
          .operation(person: 0, .makeDirectory(place: 1620039345, name: 2326246203)),
          .operation(person: 0, .create(place: 706045690, name: 1939580453, size: 173)),
          .operation(person: 1, .makeDirectory(place: 1500462129, name: 2264946473)),
          .work(person: 0, turns: 20, hints: .delivered),
          .work(person: 1, turns: 20, hints: .delivered),
          .operation(person: 1, .makeSymlink(place: 532158382, name: 3921149637)),
          .interruptDisk(
            person: 0, call: 4, .writer(.makeDirectory(place: 1284227087, name: 87172726))),
          .work(person: 0, turns: 1, hints: .delivered),
          .operation(person: 0, .changeMode(file: 1778242368)),
          .operation(person: 1, .delete(file: 3080954982)),
          .work(person: 1, turns: 3, hints: .shuffled),
          .operation(person: 0, .delete(file: 4248745190)),
          .work(person: 0, turns: 10, hints: .delivered),
          .operation(person: 1, .deleteTree(directory: 4165250077)),
          .work(person: 1, turns: 20, hints: .delivered),
          .operation(person: 0, .recreate(file: 3397150292, size: 57)),
          .operation(person: 0, .rename(entry: 2759627603, place: 1257924012, name: 334687824)),
          .operation(person: 1, .delete(file: 2017493806)),
          .interruptDisk(person: 1, call: 206, .writer(.append(file: 3769552994))),
          .work(person: 1, turns: 5, hints: .delivered),
          .operation(person: 0, .append(file: 2874122427)),
          .interruptDisk(
            person: 1, call: 14,
            .writer(.rename(entry: 4284576773, place: 3686049660, name: 2651091011))),
          .work(person: 1, turns: 2, hints: .delivered),
          .restart(person: 0),
          .operation(person: 1, .create(place: 3177676947, name: 234035430, size: 159)),
          .operation(person: 1, .delete(file: 239229332)),
          .operation(person: 0, .create(place: 2274394021, name: 1151329031, size: 205)),
          .wait(1890),
          .work(person: 1, turns: 20, hints: .delivered),
          .work(person: 0, turns: 20, hints: .delivered),
          .operation(person: 1, .create(place: 2603783388, name: 1830550380, size: 104)),
          .operation(person: 1, .edit(file: 1815799523, size: 27)),
          .interruptDisk(person: 0, call: 31, .writer(.replace(file: 296350347, size: 125))),
          .work(person: 0, turns: 2, hints: .delivered),
          .operation(person: 1, .rename(entry: 818252044, place: 2316712319, name: 2918046466)),
          .operation(person: 0, .edit(file: 1759993952, size: 61)),
          .operation(person: 0, .deleteTree(directory: 3996983024)),
          .work(person: 1, turns: 20, hints: .delivered),
          .work(person: 0, turns: 1, hints: .delivered),
        ])),
  ]
}
