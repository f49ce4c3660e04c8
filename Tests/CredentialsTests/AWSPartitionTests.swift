import Testing

@testable import Credentials

@Suite struct AWSPartitionTests {
  @Test(arguments: [
    ("https://s3.amazonaws.com", "us-east-1"), ("https://s3.eu-central-1.amazonaws.com:443/base", "eu-central-1"),
    ("HTTPS://S3.EU-WEST-1.AMAZONAWS.COM", "eu-west-1"), ("http://s3.ap-southeast-7.amazonaws.com?x", "ap-southeast-7"),
    ("https://s3.dualstack.us-west-2.amazonaws.com", "us-west-2"),
    ("https://s3-fips.us-east-2.amazonaws.com", "us-east-2"),
    ("https://s3-fips.dualstack.us-gov-east-1.amazonaws.com", "us-gov-east-1"),
    ("https://s3.cn-north-1.amazonaws.com.cn", "cn-north-1"),
    ("https://s3.dualstack.cn-northwest-1.amazonaws.com.cn", "cn-northwest-1"),
    ("https://s3.eusc-de-east-1.amazonaws.eu", "eusc-de-east-1"), ("https://s3.amazonaws.eu", "eusc-de-east-1"),
    ("https://s3.dualstack.eusc-de-east-1.amazonaws.eu", "eusc-de-east-1"),
    ("https://s3-fips.eusc-de-east-1.amazonaws.eu", "eusc-de-east-1"),
    ("https://s3.us-iso-east-1.c2s.ic.gov", "us-iso-east-1"),
    ("https://s3.us-isob-east-1.sc2s.sgov.gov", "us-isob-east-1"),
    ("https://s3.eu-isoe-west-1.cloud.adc-e.uk", "eu-isoe-west-1"),
    ("https://s3.us-isof-south-1.csp.hci.ic.gov", "us-isof-south-1"),
    ("https://s3-accelerate.amazonaws.com", "us-east-1"),
    ("https://s3-accelerate.dualstack.amazonaws.com", "us-east-1"),
    ("https://bucket.vpce-0a-1b.s3.eu-west-3.vpce.amazonaws.com", "eu-west-3"),
    ("https://name-123456789012.s3-accesspoint.eu-west-1.amazonaws.com", "eu-west-1"),
    ("https://name-123456789012.s3-accesspoint-fips.dualstack.us-east-1.amazonaws.com", "us-east-1"),
    ("https://s3-fips.s3.eu-north-1.amazonaws.com", "eu-north-1"),
  ]) func s3HostNamesRegion(_ url: String, _ region: String) throws {
    #expect(try #require(AWSHost(url)).region == region)
  }

  @Test(arguments: [
    "https://lambda.eu-west-1.amazonaws.com", "https://sts.amazonaws.com",
    "https://s3.execute-api.eu-west-1.amazonaws.com",
    "https://s3-website-us-east-1.amazonaws.com", "https://s3-outposts.us-west-2.amazonaws.com",
    "https://s3-us-west-2.eu-west-1.amazonaws.com",
  ]) func otherServicesAreNotStorage(_ url: String) throws {
    #expect(try #require(AWSHost(url)).region == nil)
  }

  @Test(arguments: [
    "https://amazonaws.com", "https://s3.amazonaws.com.example.org", "https://s3amazonaws.com",
    "https://s3.amazonaws.eu.org",
    "https://s3.example.org", "https://127.0.0.1:9000", "s3.amazonaws.com", "", "https://", "https://xamazonaws.eu",
  ]) func rejectsLookalikeHosts(_ url: String) { #expect(AWSHost(url) == nil) }

  @Test func partitionsCoverTheirRegions() {
    for partition in AWSPartition.all {
      #expect(AWSPartition.of(region: partition.globalRegion) == partition)
      #expect(AWSPartition.of(arn: "arn:\(partition.name):iam::1:role/up") == partition)
      #expect(AWSHost("https://s3.\(partition.suffix)")?.region != nil)
    }
    for other in ["", "mars-north-1", "global"] { #expect(AWSPartition.of(region: other).name == "aws") }
    for other in ["", "up", "arn", "arn:mars:iam::1:role/up"] { #expect(AWSPartition.of(arn: other).name == "aws") }
  }
}
