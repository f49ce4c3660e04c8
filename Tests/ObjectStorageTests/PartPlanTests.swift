import Testing

@testable import ObjectStorage

struct PartPlanTests {
  private static let mebibyte: Int64 = 1 << 20

  @Test(
    arguments: [
      (0, 5, 5, 1), (1, 5, 5, 1), (5, 5, 5, 1), (6, 5, 5, 2), (50_000, 5, 5, 10_000),
    ] as [(Int64, Int64, Int64, Int)])
  func keepsRequestedSizeWithin10000Parts(
    _ size: Int64, _ wanted: Int64, _ partSize: Int64, _ count: Int
  ) {
    let plan = PartPlan(size: size * Self.mebibyte, wanted: wanted * Self.mebibyte)
    #expect(plan.partSize == partSize * Self.mebibyte)
    #expect(plan.count == count)
  }

  @Test(arguments: [
    (50_000 * mebibyte + 1, 6 * mebibyte), (60_000 * mebibyte, 6 * mebibyte), (60_000 * mebibyte + 1, 7 * mebibyte),
  ]) func partSizeGrowsByMebibytes(_ size: Int64, _ partSize: Int64) {
    let plan = PartPlan(size: size, wanted: 5 * Self.mebibyte)
    #expect(plan.partSize == partSize)
    #expect(plan.count <= 10_000)
  }

  @Test(
    arguments: [
      (1000, 5), (5000, 5), (5001, 6), (5_000_000, 5000),
    ] as [(Int64, Int64)]) func respectsStoragePartLimit(_ mebibytes: Int64, _ partSize: Int64)
  {
    let plan = PartPlan(size: mebibytes * Self.mebibyte, wanted: 5 * Self.mebibyte, most: 1000)
    #expect(plan.partSize == partSize * Self.mebibyte)
    #expect(plan.count <= 1000)
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

/// Sizes and parts of sizes that no file should have.
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
