import Testing

@testable import ObjectStorage

struct PartPlanTests {
  private static let mebibyte: Int64 = 1 << 20

  /// A file's size, the most parts that the storage takes, and the parts' size in mebibytes where 5 are wanted.
  @Test(arguments: [
    (0, 10_000, 5), (1, 10_000, 5), (5 * mebibyte, 10_000, 5), (6 * mebibyte, 10_000, 5),
    (50_000 * mebibyte, 10_000, 5), (50_000 * mebibyte + 1, 10_000, 6), (60_000 * mebibyte, 10_000, 6),
    (60_000 * mebibyte + 1, 10_000, 7), (5000 * mebibyte, 1000, 5), (5001 * mebibyte, 1000, 6),
    (5_000_000 * mebibyte, 1000, 5000),
  ]) func partSizeGrowsWhereTheStorageTakesFewerParts(_ size: Int64, _ most: Int, _ partSize: Int64) {
    let plan = PartPlan(size: size, wanted: 5 * Self.mebibyte, most: most)
    #expect(plan.partSize == partSize * Self.mebibyte)
    #expect(plan.count == Int(max(1, (size + plan.partSize - 1) / plan.partSize)) && plan.count <= most)
  }

  @Test(arguments: [0, 1, 9, 10, 11, 99, 100, 101]) func partsCoverFileOnce(_ size: Int64) {
    let plan = PartPlan(size: size, partSize: 10)
    var end: Int64 = 0
    for number in 1...plan.count {
      let part = plan.part(number)
      #expect(part.offset == end)
      #expect(part.count == 10 || number == plan.count)
      end = part.offset + part.count
    }
    #expect(end == size)
  }
}

struct ExtremePartPlanTests {
  private static let numbers: [Int64] = [.min, -1, 0, 1, 1 << 31, 5 << 40, 5 << 60, .max - 1, .max]

  @Test func anySizeHasPlan() {
    for size in Self.numbers where size >= 0 {
      for other in Self.numbers {
        for plan in [
          PartPlan(size: size, partSize: other), PartPlan(size: size, wanted: max(5 << 20, other)),
          PartPlan(size: size, wanted: 5 << 20, most: 1),
        ] {
          #expect(plan.count >= 1)
          let last = plan.part(plan.count)
          #expect(last.offset >= 0 && last.offset + last.count == size, "\(plan)")
        }
      }
    }
  }
}
