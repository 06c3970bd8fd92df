import CDBus

/// An interface as its introspection XML says it (D-Bus specification, "Introspection Data Format").
public struct InterfaceDescription: Sendable, Equatable {
  public struct Argument: Sendable, Equatable {
    public var name: String
    public var type: String
  }

  public struct Method: Sendable, Equatable {
    public var name: String
    public var inputs: [Argument]
    public var outputs: [Argument]
    public var annotations: [Annotation]
    /// The input types joined, as a message's signature has them; the output types likewise.
    public let inputSignature: String
    public let outputSignature: String
  }

  public struct Signal: Sendable, Equatable {
    public var name: String
    public var arguments: [Argument]
    public var annotations: [Annotation]
  }

  public struct Property: Sendable, Equatable {
    public enum Access: String, Sendable { case read, write, readwrite }
    /// `org.freedesktop.DBus.Property.EmitsChangedSignal`.
    public enum Change: String, Sendable {
      case value = "true"
      case invalidates
      case constant = "const"
      case never = "false"
    }

    public var name: String
    public var type: String
    public var access: Access
    public var change: Change
    public var annotations: [Annotation]

    public var isReadable: Bool { access != .write }
    public var isWritable: Bool { access != .read }
  }

  public struct Annotation: Sendable, Equatable {
    public var name: String
    public var value: String
  }

  public let name: String
  public let methods: [Method]
  public let signals: [Signal]
  public let properties: [Property]
  public let annotations: [Annotation]

  private let methodsByName: [String: Int]
  private let propertiesByName: [String: Int]
  let readableNames: [String]

  public func method(_ name: String) -> Method? { methodsByName[name].map { methods[$0] } }
  public func property(_ name: String) -> Property? { propertiesByName[name].map { properties[$0] } }
  public func signal(_ name: String) -> Signal? { signals.first { $0.name == name } }

  init(name: String, methods: [Method], signals: [Signal], properties: [Property], annotations: [Annotation]) {
    self.name = name
    self.methods = methods
    self.signals = signals
    self.properties = properties
    self.annotations = annotations
    methodsByName = Dictionary(methods.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    propertiesByName = Dictionary(properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    readableNames = properties.filter(\.isReadable).map(\.name)
  }
}

extension InterfaceDescription {
  /// `xml` is an `<interface>`, or a `<node>` whose first interface is meant.
  /// - Throws: `InvalidArgs`, with what is wrong where.
  public init(xml: String) throws(DBusError) {
    let root: MarkupReader.Element
    do {
      root = try MarkupReader.root(of: xml)
    } catch {
      throw .invalidArgs("Introspection XML: \(error)")
    }
    let element = root.name == "interface" ? root : root.children.first { $0.name == "interface" }
    guard let element, let name = element.attributes["name"], dbus_validate_interface(name, nil) != 0 else {
      throw .invalidArgs("Introspection XML without a named interface.")
    }
    var methods: [Method] = []
    var signals: [Signal] = []
    var properties: [Property] = []
    for child in element.children {
      switch child.name {
      case "method":
        let inputs = try Self.arguments(of: child) { $0 != "out" }
        let outputs = try Self.arguments(of: child) { $0 == "out" }
        methods.append(Method(try Self.member(child), inputs, outputs, Self.annotations(of: child)))
      case "signal":
        let arguments = try Self.arguments(of: child) { _ in true }
        signals.append(Signal(name: try Self.member(child), arguments: arguments, annotations: Self.annotations(of: child)))
      case "property": properties.append(try Self.property(child, Self.annotations(of: element)))
      default: break
      }
    }
    self.init(
      name: name, methods: methods, signals: signals, properties: properties, annotations: Self.annotations(of: element))
  }

  private static let emitsChanged = "org.freedesktop.DBus.Property.EmitsChangedSignal"

  private static func property(
    _ element: MarkupReader.Element, _ outer: [Annotation]
  ) throws(DBusError) -> Property {
    let annotations = annotations(of: element)
    // The interface's own annotation is the default of its properties.
    let change = (annotations + outer).first { $0.name == emitsChanged }?.value ?? Property.Change.value.rawValue
    guard let access = Property.Access(rawValue: element.attributes["access"] ?? ""),
      let change = Property.Change(rawValue: change)
    else { throw .invalidArgs("Introspection XML: access or change of \(element.attributes["name"] ?? "a property")") }
    return Property(
      name: try member(element), type: try type(element), access: access, change: change, annotations: annotations)
  }

  private static func member(_ element: MarkupReader.Element) throws(DBusError) -> String {
    guard let name = element.attributes["name"], dbus_validate_member(name, nil) != 0 else {
      throw .invalidArgs("Introspection XML: a \(element.name) without a valid name.")
    }
    return name
  }

  private static func type(_ element: MarkupReader.Element) throws(DBusError) -> String {
    guard let type = element.attributes["type"], DBusSignature.isSingle(type) else {
      throw .invalidArgs("Introspection XML: \(element.attributes["name"] ?? element.name) has no valid type.")
    }
    return type
  }

  private static func arguments(
    of element: MarkupReader.Element, _ isWanted: (String?) -> Bool
  ) throws(DBusError) -> [Argument] {
    var arguments: [Argument] = []
    for child in element.children where child.name == "arg" && isWanted(child.attributes["direction"]) {
      arguments.append(Argument(name: child.attributes["name"] ?? "", type: try type(child)))
    }
    return arguments
  }

  private static func annotations(of element: MarkupReader.Element) -> [Annotation] {
    element.children.compactMap { child in
      guard child.name == "annotation", let name = child.attributes["name"], let value = child.attributes["value"] else {
        return nil
      }
      return Annotation(name: name, value: value)
    }
  }
}

extension InterfaceDescription.Method {
  init(
    _ name: String, _ inputs: [InterfaceDescription.Argument], _ outputs: [InterfaceDescription.Argument],
    _ annotations: [InterfaceDescription.Annotation]
  ) {
    self.name = name
    self.inputs = inputs
    self.outputs = outputs
    self.annotations = annotations
    inputSignature = inputs.map(\.type).joined()
    outputSignature = outputs.map(\.type).joined()
  }
}
