import DBus
import Testing

@Suite struct BusAddressTests {
  @Test(
    "where a bus's socket will appear",
    arguments: [
      ("unix:path=/run/dbus/system_bus_socket", "/run/dbus"), ("unix:path=/tmp/a%20b%c3%a4/bus,guid=12", "/tmp/a bä"),
      ("tcp:host=localhost,port=1;unix:path=/x/y;unix:path=/z/w", "/x"), ("tcp:host=localhost", nil), ("unix:abstract=/a/b", nil),
      ("unix:path=bus", nil), ("unix:path=/bus", nil), ("unix:path=/a%2/b", nil), ("unix:path=/a%zz/b", nil), ("", nil),
    ])
  func socketFolder(address: String, folder: String?) {
    #expect(DBusBus.address(address).socketFolder == folder)
  }
}
