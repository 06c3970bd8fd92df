import DBus
import Testing

@Suite struct InterfaceDescriptionTests {
  @Test("XML as found in the field: declarations, comments, entities, a node around it")
  func reads() throws {
    let description = try InterfaceDescription(
      xml: """
        <?xml version="1.0"?>
        <!DOCTYPE node PUBLIC "x" "y">
        <!-- <interface name="not.this"/> -->
        <node name='/a'>
          <interface name="a.b">
            <method name="M"><arg type="s"/><arg name="o" type="a{sv}" direction='out'/>
              <annotation name="org.freedesktop.DBus.Deprecated" value="a &lt;&amp;&#x41;"/></method>
            <doc:doc xmlns:doc="x"><doc:para>words &amp; more</doc:para></doc:doc>
            <property name="P" type="x" access="read"/>
            <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
          </interface>
        </node>
        """)
    #expect(description.name == "a.b")
    #expect(description.method("M")?.inputSignature == "s")
    #expect(description.method("M")?.outputSignature == "a{sv}")
    #expect(description.method("M")?.annotations.first?.value == "a <&A")
    #expect(description.property("P")?.change == .never)
    #expect(try InterfaceDescription(xml: description.xml) == description)
  }

  @Test(
    "what is wrong is an error, never a trap",
    arguments: [
      "", "<", "<interface", "<interface>", "<interface name=", "<interface name='a'/>", "<interface name='a.b'>",
      "<interface name='a.b'></x>", "<interface name='a.b'><method/></interface>", "<interface name='a.b'><!--",
      "<interface name='a.b'><method name='1'/></interface>",
      "<interface name='a.b'><method name='M'><arg/></method></interface>",
      "<interface name='a.b'><method name='M'><arg type='ss'/></method></interface>", "<interface name='a.b&;'/>",
      "<interface name='a.b&#x110000;'/>", "<interface name='a.b&#99999999999;'/>", "<node/>", "<interface name=a.b/>",
      "<interface name='a.b'><property name='P' type='s' access='no'/></interface>", String(repeating: "<a>", count: 10_000),
      "<interface name='a.b'><property name='P' type='' access='read'/></interface>",
    ])
  func refuses(xml: String) {
    #expect(throws: DBusError.self) { try InterfaceDescription(xml: xml) }
  }

  @Test("cut anywhere, the XML is read or refused")
  func cut() {
    let xml = EchoInterface.xml
    for length in 0..<xml.utf8.count - 1 {
      #expect(throws: DBusError.self) { try InterfaceDescription(xml: String(xml.prefix(length))) }
    }
  }
}
