import Jobs
import Testing

/// The descriptors of the process, divided.
@Suite struct DescriptorPlanTests {
  @Test(arguments: [
    (0, 1), (64, 24), (256, 96), (1024, 384), (8191, 3839), (8192, 3840), (1 << 20, 524_032),
  ]) func dividesDescriptors(_ all: Int, _ slots: Int) {
    #expect(DescriptorPlan(all).slots == slots)
  }

  /// With all attempts under way, each with a connection and a file, a quarter is left for the rest, up to 512.
  @Test func leavesDescriptorsForTheRest() {
    for all in [64, 100, 1000, 1024, 4096, 8192, 65_536] {
      let plan = DescriptorPlan(all)
      #expect(all - 2 * plan.slots >= min(512, all / 4), "\(all)")
      #expect(plan.callers <= max(8, all / 16))
    }
    #expect(DescriptorPlan(-1).all == 0)
  }
}
