extension LibraryInterface {
  /// `dbus/interfaces/net.sdf1.ipodderx.Library1.xml`, word for word: a test holds the two together.
  static let xml = """
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
    <node>
      <interface name="net.sdf1.ipodderx.Library1">
        <method name="ListChildren">
          <arg name="id" type="s" direction="in"/>
          <arg name="offset" type="u" direction="in"/>
          <arg name="max" type="u" direction="in"/>
          <arg name="items" type="aa{sv}" direction="out"/>
          <arg name="total" type="u" direction="out"/>
          <arg name="counter" type="u" direction="out"/>
        </method>
        <method name="GetItem">
          <arg name="id" type="s" direction="in"/>
          <arg name="item" type="a{sv}" direction="out"/>
        </method>
        <method name="Search">
          <arg name="text" type="s" direction="in"/>
          <arg name="offset" type="u" direction="in"/>
          <arg name="max" type="u" direction="in"/>
          <arg name="items" type="aa{sv}" direction="out"/>
          <arg name="total" type="u" direction="out"/>
        </method>
        <method name="Play">
          <arg name="id" type="s" direction="in"/>
          <arg name="within" type="s" direction="in"/>
        </method>
        <method name="Enqueue">
          <arg name="id" type="s" direction="in"/>
          <arg name="where" type="s" direction="in"/>
        </method>
        <method name="SetRead">
          <arg name="id" type="s" direction="in"/>
          <arg name="read" type="b" direction="in"/>
        </method>
        <method name="SetStarred">
          <arg name="id" type="s" direction="in"/>
          <arg name="starred" type="b" direction="in"/>
        </method>
        <method name="SetView">
          <arg name="id" type="s" direction="in"/>
          <arg name="filter" type="s" direction="in"/>
          <arg name="order" type="s" direction="in"/>
        </method>
        <method name="Keep">
          <arg name="id" type="s" direction="in"/>
        </method>
        <method name="Unkeep">
          <arg name="id" type="s" direction="in"/>
        </method>
        <method name="ClearKept"/>
        <method name="Refresh"/>
        <signal name="ChildrenChanged">
          <arg name="id" type="s"/>
          <arg name="counter" type="u"/>
        </signal>
        <signal name="ItemChanged">
          <arg name="id" type="s"/>
          <arg name="changed" type="a{sv}"/>
        </signal>
        <property name="Counter" type="u" access="read"/>
        <property name="Unread" type="u" access="read"/>
        <property name="Server" type="s" access="read"/>
        <property name="State" type="s" access="read"/>
        <property name="Synced" type="x" access="read"/>
      </interface>
    </node>

    """
}
