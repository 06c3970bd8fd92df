/// Writes introspection XML: what Introspect answers.
enum IntrospectionText {
  static let documentType = """
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">\n
    """

  static func node(_ interfaces: [InterfaceDescription], children: [String]) -> String {
    documentType + "<node>\n" + interfaces.map(\.xml).joined()
      + children.map { "  <node name=\"\($0)\"/>\n" }.joined() + "</node>\n"
  }

  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
  }
}

extension InterfaceDescription {
  /// `<interface>…</interface>`, indented as a child of a node.
  public var xml: String {
    var text = "  <interface name=\"\(name)\">\n"
    for method in methods {
      let inputs = method.inputs.map { Self.xml($0, direction: "in") }
      let outputs = method.outputs.map { Self.xml($0, direction: "out") }
      text += Self.xml("method", "name=\"\(method.name)\"", inputs + outputs + method.annotations.map(Self.xml))
    }
    for signal in signals {
      let arguments = signal.arguments.map { Self.xml($0, direction: nil) }
      text += Self.xml("signal", "name=\"\(signal.name)\"", arguments + signal.annotations.map(Self.xml))
    }
    for property in properties {
      let head = "name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(property.access.rawValue)\""
      text += Self.xml("property", head, property.annotations.map(Self.xml))
    }
    text += annotations.map { "    " + Self.xml($0) + "\n" }.joined()
    return text + "  </interface>\n"
  }

  private static func xml(_ tag: String, _ head: String, _ children: [String]) -> String {
    guard !children.isEmpty else { return "    <\(tag) \(head)/>\n" }
    return "    <\(tag) \(head)>\n" + children.map { "      \($0)\n" }.joined() + "    </\(tag)>\n"
  }

  private static func xml(_ argument: Argument, direction: String?) -> String {
    let name = argument.name.isEmpty ? "" : " name=\"\(IntrospectionText.escaped(argument.name))\""
    let direction = direction.map { " direction=\"\($0)\"" } ?? ""
    return "<arg\(name) type=\"\(argument.type)\"\(direction)/>"
  }

  private static func xml(_ annotation: Annotation) -> String {
    "<annotation name=\"\(IntrospectionText.escaped(annotation.name))\" value=\"\(IntrospectionText.escaped(annotation.value))\"/>"
  }
}
