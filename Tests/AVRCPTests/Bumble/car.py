"""A car of Bumble's making (PyPI `bumble`): a second, independent controller over inherited descriptors.

    car.py CONTROL_FD BROWSING_FD

Bumble gives AVCTP, AV/C, the control PDUs, the notifications and all PDU classes. What it lacks is here: a channel over a
descriptor, the browsing channel's header, and asking for the rest of a long answer. Each line on stdout is `ok NAME`;
`want WORD` asks the test for a change at the target. A fault is a traceback and a status that is not 0.
"""

import asyncio
import os
import socket
import struct
import sys

from bumble import avc, avctp, avrcp, utils

STABLE = avc.ResponseFrame.ResponseCode.IMPLEMENTED_OR_STABLE
ACCEPTED = avc.ResponseFrame.ResponseCode.ACCEPTED
INTERIM = avc.ResponseFrame.ResponseCode.INTERIM
Command = avc.CommandFrame.CommandType


# Events that Bumble has no class for.
class TrackReachedEndEvent(avrcp.Event):
    event_id = avrcp.EventId.TRACK_REACHED_END


class TrackReachedStartEvent(avrcp.Event):
    event_id = avrcp.EventId.TRACK_REACHED_START


class BatteryEvent(avrcp.Event):
    event_id = avrcp.EventId.BATT_STATUS_CHANGED

    @classmethod
    def from_bytes(cls, pdu):
        instance = cls()
        instance.status = pdu[1]
        return instance


def event_from_bytes(pdu, known=avrcp.Event.from_bytes):
    match avrcp.EventId(pdu[0]), len(pdu):
        case avrcp.EventId.TRACK_REACHED_END, 1:
            return TrackReachedEndEvent()
        case avrcp.EventId.TRACK_REACHED_START, 1:
            return TrackReachedStartEvent()
        case avrcp.EventId.BATT_STATUS_CHANGED, 2:
            return BatteryEvent.from_bytes(pdu)
    return known(pdu)


avrcp.Event.from_bytes = event_from_bytes


class Channel(utils.EventEmitter):
    """What Bumble wants of an L2CAP channel, over a datagram descriptor."""

    EVENT_OPEN = "open"
    EVENT_CLOSE = "close"

    def __init__(self, descriptor):
        super().__init__()
        self.socket = socket.socket(fileno=descriptor)
        self.socket.setblocking(False)
        self.sink = None
        self.longest = 0
        asyncio.get_running_loop().add_reader(self.socket, self.readable)

    def readable(self):
        packet = self.socket.recv(65536)
        if not packet:
            asyncio.get_running_loop().remove_reader(self.socket)
            self.emit(self.EVENT_CLOSE)
            return
        self.longest = max(self.longest, len(packet))
        self.sink(packet)

    def write(self, packet):
        self.socket.send(packet)


class Browser:
    """The browsing channel: AVCTP as Bumble has it, and the three-byte header that it has not."""

    def __init__(self, channel):
        self.protocol = avctp.Protocol(channel)
        self.protocol.register_response_handler(avrcp.AVRCP_PID, self.answered)
        self.label = 0
        self.waiting = {}

    def answered(self, label, payload):
        self.waiting.pop(label).set_result(payload)

    async def ask(self, command, expect=avrcp.StatusCode.OPERATION_COMPLETED):
        parameters = bytes(command)
        payload = await self.raw(struct.pack(">BH", command.pdu_id, len(parameters)) + parameters)
        pdu, length = struct.unpack_from(">BH", payload)
        assert pdu == command.pdu_id and length == len(payload) - 3, payload.hex()
        assert payload[3] == expect, f"{command}: status {payload[3]:#x}"
        if expect != avrcp.StatusCode.OPERATION_COMPLETED:
            assert length == 1
            return None
        return avrcp.Response.from_bytes(payload[3:], avrcp.PduId(pdu))

    async def raw(self, payload):
        self.label = (self.label + 1) % 16
        future = self.waiting[self.label] = asyncio.get_running_loop().create_future()
        self.protocol.send_command(self.label, avrcp.AVRCP_PID, payload)
        return await asyncio.wait_for(future, 20)


def done(name):
    print("ok", name, flush=True)


async def want(word):
    """The test changes something and says so with a line."""
    print("want", word, flush=True)
    line = await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    assert line.strip() == word, line


async def control(car):
    assert await car.get_supported_company_ids() == [0x1958]
    events = await car.get_supported_events()
    assert [int(e) for e in events] == [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12], events
    done("capabilities")

    status = await car.get_play_status()
    assert (status.song_length, status.song_position) == (3600000, 60000), status
    assert status.play_status == avrcp.PlayStatus.PAUSED
    done("play status")

    attributes = await car.get_element_attributes(0, [])
    found = {int(a.attribute_id): a.attribute_value for a in attributes}
    assert found == {1: "Episode 7", 2: "Show", 3: "Show", 6: "Podcast", 7: "3600000"}, found
    done("element attributes")

    settings = await car.list_supported_player_app_settings()
    assert {int(k): [int(v) for v in vs] for k, vs in settings.items()} == {2: [1, 2, 3], 3: [1, 2]}, settings
    values = await car.get_player_app_settings(list(settings))
    assert {int(k): int(v) for k, v in values.items()} == {2: 1, 3: 1}, values
    done("settings")

    for key in (avc.PassThroughFrame.OperationId.PLAY, avc.PassThroughFrame.OperationId.FORWARD):
        for pressed in (True, False):
            response = await car.send_key_event(key, pressed)
            assert response.response == ACCEPTED, response
    done("keys")


async def answer(car, kind, command, code, expected):
    context = await car.send_avrcp_command(kind, command)
    assert isinstance(context, expected), context
    assert code is None or context.response_code == code, context
    return context.response


async def continuation(car, channel):
    """Bumble puts the first packet aside and waits; we ask for the others by hand, under its label."""
    # The same track under another name is told of: from then on the target answers with it.
    tracks = car.monitor_events(avrcp.EventId.TRACK_CHANGED, 1000)
    await tracks.__anext__()
    await want("long-title")
    await asyncio.wait_for(tracks.__anext__(), 20)
    others = set(car.pending_commands)
    pending = asyncio.ensure_future(car.get_element_attributes(0, []))
    labels = []
    for _ in range(100):
        await asyncio.sleep(0)
        labels = labels or [label for label in car.pending_commands if label not in others]
        if car.response_pdu_assembler.pdu_id is not None:
            break
        await asyncio.sleep(0.01)
    asked = 0
    while not pending.done():
        before = len(car.response_pdu_assembler.parameter)
        if before == 0 or car.response_pdu_assembler.pdu_id is None:
            await asyncio.sleep(0.001)
            continue
        pdu = struct.pack(">BBHB", 0x40, 0, 1, avrcp.PduId.GET_ELEMENT_ATTRIBUTES)
        frame = avc.VendorDependentCommandFrame(
            Command.CONTROL, avc.Frame.SubunitType.PANEL, 0, avrcp.AVRCP_BLUETOOTH_SIG_COMPANY_ID, pdu
        )
        car.send_command(labels[0], frame)
        asked += 1
        while not pending.done() and len(car.response_pdu_assembler.parameter) == before:
            await asyncio.sleep(0.001)
    title = {int(a.attribute_id): a.attribute_value for a in pending.result()}[1]
    assert title == "Ü" * 120, title
    assert asked >= 1 and channel.longest <= 115, (asked, channel.longest)
    done("continuation")


async def notifications(car):
    """Every event that the target offers: the value now, the change, and the value that comes with the next registration."""
    E = avrcp.EventId
    cases = [
        (E.PLAYBACK_STATUS_CHANGED, "playing", lambda e: int(e.play_status), [2, 1, 1]),
        (E.TRACK_CHANGED, "track", lambda e: e.uid, [0x0A0B, 0x0A0C, 0x0A0C]),
        (E.TRACK_REACHED_END, "end", lambda e: None, [None, None, None]),
        (E.TRACK_REACHED_START, "start", lambda e: None, [None, None, None]),
        (E.PLAYBACK_POS_CHANGED, "seek", lambda e: e.playback_position // 1000 >= 600, [False, True, True]),
        (E.BATT_STATUS_CHANGED, "battery", lambda e: e.status, [0, 1, 1]),
        (E.PLAYER_APPLICATION_SETTING_CHANGED, "repeat", lambda e: [(int(s.attribute_id), int(s.value_id)) for s in e.player_application_settings], [[(2, 1), (3, 1)], [(2, 3), (3, 1)], [(2, 3), (3, 1)]]),
        (E.NOW_PLAYING_CONTENT_CHANGED, "queue", lambda e: None, [None, None, None]),
        (E.AVAILABLE_PLAYERS_CHANGED, "players", lambda e: None, [None, None, None]),
        (E.UIDS_CHANGED, "library", lambda e: e.uid_counter, [7, 8, 8]),
        (E.ADDRESSED_PLAYER_CHANGED, "other-player", lambda e: (e.player.player_id, e.player.uid_counter), [(1, 8), (2, 0), (2, 0)]),
    ]
    for event, word, value, expected in cases:
        stream = car.monitor_events(event, 1000)
        heard = [value(await stream.__anext__())]
        await want(word)
        heard.append(value(await asyncio.wait_for(stream.__anext__(), 20)))
        heard.append(value(await asyncio.wait_for(stream.__anext__(), 20)))
        assert expected is None or heard == expected, (event, heard, expected)
        await want("back")
        done(f"notification {word}")


async def browsing(car, browser):
    A = avrcp
    players = await browser.ask(A.GetFolderItemsCommand(A.Scope.MEDIA_PLAYER_LIST, 0, 9, []))
    assert [(p.player_id, p.displayable_name) for p in players.items] == [(1, "ipodderx"), (2, "mpv")]
    F = A.MediaPlayerItem.Features
    assert players.items[0].feature_bitmask & F.BROWSING and players.items[0].feature_bitmask & F.SEARCHING
    assert not players.items[1].feature_bitmask & F.BROWSING
    done("players")

    response = await answer(car, Command.CONTROL, A.SetAddressedPlayerCommand(1), ACCEPTED, A.Protocol.FinalResponse)
    assert response.status == A.StatusCode.OPERATION_COMPLETED
    browsed = await browser.ask(A.SetBrowsedPlayerCommand(1))
    counter = browsed.uid_counter
    assert browsed.numbers_of_items == 4 and not browsed.folder_names
    await browser.ask(A.SetBrowsedPlayerCommand(2), expect=A.StatusCode.PLAYER_NOT_BROWSABLE)
    await browser.ask(A.SetBrowsedPlayerCommand(9), expect=A.StatusCode.INVALID_PLAYER_ID)
    done("browsed player")

    D = A.ChangePathCommand.Direction
    root = await browser.ask(A.GetFolderItemsCommand(A.Scope.MEDIA_PLAYER_VIRTUAL_FILESYSTEM, 0, 9, []))
    assert [i.displayable_name for i in root.items] == ["Episode 7", "Continue", "Podcasts", "Empty"]
    down = await browser.ask(A.ChangePathCommand(counter, D.DOWN, root.items[2].folder_uid))
    feeds = await browser.ask(A.GetFolderItemsCommand(A.Scope.MEDIA_PLAYER_VIRTUAL_FILESYSTEM, 0, down.number_of_items - 1, []))
    down = await browser.ask(A.ChangePathCommand(counter, D.DOWN, feeds.items[0].folder_uid))
    assert down.number_of_items == 1000
    names = []
    while len(names) < down.number_of_items:
        page = await browser.ask(
            A.GetFolderItemsCommand(A.Scope.MEDIA_PLAYER_VIRTUAL_FILESYSTEM, len(names), len(names) + 99, [])
        )
        assert page.items
        names += [i.displayable_name for i in page.items]
        last = page.items[-1]
    assert names == [f"Episode {n}" for n in range(1000)]
    entries = {int(a.attribute_id): a.attribute_value for a in last.attribute_value_entry_list}
    assert entries[1] == "Episode 999" and entries[7] == "3600000", entries
    done("third level")

    await browser.ask(
        A.GetFolderItemsCommand(A.Scope.MEDIA_PLAYER_VIRTUAL_FILESYSTEM, 1000, 1001, []), expect=A.StatusCode.RANGE_OUT_OF_BOUNDS
    )
    item = await browser.ask(A.GetItemAttributesCommand(A.Scope.MEDIA_PLAYER_VIRTUAL_FILESYSTEM, last.media_element_uid, counter, []))
    assert {int(a.attribute_id): a.attribute_value for a in item.attribute_value_entry_list}[1] == "Episode 999"
    up = await browser.ask(A.ChangePathCommand(counter, D.UP, 0))
    assert up.number_of_items == 2
    await browser.ask(A.ChangePathCommand(counter + 1, D.UP, 0), expect=A.StatusCode.UID_CHANGED)
    done("item attributes, up")

    found = await browser.ask(A.SearchCommand(A.CharacterSetId.UTF_8, "Alpha"))
    assert found.number_of_items == 1
    results = await browser.ask(A.GetFolderItemsCommand(A.Scope.SEARCH, 0, 9, []))
    assert [i.displayable_name for i in results.items] == ["Alpha"]
    total = await browser.ask(A.GetTotalNumberOfItemsCommand(A.Scope.SEARCH))
    assert total.number_of_items == 1
    done("search")

    queue = await browser.ask(A.GetFolderItemsCommand(A.Scope.NOW_PLAYING, 0, 9, []))
    assert [i.displayable_name for i in queue.items] == ["Episode 7", "Episode 8"]
    uid = results.items[0].media_element_uid
    for command in (A.PlayItemCommand(A.Scope.SEARCH, uid, counter), A.AddToNowPlayingCommand(A.Scope.SEARCH, uid, counter)):
        response = await answer(car, Command.CONTROL, command, ACCEPTED, A.Protocol.FinalResponse)
        assert response.status == A.StatusCode.OPERATION_COMPLETED
    done("play item, add to now playing")

    assert (await browser.raw(bytes.fromhex("ff0000"))).hex() == "a0000100"
    done("general reject")


async def main():
    control_channel = Channel(int(sys.argv[1]))
    browsing_channel = Channel(int(sys.argv[2]))
    car = avrcp.Protocol()
    car._on_avctp_channel_open(control_channel)
    browser = Browser(browsing_channel)
    await control(car)
    await browsing(car, browser)
    await continuation(car, control_channel)
    await notifications(car)
    assert browsing_channel.longest <= 335, browsing_channel.longest
    done("all")
    sys.stdout.flush()
    os._exit(0)


asyncio.run(main())
