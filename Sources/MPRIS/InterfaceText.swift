/// The four interfaces as `dbus/interfaces` has them; a test holds the two together.
enum InterfaceText {
  static let root = """
    <interface name="org.mpris.MediaPlayer2">
      <method name="Raise"/>
      <method name="Quit"/>
      <property name="CanQuit" type="b" access="read"/>
      <property name="CanRaise" type="b" access="read"/>
      <property name="HasTrackList" type="b" access="read"/>
      <property name="Identity" type="s" access="read"/>
      <property name="DesktopEntry" type="s" access="read"/>
      <property name="SupportedUriSchemes" type="as" access="read"/>
      <property name="SupportedMimeTypes" type="as" access="read"/>
    </interface>
    """

  static let player = """
    <interface name="org.mpris.MediaPlayer2.Player">
      <method name="Next"/>
      <method name="Previous"/>
      <method name="Pause"/>
      <method name="PlayPause"/>
      <method name="Stop"/>
      <method name="Play"/>
      <method name="Seek">
        <arg name="Offset" type="x" direction="in"/>
      </method>
      <method name="SetPosition">
        <arg name="TrackId" type="o" direction="in"/>
        <arg name="Position" type="x" direction="in"/>
      </method>
      <method name="OpenUri">
        <arg name="Uri" type="s" direction="in"/>
      </method>
      <signal name="Seeked">
        <arg name="Position" type="x"/>
      </signal>
      <property name="PlaybackStatus" type="s" access="read"/>
      <property name="LoopStatus" type="s" access="readwrite"/>
      <property name="Rate" type="d" access="readwrite"/>
      <property name="Shuffle" type="b" access="readwrite"/>
      <property name="Metadata" type="a{sv}" access="read"/>
      <property name="Volume" type="d" access="readwrite"/>
      <property name="Position" type="x" access="read">
        <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
      </property>
      <property name="MinimumRate" type="d" access="read"/>
      <property name="MaximumRate" type="d" access="read"/>
      <property name="CanGoNext" type="b" access="read"/>
      <property name="CanGoPrevious" type="b" access="read"/>
      <property name="CanPlay" type="b" access="read"/>
      <property name="CanPause" type="b" access="read"/>
      <property name="CanSeek" type="b" access="read"/>
      <property name="CanControl" type="b" access="read">
        <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
      </property>
    </interface>
    """

  static let trackList = """
    <interface name="org.mpris.MediaPlayer2.TrackList">
      <method name="GetTracksMetadata">
        <arg name="TrackIds" type="ao" direction="in"/>
        <arg name="Metadata" type="aa{sv}" direction="out"/>
      </method>
      <method name="AddTrack">
        <arg name="Uri" type="s" direction="in"/>
        <arg name="AfterTrack" type="o" direction="in"/>
        <arg name="SetAsCurrent" type="b" direction="in"/>
      </method>
      <method name="RemoveTrack">
        <arg name="TrackId" type="o" direction="in"/>
      </method>
      <method name="GoTo">
        <arg name="TrackId" type="o" direction="in"/>
      </method>
      <signal name="TrackListReplaced">
        <arg name="Tracks" type="ao"/>
        <arg name="CurrentTrack" type="o"/>
      </signal>
      <signal name="TrackAdded">
        <arg name="Metadata" type="a{sv}"/>
        <arg name="AfterTrack" type="o"/>
      </signal>
      <signal name="TrackRemoved">
        <arg name="TrackId" type="o"/>
      </signal>
      <signal name="TrackMetadataChanged">
        <arg name="TrackId" type="o"/>
        <arg name="Metadata" type="a{sv}"/>
      </signal>
      <!-- The specification has it invalidated; but a list that is not empty there makes plasma fetch everything anew, so the
           signals above are the only word on a change. -->
      <property name="Tracks" type="ao" access="read">
        <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
      </property>
      <property name="CanEditTracks" type="b" access="read"/>
    </interface>
    """

  static let playlists = """
    <interface name="org.mpris.MediaPlayer2.Playlists">
      <method name="ActivatePlaylist">
        <arg name="PlaylistId" type="o" direction="in"/>
      </method>
      <method name="GetPlaylists">
        <arg name="Index" type="u" direction="in"/>
        <arg name="MaxCount" type="u" direction="in"/>
        <arg name="Order" type="s" direction="in"/>
        <arg name="ReverseOrder" type="b" direction="in"/>
        <arg name="Playlists" type="a(oss)" direction="out"/>
      </method>
      <signal name="PlaylistChanged">
        <arg name="Playlist" type="(oss)"/>
      </signal>
      <property name="PlaylistCount" type="u" access="read"/>
      <property name="Orderings" type="as" access="read"/>
      <property name="ActivePlaylist" type="(b(oss))" access="read"/>
    </interface>
    """
}
