import Testing

@testable import Media

@Suite("Which answers are of the same file") struct FileIdentityTests {
  private func version(_ etag: String?, _ date: String? = nil, _ length: Int64? = 1000) -> FileVersion {
    FileVersion(etag: etag, lastModified: date, length: length)
  }

  /// How many times the file is taken for another one, by answers that come one after the other; each time the buffer begins anew.
  private func beginnings(_ answers: [FileVersion]) -> (count: Int, identity: FileIdentity) {
    var identity = FileIdentity()
    var count = 0
    for answer in answers {
      if identity.judge(answer) == .another {
        count += 1
        identity.startAnew()
        // The answer is dropped, and asked for once more.
        continue
      }
      identity.learn(answer)
    }
    return (count, identity)
  }

  @Test("an ETag that changes with each answer costs one new beginning at most, whatever else the server tells")
  func everyAnswerAnother() {
    let plain = beginnings((0..<40).map { version("\"\($0)\"") })
    #expect(plain.count == 1)
    #expect(plain.identity.condition == nil, "what never comes again is no condition")
    // Two machines, and a date that is each answer's own.
    #expect(beginnings((0..<40).map { version("\"\($0 / 2 % 2)\"") }).count == 1)
    #expect(beginnings((0..<40).map { version("\"\($0)\"", "at \($0)") }).count == 1)
    #expect(beginnings((0..<40).map { version(nil, "at \($0)") }).count == 1)
  }

  @Test("where date and length agree, another ETag is no other file")
  func dateAgrees() {
    let found = beginnings((0..<40).map { version("\"\($0)\"", "Mon") })
    #expect(found.count == 0)
    #expect(found.identity.condition == nil)
    #expect(found.identity.version == version(nil, "Mon"))
  }

  @Test("another length is another file, each time, and what was learnt of the ETags before does not hide it")
  func anotherLength() {
    var (_, identity) = beginnings((0..<10).map { version("\"\($0)\"") })
    let found1 = identity.judge(version("\"10\"", nil, 1001))
    #expect(found1 == .another)
    #expect(beginnings((0..<10).flatMap { n in (0..<2).map { _ in version("\"a\(n)\"", nil, Int64(n)) } }).count == 9)
    // No length: there is nothing to hold on to.
    #expect(beginnings([version("\"1\"", nil, nil), version("\"2\"", nil, nil)]).count == 1)
  }

  @Test("one change at the same length is another file, and the next of another length begins to count anew")
  func oneChange() {
    #expect(beginnings([version("\"1\""), version("\"1\""), version("\"2\""), version("\"2\"")]).count == 1)
    var identity = FileIdentity()
    identity.learn(version("\"1\""))
    let found2 = identity.judge(version("\"2\""))
    #expect(found2 == .another)
    identity.startAnew()
    let found3 = identity.judge(version("\"3\"", nil, 2000))
    #expect(found3 == .same)
    identity.learn(version("\"3\"", nil, 2000))
    let found4 = identity.judge(version("\"4\"", nil, 2000))
    #expect(found4 == .another)
  }

  @Test("seen through: only what was asked for on a condition that says nothing any more")
  func seesThrough() {
    var identity = FileIdentity(version("\"1\""))
    let found5 = identity.seesThrough(version("\"2\""))
    #expect(!found5, "the first time it may be another file")
    #expect(identity.condition == "\"1\"")
    let found6 = identity.judge(version("\"2\""))
    #expect(found6 == .another)
    identity.startAnew()
    identity.learn(version("\"3\""))
    let found7 = identity.seesThrough(version("\"3\""))
    #expect(!found7, "the same validator: Range is ignored")
    let found8 = identity.seesThrough(version("\"4\""))
    #expect(found8)
    #expect(identity.condition == nil)
    let found9 = identity.seesThrough(version("\"5\""))
    #expect(!found9, "and there is no condition left to be seen through")
  }
}
