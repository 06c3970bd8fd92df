/// The interface as `dbus/interfaces` has it; a test holds the two together.
enum CarXML {
  static let text = """
    <interface name="net.sdf1.ipodderx.Car1">
      <!-- Serves an AVRCP controller over connected SOCK_SEQPACKET descriptors: control, and browsing if there is one. Options: version
           s (1.0 to 1.6), features q (of its controller record), targetFeatures q (of its target
           record: 2 for a volume that can be set), controlMTU q, browsingMTU q. It ends with its channel or its caller. -->
      <method name="AttachTarget">
        <arg name="channels" type="ah" direction="in"/>
        <arg name="options" type="a{sv}" direction="in"/>
        <arg name="session" type="u" direction="out"/>
      </method>
      <method name="Detach">
        <arg name="session" type="u" direction="in"/>
      </method>
      <!-- layer s (bluez, own, none), sentence s, adapters aa{sv}, cars aa{sv}. -->
      <method name="Status">
        <arg name="status" type="a{sv}" direction="out"/>
      </method>
      <signal name="Ended">
        <arg name="session" type="u"/>
      </signal>
    </interface>
    """
}
