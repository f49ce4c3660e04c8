import Jobs
import Testing

/// The descriptors of the process, divided.
@Suite struct DescriptorPlanTests {
  @Test(arguments: [
    (0, 0, 1), (64, 16, 16), (256, 64, 64), (1024, 256, 256), (8191, 2047, 2816), (8192, 2048, 2816),
    (1 << 20, 2048, 523_008),
  ]) func dividesDescriptors(_ all: Int, _ kept: Int, _ slots: Int) {
    let plan = DescriptorPlan(all)
    #expect(plan.keptFiles == kept && plan.slots == slots, "\(plan)")
  }

  /// With all attempts under way, each with a connection and a file, and all files kept, a quarter is left for the rest, up to 512.
  @Test func leavesDescriptorsForTheRest() {
    for all in [64, 100, 1000, 1024, 4096, 8192, 65_536] {
      let plan = DescriptorPlan(all)
      #expect(all - plan.keptFiles - 2 * plan.slots >= min(512, all / 4), "\(all)")
      #expect(plan.callers <= max(8, all / 16))
    }
    #expect(DescriptorPlan(-1).all == 0)
  }
}
