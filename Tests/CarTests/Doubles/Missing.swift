/// What a test waited for and did not get.
struct Missing: Error, CustomStringConvertible {
  var description: String
}
