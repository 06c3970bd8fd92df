extension PlayerInterface {
  /// `dbus/interfaces/net.sdf1.ipodderx.Player1.xml`, word for word: a test holds the two together.
  static let xml = """
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
    <node>
      <interface name="net.sdf1.ipodderx.Player1">
        <method name="Skip">
          <arg name="offset" type="x" direction="in"/>
        </method>
        <method name="GoToChapter">
          <arg name="index" type="u" direction="in"/>
        </method>
        <method name="Sleep">
          <arg name="mode" type="s" direction="in"/>
          <arg name="time" type="x" direction="in"/>
        </method>
        <method name="ListOutputs">
          <arg name="outputs" type="aa{sv}" direction="out"/>
        </method>
        <method name="SetOutput">
          <arg name="id" type="s" direction="in"/>
        </method>
        <method name="Queue">
          <arg name="offset" type="u" direction="in"/>
          <arg name="max" type="u" direction="in"/>
          <arg name="items" type="aa{sv}" direction="out"/>
          <arg name="total" type="u" direction="out"/>
        </method>
        <method name="Remove">
          <arg name="index" type="u" direction="in"/>
        </method>
        <method name="Move">
          <arg name="from" type="u" direction="in"/>
          <arg name="to" type="u" direction="in"/>
        </method>
        <method name="ClearQueue"/>
        <property name="State" type="s" access="read"/>
        <property name="Problem" type="s" access="read"/>
        <property name="SleepMode" type="s" access="read"/>
        <property name="SleepRemaining" type="x" access="read">
          <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
        </property>
        <property name="Buffered" type="x" access="read">
          <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
        </property>
        <property name="Chapters" type="aa{sv}" access="read"/>
        <property name="Chapter" type="i" access="read"/>
        <property name="Output" type="s" access="read"/>
        <property name="DeadAir" type="b" access="readwrite"/>
        <property name="Overridden" type="as" access="read">
          <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
        </property>
      </interface>
    </node>

    """
}
