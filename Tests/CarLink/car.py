"""What the car sees, from its own BlueZ (runs inside the car guest). One command, one JSON answer.

show                     the addressed player's properties
key METHOD               a key of MediaPlayer1: Play, Pause, Next, Previous, Stop, FastForward, Rewind
volume [0-127]           the car's own volume, or sets it (its knob)
connect                  to the phone that it knows, as a car does when it is switched on
tree                     names down to the third level below the root, and whether any was empty
pages LEVEL… SIZE        enters folders by name, then lists the whole folder in pages of SIZE
search TEXT              names found
play LEVEL… NAME         enters folders by name and plays an item
nowplaying               names of the now playing list"""
import json, sys, time
import dbus

bus = dbus.SystemBus()
OM, PROPS = "org.freedesktop.DBus.ObjectManager", "org.freedesktop.DBus.Properties"
PLAYER, FOLDER, ITEM, CONTROL, TRANSPORT = (
    f"org.bluez.{n}1" for n in ("MediaPlayer", "MediaFolder", "MediaItem", "MediaControl", "MediaTransport"))


def obj(path, interface):
    return dbus.Interface(bus.get_object("org.bluez", path, introspect=False), interface)


def objects():
    return obj("/", OM).GetManagedObjects()


def wait(what, test, seconds=30):
    end = time.time() + seconds
    while True:
        try:
            if (result := test()) is not None:
                return result
        except dbus.DBusException as error:
            what = f"{what} ({error.get_dbus_message()})"
        if time.time() > end:
            sys.exit(f"car: no {what}")
        time.sleep(0.3)


def player_path():
    def find():
        all = objects()
        for interfaces in all.values():
            path = interfaces.get(CONTROL, {}).get("Player")
            if path and path in all:
                return path
        return next((p for p, i in sorted(all.items()) if PLAYER in i), None)
    return wait("player", find)


def props(path, interface):
    return obj(path, PROPS).GetAll(interface)


def plain(value):
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dbus.Boolean):
        return bool(value)
    return int(value) if isinstance(value, int) else str(value)


def listed(path, start=None, end=None):
    filters = {} if start is None else {"Start": dbus.UInt32(start), "End": dbus.UInt32(end)}
    items = obj(path, FOLDER).ListItems(dbus.Dictionary(filters, signature="sv"), timeout=60)
    rows = [(p, plain(v)) for p, v in items.items()]
    for _, values in rows:
        # BlueZ writes a folder's name with the path in front of it, and leaves the playing item's own to its metadata.
        if values.get("Type") == "folder":
            values["Name"] = values.get("Name", "").rsplit("/", 1)[-1]
        elif not values.get("Name"):
            values["Name"] = values.get("Metadata", {}).get("Title", "")
    return rows


def folder(path):
    """The browsed folder's number of items, once the car has made up its mind."""
    return wait("folder", lambda: props(path, FOLDER).get("NumberOfItems"))


def change(path, target):
    obj(path, FOLDER).ChangeFolder(dbus.ObjectPath(target), timeout=60)


def enter(path, name):
    rows = listed(path)
    for item, values in rows:
        if values.get("Name") == name:
            change(path, item)
            return item
    sys.exit(f"car: no folder {name} among {[v.get('Name') for _, v in rows][:20]}")


def root(path):
    """Wherever an earlier command left it: back to the root. BlueZ goes one level at a time, and tells where it stands by names only:
    of the folders one level up, it takes the one that is the parent."""
    top = f"{path}/Filesystem"
    wait("filesystem", lambda: next((p for p in objects() if p == top), None))
    name = lambda: str(props(path, FOLDER)["Name"])
    depth = lambda p: p.count("/")

    def first(paths):
        for step in paths:
            try:
                return change(path, step)
            except dbus.DBusException as error:
                if not error.get_dbus_name().endswith("InvalidArguments"):
                    raise
        sys.exit(f"car: no way back to the root from {name()}")

    known = sorted((p for p in objects() if p.startswith(top)), key=depth, reverse=True)
    if not name().startswith("/Filesystem"):  # out of the search or the now playing list: only the folder it came from is taken
        first(known)
    for level in reversed(range(1, depth(name()))):
        first([p for p in known if depth(p) - depth(top) == level - 1])
    # BlueZ lists no more rows than there were when it came: into a folder and back, and it is told anew.
    for item, values in listed(path):
        if values.get("Type") == "folder":
            change(path, item)
            return change(path, top)


def answer(value):
    print(json.dumps(value, ensure_ascii=False))


def volume(*words):
    path = wait("transport", lambda: next((p for p, i in objects().items() if TRANSPORT in i), None))
    if words:
        obj(path, PROPS).Set(TRANSPORT, "Volume", dbus.UInt16(words[0], variant_level=1), signature="ssv")
    return wait("volume", lambda: props(path, TRANSPORT).get("Volume"))


def connect():
    device = wait("phone", lambda: next((p for p, i in objects().items() if "org.bluez.Device1" in i), None))
    obj(device, "org.bluez.Device1").Connect(timeout=60)
    return True


def main(command, *words):
    if command in ("volume", "connect"):
        return answer(plain({"volume": volume, "connect": connect}[command](*words)))
    path = player_path()
    if command == "show":
        answer(plain(props(path, PLAYER)))
    elif command == "key":
        obj(path, PLAYER).get_dbus_method(words[0])(timeout=30)
        answer(True)
    elif command == "tree":
        root(path)
        tree, empty, here = {}, 0, None
        for level in range(4):
            rows = listed(path)
            names = [v.get("Name", "") for _, v in rows]
            empty += sum(not n for n in names)
            tree[level] = names[:10]
            if level < 3:
                enter(path, ["Podcasts", "Thousand", "Unheard"][level])
        answer({"levels": tree, "empty": empty})
    elif command == "pages":
        *levels, size = words
        root(path)
        for name in levels:
            enter(path, name)
        total = int(folder(path))
        names, began = [], time.time()
        while len(names) < total:
            page = listed(path, len(names), min(total, len(names) + int(size)) - 1)
            if not page:
                sys.exit(f"car: an empty page at {len(names)} of {total}")
            names += [v.get("Name", "") for _, v in page]
        answer({"total": total, "names": len(names), "different": len(set(names)), "empty": sum(not n for n in names),
                "seconds": round(time.time() - began, 1)})
    elif command == "search":
        root(path)
        found = obj(path, FOLDER).Search(words[0], dbus.Dictionary({}, signature="sv"), timeout=60)
        change(path, found)
        answer([v.get("Name", "") for _, v in listed(path)])
    elif command == "play":
        root(path)
        for name in words[:-1]:
            enter(path, name)
        for item, values in listed(path):
            if values.get("Name") == words[-1]:
                obj(item, ITEM).Play(timeout=60)
                return answer(values)
        sys.exit(f"car: no item {words[-1]}")
    elif command == "nowplaying":
        change(path, f"{path}/NowPlaying")
        answer([v.get("Name", "") for _, v in listed(path)])
    else:
        sys.exit(__doc__)


main(*sys.argv[1:])
