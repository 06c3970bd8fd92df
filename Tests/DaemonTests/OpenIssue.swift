import Glibc
import Testing

/// Rules that do not hold yet: their tests run where IPODDERX_OPEN is set, so that nobody takes them for held.
enum OpenIssue {
  static var trait: ConditionTrait { .enabled(if: getenv("IPODDERX_OPEN") != nil, "does not hold yet; IPODDERX_OPEN=1 runs it") }
}
