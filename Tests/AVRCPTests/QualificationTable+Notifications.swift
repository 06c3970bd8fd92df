import AVRCP
import Reactor

extension QualificationTable {
  private static func playing(_ place: Int64, at moment: Int64, rate: Double) -> TargetPosition {
    .init(place: .seconds(place), moment: .seconds(moment), rate: rate)
  }

  static let notifications: [QualificationCase] = [
    .init(
      "TG/NFY/BV-02-C", "playback status: INTERIM at once, one CHANGED under the same label, then no more",
      .control("03 48 00 001958 31 00 0005 06 00000000", "0F 48 00 001958 31 00 0002 06 00", label: 1),
      .control("03 48 00 001958 31 00 0005 01 00000000", "0F 48 00 001958 31 00 0002 01 02", label: 9),
      .change { $0.players[0].status = .playing }, .heard("0D 48 00 001958 31 00 0002 01 01", label: 9),
      .change {
        $0.players[0].status = .stopped
        $0.battery = .critical
      }, .heard("0D 48 00 001958 31 00 0002 06 02", label: 1), .quiet),
    .init(
      "TG/NFY/BV-03-C", "no track selected: all ones",
      .control("03 48 00 001958 31 00 0005 02 00000000", "0F 48 00 001958 31 00 0009 02 0000000000000A0B"),
      .change { $0.players[0].track = nil }, .heard("0D 48 00 001958 31 00 0009 02 FFFFFFFFFFFFFFFF"),
      .control("03 48 00 001958 31 00 0005 02 00000000", "0F 48 00 001958 31 00 0009 02 FFFFFFFFFFFFFFFF"),
      .control("03 48 00 001958 31 00 0005 05 00000001", "0F 48 00 001958 31 00 0005 05 FFFFFFFF")),
    .init(
      "TG/NFY/BV-04-C", "a track for a car that cannot browse: 0", peer: Rig.oldCar,
      .control("03 48 00 001958 31 00 0005 02 00000000", "0F 48 00 001958 31 00 0009 02 0000000000000000")),
    .init(
      "TG/NFY/BV-05-C TG/NFY/BV-08-C", "a track for a car that browses: a UID that it can look up",
      .control("03 48 00 001958 31 00 0005 02 00000000", "0F 48 00 001958 31 00 0009 02 0000000000000A0B"),
      .browse("73 0010 03 0000000000000A0B 0007 01 00000001", "73 0013 04 01 00000001 006A 0009 'Episode 7'"),
      .change { $0.players[0].track?.uid = 0x0A0C }, .heard("0D 48 00 001958 31 00 0009 02 0000000000000A0C"),
      .browse("73 0010 03 0000000000000A0C 0007 01 00000001", "73 0013 04 01 00000001 006A 0009 'Episode 8'")),
    .init(
      "TG/NFY/BV-05-C",
      "the same track under other lines is told too, or a car would never ask; the queue and a hair's breadth are not",
      .control("03 48 00 001958 31 00 0005 02 00000000", "0F 48 00 001958 31 00 0009 02 0000000000000A0B", label: 1),
      .change { $0.players[0].track?.attributes.artist = "Chapter 2" },
      .heard("0D 48 00 001958 31 00 0009 02 0000000000000A0B", label: 1),
      .control(
        "01 48 00 001958 20 00 000D 0000000000000000 01 00000002", "0C 48 00 001958 20 00 0012 01 00000002 006A 0009 'Chapter 2'"),
      .control("03 48 00 001958 31 00 0005 02 00000000", "0F 48 00 001958 31 00 0009 02 0000000000000A0B", label: 2),
      .change { $0.players[0].track?.attributes.title = "Its real name" },
      .heard("0D 48 00 001958 31 00 0009 02 0000000000000A0B", label: 2),
      .control("03 48 00 001958 31 00 0005 02 00000000", "0F 48 00 001958 31 00 0009 02 0000000000000A0B", label: 3),
      .control("03 48 00 001958 31 00 0005 06 00000000", "0F 48 00 001958 31 00 0002 06 00", label: 4),
      .change {
        $0.players[0].track?.attributes.totalTracks = 9
        $0.players[0].track?.attributes.trackNumber = 2
        $0.players[0].track?.attributes.length = .init(microseconds: 3_600_400_000)
        $0.battery = .warning
      }, .heard("0D 48 00 001958 31 00 0002 06 01", label: 4),
      .change { $0.players[0].track?.attributes.length = .seconds(3660) },
      .heard("0D 48 00 001958 31 00 0009 02 0000000000000A0B", label: 3), .quiet),
    .init(
      "TG/NFY/BV-06-C", "position at the car's interval, at the speed it plays; on status, on a seek; not while paused",
      .control("03 48 00 001958 31 00 0005 05 00000002", "0F 48 00 001958 31 00 0005 05 0000EA60"), .advance(.seconds(60)),
      .quiet,
      .change {
        $0.players[0].status = .playing
        $0.players[0].position = playing(60, at: 1060, rate: 1.5)
      }, .heard("0D 48 00 001958 31 00 0005 05 0000EA60"),
      .control("03 48 00 001958 31 00 0005 05 00000002", "0F 48 00 001958 31 00 0005 05 0000EA60"), .advance(.seconds(2)),
      .heard("0D 48 00 001958 31 00 0005 05 0000F618"), .advance(.seconds(2)), .quiet,
      .control("03 48 00 001958 31 00 0005 05 00000064", "0F 48 00 001958 31 00 0005 05 000101D0"),
      .change { $0.players[0].position = playing(600, at: 1064, rate: 1.5) }, .heard("0D 48 00 001958 31 00 0005 05 000927C0")),
    .init(
      "TG/NFY/BV-06-C", "a clock that is set right is no seek, a new anchor at the same place either",
      .control("03 48 00 001958 31 00 0005 06 00000000", "0F 48 00 001958 31 00 0002 06 00", label: 1),
      .control("03 48 00 001958 31 00 0005 05 00000000", "0F 48 00 001958 31 00 0005 05 0000EA60"),
      .change {
        $0.players[0].position = .init(place: .init(microseconds: 60_300_000), moment: .seconds(900), rate: 0)
        $0.battery = .external
      }, .heard("0D 48 00 001958 31 00 0002 06 03", label: 1), .quiet),
    .init(
      "TG/NFY/BV-07-C", "track reached its end, its start; of the addressed player only",
      .control("03 48 00 001958 31 00 0005 03 00000000", "0F 48 00 001958 31 00 0001 03", label: 3),
      .control("03 48 00 001958 31 00 0005 04 00000000", "0F 48 00 001958 31 00 0001 04", label: 4),
      .update(.reachedEnd(player: 2)), .update(.reachedEnd(player: 1)), .heard("0D 48 00 001958 31 00 0001 03", label: 3),
      .update(.reachedEnd(player: 1)), .update(.reachedStart(player: 1)), .heard("0D 48 00 001958 31 00 0001 04", label: 4),
      .quiet),
    .init(
      "TG/PAS/BV-14-C", "settings changed: all of them",
      .control("03 48 00 001958 31 00 0005 08 00000000", "0F 48 00 001958 31 00 0006 08 02 02 01 03 01"),
      .change { $0.players[0].settings[0].current = 3 }, .heard("0D 48 00 001958 31 00 0006 08 02 02 03 03 01")),
    .init(
      "TG/PAS/BV-14-C",
      "what may be registered does not hang on who is addressed when a car asks; without settings there is nothing to tell",
      .control("00 48 00 001958 60 00 0002 0002", "09 48 00 001958 60 00 0001 04"),
      .control("01 48 00 001958 10 00 0001 03", "0C 48 00 001958 10 00 000D 03 0B 01 02 03 04 05 06 08 09 0A 0B 0C"),
      .control("03 48 00 001958 31 00 0005 08 00000000", "0A 48 00 001958 31 00 0001 01"),
      .control("00 48 00 001958 60 00 0002 0001", "09 48 00 001958 60 00 0001 04"),
      .control("03 48 00 001958 31 00 0005 08 00000000", "0F 48 00 001958 31 00 0006 08 02 02 01 03 01")),
    .init(
      "TG/NFY/BV-02-C", "a second registration takes the place of the first",
      .control("03 48 00 001958 31 00 0005 01 00000000", "0F 48 00 001958 31 00 0002 01 02", label: 1),
      .control("03 48 00 001958 31 00 0005 01 00000000", "0F 48 00 001958 31 00 0002 01 02", label: 2),
      .change { $0.players[0].status = .playing }, .heard("0D 48 00 001958 31 00 0002 01 01", label: 2), .quiet),
    .init(
      "TG/NFY/BV-02-C", "a car that must not hear of a pause before the sound ends", options: holdsPaused,
      .control("03 48 00 001958 31 00 0005 01 00000000", "0F 48 00 001958 31 00 0002 01 02"),
      .change {
        $0.players[0].status = .playing
        $0.isStreaming = true
      }, .heard("0D 48 00 001958 31 00 0002 01 01"),
      .control("03 48 00 001958 31 00 0005 01 00000000", "0F 48 00 001958 31 00 0002 01 01"),
      .control("03 48 00 001958 31 00 0005 06 00000000", "0F 48 00 001958 31 00 0002 06 00", label: 1),
      .change {
        $0.players[0].status = .paused
        $0.battery = .warning
      }, .heard("0D 48 00 001958 31 00 0002 06 01", label: 1),
      .control("01 48 00 001958 30 00 0000", "0C 48 00 001958 30 00 0009 0036EE80 0000EA60 01"),
      .change { $0.isStreaming = false }, .heard("0D 48 00 001958 31 00 0002 01 02")),
    .init(
      "TG/NFY/BI-01-C", "events that are none, or not of this car's version; lengths",
      .control("03 48 00 001958 31 00 0005 00 00000000", "0A 48 00 001958 31 00 0001 01"),
      .control("03 48 00 001958 31 00 0005 07 00000000", "0A 48 00 001958 31 00 0001 01"),
      .control("03 48 00 001958 31 00 0005 0E 00000000", "0A 48 00 001958 31 00 0001 01"),
      .control("03 48 00 001958 31 00 0001 01", "0A 48 00 001958 31 00 0001 02"),
      .control("03 48 00 001958 31 00 0006 01 00000000 00", "0A 48 00 001958 31 00 0001 02"),
      .control("01 48 00 001958 31 00 0005 01 00000000", "0A 48 00 001958 31 00 0001 00")),
    .init(
      "TG/NFY/BI-01-C", "a 1.3 car knows no later events and no later commands", peer: Rig.oldCar,
      .control("03 48 00 001958 31 00 0005 0B 00000000", "0A 48 00 001958 31 00 0001 01"),
      .control("00 48 00 001958 60 00 0002 0001", "0A 48 00 001958 60 00 0001 00"),
      .control("00 48 00 001958 74 00 000B 01 0000000000000101 0007", "0A 48 00 001958 74 00 0001 00")),
    .init(
      "TG/NFY/BI-01-C", "neither does a newer car that is to get a 1.3 target", options: onlyOneThree,
      .control("01 48 00 001958 10 00 0001 03", "0C 48 00 001958 10 00 0009 03 07 01 02 03 04 05 06 08"),
      .control("00 48 00 001958 60 00 0002 0001", "0A 48 00 001958 60 00 0001 00")),
  ]

  static let holdsPaused: TargetOptions = {
    var options = TargetOptions()
    options.holdsPaused = true
    return options
  }()

  static let onlyOneThree: TargetOptions = {
    var options = TargetOptions()
    options.maximumVersion = .v13
    return options
  }()

  static let players: [QualificationCase] = [
    .init(
      "TG/MPS/BV-06-C TG/MPS/BV-09-C TG/MPS/BV-01-I", "the players, ours first, with what each can do",
      .browse(
        "71 000A 00 00000000 00000009 00",
        "71 004E 04 0007 0002 \(ours) 01 001F 0002 01 00000000 00 0000000000 87 01 04 0000000000000000 006A 0003 'mpv'"),
      .browse("71 000A 00 00000000 00000000 00", "71 002C 04 0007 0001 \(ours)"),
      .browse("71 000A 00 00000002 00000009 00", "71 0001 0B")),
    .init("TG/MPS/BV-12-C", "how many", .browse("75 0001 00", "75 0007 04 0007 00000002")),
    .init(
      "TG/MPS/BV-02-C TG/MPS/BV-02-I", "set addressed player; keys go there",
      .control("00 48 00 001958 60 00 0002 0002", "09 48 00 001958 60 00 0001 04"), .did(.address(2)),
      .control("00 48 7C 44 00", "09 48 7C 44 00"), .did(.perform(.play, 2)), .control("00 48 7C C4 00", "09 48 7C C4 00"),
      .control("00 48 7C 49 00", "08 48 7C 49 00"),
      .control("01 48 00 001958 30 00 0000", "0C 48 00 001958 30 00 0009 FFFFFFFF FFFFFFFF 00")),
    .init(
      "TG/MPS/BI-01-C", "an addressed player that is none",
      .control("00 48 00 001958 60 00 0002 0009", "0A 48 00 001958 60 00 0001 11"),
      .control("00 48 00 001958 60 00 0002 0000", "0A 48 00 001958 60 00 0001 11"),
      .control("00 48 00 001958 60 00 0001 00", "0A 48 00 001958 60 00 0001 02"), .quiet),
    .init(
      "TG/MPS/BV-10-C", "without being set, the addressed player is the model's",
      .control("03 48 00 001958 31 00 0005 0B 00000000", "0F 48 00 001958 31 00 0005 0B 0001 0007"),
      .control("00 48 7C 44 00", "09 48 7C 44 00"), .control("00 48 7C C4 00", "09 48 7C C4 00"), .did(.perform(.play, 1))),
    .init(
      "TG/MPS/BV-05-C", "another addressed player: told first, then all that was asked of the former one is rejected",
      .control("03 48 00 001958 31 00 0005 01 00000000", "0F 48 00 001958 31 00 0002 01 02", label: 1),
      .control("03 48 00 001958 31 00 0005 05 00000001", "0F 48 00 001958 31 00 0005 05 0000EA60", label: 2),
      .control("03 48 00 001958 31 00 0005 0B 00000000", "0F 48 00 001958 31 00 0005 0B 0001 0007", label: 3),
      .control("03 48 00 001958 31 00 0005 06 00000000", "0F 48 00 001958 31 00 0002 06 00", label: 4),
      .change { $0.addressed = 2 }, .heard("0D 48 00 001958 31 00 0005 0B 0002 0000", label: 3),
      .heard("0A 48 00 001958 31 00 0001 16", label: 1), .heard("0A 48 00 001958 31 00 0001 16", label: 2), .quiet,
      .control("03 48 00 001958 31 00 0005 01 00000000", "0F 48 00 001958 31 00 0002 01 00", label: 1)),
    .init(
      "TG/MPS/BV-05-C", "the same when the car chooses: its answer first",
      .control("03 48 00 001958 31 00 0005 02 00000000", "0F 48 00 001958 31 00 0009 02 0000000000000A0B", label: 1),
      .control("03 48 00 001958 31 00 0005 0B 00000000", "0F 48 00 001958 31 00 0005 0B 0001 0007", label: 3),
      .control("00 48 00 001958 60 00 0002 0002", "09 48 00 001958 60 00 0001 04", label: 5), .did(.address(2)),
      .heard("0D 48 00 001958 31 00 0005 0B 0002 0000", label: 3), .heard("0A 48 00 001958 31 00 0001 16", label: 1),
      .control("00 48 00 001958 60 00 0002 0002", "09 48 00 001958 60 00 0001 04", label: 5), .did(.address(2)), .quiet),
    .init(
      "TG/MPS/BV-05-C", "a key that is held ends with its player",
      .control("00 48 7C 49 00", "09 48 7C 49 00"), .advance(.milliseconds(600)), .did(.perform(.scrubForward, 1)),
      .control("00 48 00 001958 60 00 0002 0002", "09 48 00 001958 60 00 0001 04"), .did(.address(2)),
      .did(.perform(.scrubEnd, 1))),
    .init(
      "TG/MPS/BV-07-C", "another list of players; a player that goes is not addressed any more",
      .control("03 48 00 001958 31 00 0005 0A 00000000", "0F 48 00 001958 31 00 0001 0A", label: 1),
      .change { $0.players.append(TargetPlayer(id: 3, name: "radio")) }, .heard("0D 48 00 001958 31 00 0001 0A", label: 1),
      .control("00 48 00 001958 60 00 0002 0003", "09 48 00 001958 60 00 0001 04"), .did(.address(3)),
      .control("03 48 00 001958 31 00 0005 0A 00000000", "0F 48 00 001958 31 00 0001 0A", label: 1),
      .control("03 48 00 001958 31 00 0005 0B 00000000", "0F 48 00 001958 31 00 0005 0B 0003 0000", label: 2),
      .change { $0.players.removeLast() }, .heard("0D 48 00 001958 31 00 0001 0A", label: 1),
      .heard("0D 48 00 001958 31 00 0005 0B 0001 0007", label: 2), .quiet),
    .init(
      "TG/MPS/BV-04-C TG/MPS/BV-03-I", "set browsed player: counter, number of items, at the root",
      .browse("70 0002 0001", "70 000A 04 0007 00000004 006A 00"),
      .browse("72 000B 0007 01 0000000000000202", "72 0005 04 00000002"),
      .browse("70 0002 0001", "70 000A 04 0007 00000004 006A 00"), .browse("75 0001 01", "75 0007 04 0007 00000004")),
    .init(
      "TG/MPS/BI-02-C", "a browsed player that is none, that cannot be browsed; lengths",
      .browse("70 0002 0009", "70 0001 11"), .browse("70 0002 0000", "70 0001 11"), .browse("70 0002 0002", "70 0001 12"),
      .browse("70 0001 00", "70 0001 02")),
  ]

  static let ours =
    "01 0024 0001 01 00000002 02 0000000000 B7 01 7E 0E 00000000000000 006A 0008 'ipodderx'"
}
