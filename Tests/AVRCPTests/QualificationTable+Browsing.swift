import AVRCP

extension QualificationTable {
  private static let root =
    "03 0017 0000000000000101 00 006A 0009 'Episode 7' 00 02 0016 0000000000000201 00 00 006A 0008 'Continue' "
    + "02 0016 0000000000000202 00 00 006A 0008 'Podcasts' 02 0013 0000000000000203 00 00 006A 0005 'Empty'"

  static let browsing: [QualificationCase] = [
    .init(
      "TG/MCN/CB/BV-02-C TG/MCN/CB/BV-01-I", "a folder's items: without attributes, with some, one row, all",
      .browse("70 0002 0001", "70 000A 04 0007 00000004 006A 00"),
      .browse("71 000A 01 00000000 00000009 FF", "71 0067 04 0007 0004 \(root)"),
      .browse(
        "71 0012 01 00000000 00000000 02 00000001 00000007",
        "71 003F 04 0007 0001 03 0037 0000000000000101 00 006A 0009 'Episode 7' 02 00000001 006A 0009 'Episode 7' "
          + "00000007 006A 0007 '3600000'"),
      .browse(
        "71 000A 01 00000000 00000000 00",
        "71 0066 04 0007 0001 03 005E 0000000000000101 00 006A 0009 'Episode 7' 05 00000001 006A 0009 'Episode 7' "
          + "00000002 006A 0004 'Show' 00000003 006A 0004 'Show' 00000006 006A 0007 'Podcast' 00000007 006A 0007 '3600000'"),
      .browse(
        "71 000A 01 00000003 FFFFFFFF FF", "71 001B 04 0007 0001 02 0013 0000000000000203 00 00 006A 0005 'Empty'")),
    .init(
      "TG/MCN/CB/BV-02-C", "before any player was set, the addressed one is browsed",
      .browse("71 000A 01 00000000 00000009 FF", "71 0067 04 0007 0004 \(root)")),
    .init(
      "TG/MCN/CB/BV-03-C", "the browsed player is another one than the addressed",
      .control("00 48 00 001958 60 00 0002 0002", "09 48 00 001958 60 00 0001 04"),
      .browse("70 0002 0001", "70 000A 04 0007 00000004 006A 00"),
      .browse("71 000A 01 00000000 00000009 FF", "71 0067 04 0007 0004 \(root)"),
      .browse("71 000A 03 00000000 00000009 FF", "71 0001 0A")),
    .init(
      "TG/MCN/CB/BV-05-C TG/MCN/CB/BV-02-I", "down, to the third level",
      .browse("70 0002 0001", "70 000A 04 0007 00000004 006A 00"),
      .browse("72 000B 0007 01 0000000000000202", "72 0005 04 00000002"),
      .browse("72 000B 0007 01 0000000000000302", "72 0005 04 00000002"),
      .browse(
        "71 000A 01 00000001 00000009 FF", "71 001A 04 0007 0001 03 0012 0000000000020001 00 006A 0004 'Beta' 00"),
      .browse("72 000B 0007 01 0000000000000301", "72 0005 04 000003E8"),
      .browse(
        "71 000A 01 000003E7 00000400 FF", "71 0021 04 0007 0001 03 0019 00000000000103E7 00 006A 000B 'Episode 999' 00")),
    .init(
      "TG/MCN/CB/BV-06-C TG/MCN/CB/BV-03-I", "up, and no further than the root",
      .browse("72 000B 0007 01 0000000000000202", "72 0005 04 00000002"),
      .browse("72 000B 0007 01 0000000000000302", "72 0005 04 00000002"),
      .browse("72 000B 0007 00 0000000000000000", "72 0005 04 00000002"),
      .browse("72 000B 0007 00 FFFFFFFFFFFFFFFF", "72 0005 04 00000004"),
      .browse("72 000B 0007 00 0000000000000000", "72 0001 07"),
      .browse("72 000B 0007 02 0000000000000202", "72 0001 07")),
    .init(
      "TG/MCN/CB/BV-08-C TG/MCN/CB/BV-04-I", "an item's attributes",
      .browse("73 0010 01 0000000000000101 0007 01 00000001", "73 0013 04 01 00000001 006A 0009 'Episode 7'"),
      .browse(
        "73 000C 01 0000000000000102 0007 00",
        "73 0049 04 05 00000001 006A 0009 'Episode 6' 00000002 006A 0004 'Show' 00000003 006A 0004 'Show' "
          + "00000006 006A 0007 'Podcast' 00000007 006A 0007 '3600000'"),
      .browse("73 0010 01 0000000000000202 0007 01 00000001", "73 0012 04 01 00000001 006A 0008 'Podcasts'"),
      .browse("73 0010 01 0000000000000999 0007 01 00000001", "73 0001 09"),
      .browse("73 0010 01 0000000000000000 0007 01 00000001", "73 0001 09"),
      .browse("73 0010 00 0000000000000101 0007 01 00000001", "73 0001 0A"),
      .browse("73 0010 04 0000000000000101 0007 01 00000001", "73 0001 0A"),
      .browse("73 0010 01 0000000000000101 0007 01 00000099", "73 0001 01"),
      .browse("73 0010 01 0000000000000101 0007 02 00000001", "73 0001 02")),
    .init(
      "TG/MCN/CB/BV-09-C", "a player without a watched database has counter 0",
      .control("03 48 00 001958 31 00 0005 0C 00000000", "0F 48 00 001958 31 00 0003 0C 0007", label: 1),
      .control("03 48 00 001958 31 00 0005 06 00000000", "0F 48 00 001958 31 00 0002 06 00", label: 2),
      .change {
        $0.players[0].uidCounter = 0
        $0.battery = .warning
      }, .heard("0D 48 00 001958 31 00 0002 06 01", label: 2), .advance(.seconds(5)),
      .heard("0D 48 00 001958 31 00 0003 0C 0000", label: 1),
      .control("03 48 00 001958 31 00 0005 0C 00000000", "0F 48 00 001958 31 00 0003 0C 0000")),
    .init(
      "TG/MCN/CB/BV-10-C TG/MCN/CB/BV-05-I", "a player with one starts at 1 or more",
      .browse("70 0002 0001", "70 000A 04 0007 00000004 006A 00"),
      .control("03 48 00 001958 31 00 0005 0C 00000000", "0F 48 00 001958 31 00 0003 0C 0007")),
    .init(
      "TG/MCN/CB/BV-11-C TG/MCN/CB/BV-06-I", "changes of the lists: held back, told as one, and then the counter that counts",
      .control("03 48 00 001958 31 00 0005 0C 00000000", "0F 48 00 001958 31 00 0003 0C 0007", label: 1),
      .control("03 48 00 001958 31 00 0005 06 00000000", "0F 48 00 001958 31 00 0002 06 00", label: 2),
      .change {
        $0.players[0].uidCounter = 8
        $0.battery = .warning
      }, .heard("0D 48 00 001958 31 00 0002 06 01", label: 2), .advance(.seconds(3)),
      .control("03 48 00 001958 31 00 0005 06 00000000", "0F 48 00 001958 31 00 0002 06 01", label: 2),
      .change {
        $0.players[0].uidCounter = 9
        $0.battery = .normal
      }, .heard("0D 48 00 001958 31 00 0002 06 00", label: 2),
      .browse("72 000B 0007 01 0000000000000202", "72 0005 04 00000002"), .quiet, .advance(.seconds(2)),
      .heard("0D 48 00 001958 31 00 0003 0C 0009", label: 1),
      .control("03 48 00 001958 31 00 0005 0C 00000000", "0F 48 00 001958 31 00 0003 0C 0009"),
      .browse("72 000B 0007 01 0000000000000302", "72 0001 05"),
      .browse("72 000B 0009 01 0000000000000302", "72 0005 04 00000002"),
      .browse("75 0001 01", "75 0007 04 0009 00000002")),
    .init(
      "TG/MCN/CB/BV-13-C", "how many items",
      .browse("75 0001 01", "75 0007 04 0007 00000004"), .browse("72 000B 0007 01 0000000000000203", "72 0005 04 00000000"),
      .browse("75 0001 01", "75 0007 04 0007 00000000"), .browse("75 0001 04", "75 0001 0A"),
      .browse("75 0000", "75 0001 02")),
    .init(
      "TG/MCN/CB/BV-13-C", "how many items, as BlueZ asks: seven bytes that are said to be eleven; nothing else is let off so",
      .browse("75 000B 01 000000000000", "75 0007 04 0007 00000004"),
      .browse("75 000B 03 000000000000", "75 0007 04 0007 00000002"),
      .browse("75 000C 01 000000000000", "75 0001 02"), .browse("75 000B 01 000000000001", "75 0001 02"),
      .browse("75 000B 01", "75 0001 02"), .browse("71 000B 01 000000000000", "71 0001 02")),
    .init("TG/MCN/CB/BI-01-C", "start behind end", .browse("71 000A 01 00000002 00000001 FF", "71 0001 0B")),
    .init(
      "TG/MCN/CB/BI-02-C", "an empty folder", .browse("72 000B 0007 01 0000000000000203", "72 0005 04 00000000"),
      .browse("71 000A 01 00000000 00000001 FF", "71 0001 0B")),
    .init(
      "TG/MCN/CB/BI-03-C", "behind the folder's end",
      .browse("71 000A 01 00000004 00000005 FF", "71 0001 0B"), .browse("71 000A 01 FFFFFFFF FFFFFFFF FF", "71 0001 0B")),
    .init(
      "TG/MCN/CB/BI-04-C", "a folder that is none, that is no folder; lengths",
      .browse("72 000B 0007 01 0000000000000999", "72 0001 09"), .browse("72 000B 0007 01 0000000000000000", "72 0001 09"),
      .browse("72 000B 0007 01 0000000000000101", "72 0001 08"), .browse("72 0003 0007 01", "72 0001 02")),
    .init(
      "TG/MCN/CB/BI-05-C", "a counter that is not the present one",
      .control("03 48 00 001958 31 00 0005 0C 00000000", "0F 48 00 001958 31 00 0003 0C 0007"),
      .browse("73 0010 01 0000000000000101 0008 01 00000001", "73 0001 05"),
      .browse("72 000B 0006 01 0000000000000202", "72 0001 05"),
      .control("00 48 00 001958 74 00 000B 01 0000000000000101 0006", "0A 48 00 001958 74 00 0001 05"),
      .control("00 48 00 001958 90 00 000B 01 0000000000000101 0006", "0A 48 00 001958 90 00 0001 05"), .quiet,
      .browse("73 0010 01 0000000000000101 0000 01 00000001", "73 0013 04 01 00000001 006A 0009 'Episode 7'")),
    .init(
      "TG/MCN/CB/BI-05-C", "0 is no present counter where it is not to be taken so", options: strictCounter,
      .browse("73 0010 01 0000000000000101 0000 01 00000001", "73 0001 05")),
    .init(
      "TG/MCN/CB/BI-06-C", "wrong scopes, attribute lists that are not as long as they say",
      .browse("71 000A 04 00000000 00000001 FF", "71 0001 0A"), .browse("71 0009 01 00000000 00000001", "71 0001 02"),
      .browse("71 000A 01 00000000 00000001 01", "71 0001 02"),
      .browse("71 000E 01 00000000 00000001 FF 00000001", "71 0001 02")),
  ]

  static let strictCounter: TargetOptions = {
    var options = TargetOptions()
    options.acceptsCounterZero = false
    return options
  }()

  private static let alpha = "71 001B 04 0007 0001 03 0013 0000000000020000 00 006A 0005 'Alpha' 00"

  static let searching: [QualificationCase] = [
    .init(
      "TG/MCN/SRC/BV-02-C TG/MCN/SRC/BV-01-I", "search: how many",
      .browse("80 0009 006A 0005 'Alpha'", "80 0007 04 0007 00000001"),
      .browse("80 000B 006A 0007 'Episode'", "80 0007 04 0007 000003EA"),
      .browse("80 000A 0003 0006 'nobody'", "80 0007 04 0007 00000000")),
    .init(
      "TG/MCN/SRC/BV-04-C TG/MCN/SRC/BV-02-I", "what it found; a folder change leaves it be, another search does not",
      .browse("80 0009 006A 0005 'Alpha'", "80 0007 04 0007 00000001"), .browse("71 000A 02 00000000 00000009 FF", alpha),
      .browse("72 000B 0007 01 0000000000000202", "72 0005 04 00000002"), .browse("71 000A 02 00000000 00000009 FF", alpha),
      .browse("80 000A 006A 0006 'nobody'", "80 0007 04 0007 00000000"),
      .browse("71 000A 02 00000000 00000009 FF", "71 0001 0B")),
    .init(
      "TG/MCN/SRC/BV-06-C TG/MCN/SRC/BV-03-I", "attributes of one that it found",
      .browse("80 0009 006A 0005 'Alpha'", "80 0007 04 0007 00000001"),
      .browse("73 0010 02 0000000000020000 0007 01 00000001", "73 000F 04 01 00000001 006A 0005 'Alpha'")),
    .init(
      "TG/MCN/SRC/BV-08-C TG/MCN/SRC/BV-04-I", "how many, asked later; played from there",
      .browse("80 000B 006A 0007 'Episode'", "80 0007 04 0007 000003EA"),
      .browse("75 0001 02", "75 0007 04 0007 000003EA"),
      .control("00 48 00 001958 74 00 000B 02 0000000000000102 0007", "09 48 00 001958 74 00 0001 04"),
      .did(.play(0x102, .search("Episode"), 1))),
    .init(
      "TG/MCN/SRC/BI-01-C", "without a search there is nothing; text that is none",
      .browse("71 000A 02 00000000 00000009 FF", "71 0001 14"), .browse("75 0001 02", "75 0001 14"),
      .browse("73 0010 02 0000000000020000 0007 01 00000001", "73 0001 14"),
      .control("00 48 00 001958 74 00 000B 02 0000000000000102 0007", "0A 48 00 001958 74 00 0001 14"),
      .browse("80 0004 006A 0000", "80 0001 02"), .browse("80 0006 006A 0002 C328", "80 0001 02"),
      .browse("80 0006 006A 0003 4141", "80 0001 02"), .browse("80 0006 0004 0002 4141", "80 0001 01"),
      .browse("80 0006 0003 0002 C3BC", "80 0001 01"), .browse("71 000A 02 00000000 00000009 FF", "71 0001 14")),
  ]

  static let nowPlaying: [QualificationCase] = [
    .init(
      "TG/MCN/NP/BV-02-C TG/MCN/NP/BV-01-I", "play an item: of the root, of a folder, of the now playing list",
      .control("00 48 00 001958 74 00 000B 01 0000000000000101 0007", "09 48 00 001958 74 00 0001 04"),
      .did(.play(0x101, .folder(0), 1)), .browse("72 000B 0007 01 0000000000000302", "72 0005 04 00000002"),
      .control("00 48 00 001958 74 00 000B 01 0000000000020001 0007", "09 48 00 001958 74 00 0001 04"),
      .did(.play(0x20001, .folder(0x302), 1)),
      .control("00 48 00 001958 74 00 000B 03 0000000000000A0C 0007", "09 48 00 001958 74 00 0001 04"),
      .did(.play(0xA0C, .nowPlaying, 1))),
    .init(
      "TG/MCN/NP/BV-02-C", "what was picked in another player's folders is what the car shows and drives from then on",
      .control("00 48 00 001958 60 00 0002 0002", "09 48 00 001958 60 00 0001 04"), .did(.address(2)),
      .control("03 48 00 001958 31 00 0005 0B 00000000", "0F 48 00 001958 31 00 0005 0B 0002 0000", label: 1),
      .control("03 48 00 001958 31 00 0005 01 00000000", "0F 48 00 001958 31 00 0002 01 00", label: 2),
      .browse("70 0002 0001", "70 000A 04 0007 00000004 006A 00"),
      .control("00 48 00 001958 74 00 000B 01 0000000000000202 0007", "0A 48 00 001958 74 00 0001 0C", label: 3),
      .control("01 48 00 001958 30 00 0000", "0C 48 00 001958 30 00 0009 FFFFFFFF FFFFFFFF 00"),
      .control("00 48 00 001958 90 00 000B 01 0000000000000101 0007", "09 48 00 001958 90 00 0001 04"),
      .did(.add(0x101, .virtualFilesystem, 1)),
      .control("01 48 00 001958 30 00 0000", "0C 48 00 001958 30 00 0009 FFFFFFFF FFFFFFFF 00"),
      .control("00 48 00 001958 74 00 000B 01 0000000000000101 0007", "09 48 00 001958 74 00 0001 04", label: 3),
      .did(.play(0x101, .folder(0), 1)), .heard("0D 48 00 001958 31 00 0005 0B 0001 0007", label: 1),
      .heard("0A 48 00 001958 31 00 0001 16", label: 2),
      .control("01 48 00 001958 30 00 0000", "0C 48 00 001958 30 00 0009 0036EE80 0000EA60 02"),
      .control("00 48 7C 44 00", "09 48 7C 44 00"), .did(.perform(.play, 1)), .quiet),
    .init(
      "TG/MCN/NP/BV-02-C", "a car that browses knows 1.4, whatever its record says: what it lists, it can play",
      peer: Rig.oldRecord,
      .browse("75 0001 01", "75 0007 04 0007 00000004"),
      .control("00 48 00 001958 74 00 000B 01 0000000000000101 0007", "09 48 00 001958 74 00 0001 04"),
      .did(.play(0x101, .folder(0), 1))),
    .init(
      "TG/MCN/NP/BV-04-C TG/MCN/NP/BV-02-I", "add to now playing",
      .control("00 48 00 001958 90 00 000B 01 0000000000020000 0007", "09 48 00 001958 90 00 0001 04"),
      .did(.add(0x20000, .virtualFilesystem, 1))),
    .init(
      "TG/MCN/NP/BV-06-C TG/MCN/NP/BV-03-I TG/MCN/NP/BV-05-I", "the now playing list",
      .browse(
        "71 000A 03 00000000 00000009 FF",
        "71 0039 04 0007 0002 03 0017 0000000000000A0B 00 006A 0009 'Episode 7' 00 "
          + "03 0017 0000000000000A0C 00 006A 0009 'Episode 8' 00"),
      .browse("71 000A 03 00000002 00000009 FF", "71 0001 0B")),
    .init(
      "TG/MCN/NP/BV-07-C TG/MCN/NP/BV-04-I", "another now playing list",
      .control("03 48 00 001958 31 00 0005 09 00000000", "0F 48 00 001958 31 00 0001 09", label: 1),
      .change { $0.players[0].nowPlayingRevision = 2 }, .heard("0D 48 00 001958 31 00 0001 09", label: 1),
      .control("03 48 00 001958 31 00 0005 09 00000000", "0F 48 00 001958 31 00 0001 09", label: 1), .quiet),
    .init(
      "TG/MCN/NP/BV-07-C", "another one while nobody was registered is told with the next registration",
      .control("03 48 00 001958 31 00 0005 09 00000000", "0F 48 00 001958 31 00 0001 09", label: 1),
      .control("03 48 00 001958 31 00 0005 06 00000000", "0F 48 00 001958 31 00 0002 06 00", label: 2),
      .change { $0.players[0].nowPlayingRevision = 2 }, .heard("0D 48 00 001958 31 00 0001 09", label: 1),
      .change {
        $0.players[0].nowPlayingRevision = 3
        $0.battery = .warning
      }, .heard("0D 48 00 001958 31 00 0002 06 01", label: 2),
      .control("03 48 00 001958 31 00 0005 09 00000000", "0F 48 00 001958 31 00 0001 09", label: 1),
      .heard("0D 48 00 001958 31 00 0001 09", label: 1),
      .control("03 48 00 001958 31 00 0005 09 00000000", "0F 48 00 001958 31 00 0001 09", label: 1), .quiet),
    .init(
      "TG/MCN/NP/BV-09-C TG/MCN/NP/BV-06-I", "attributes of an item of the now playing list",
      .browse("73 0010 03 0000000000000A0C 0007 01 00000001", "73 0013 04 01 00000001 006A 0009 'Episode 8'"),
      .browse("73 0010 03 0000000000000101 0007 01 00000001", "73 0001 09")),
    .init(
      "TG/MCN/NP/BV-11-C TG/MCN/NP/BV-07-I", "how many in the now playing list",
      .browse("75 0001 03", "75 0007 04 0007 00000002")),
    .init(
      "TG/MCN/NP/BI-01-C", "play what is not there, what does not play, from where nothing is",
      .control("00 48 00 001958 74 00 000B 01 0000000000000999 0007", "0A 48 00 001958 74 00 0001 09"),
      .control("00 48 00 001958 74 00 000B 01 0000000000000202 0007", "0A 48 00 001958 74 00 0001 0C"),
      .control("00 48 00 001958 74 00 000B 01 0000000000000000 0007", "0A 48 00 001958 74 00 0001 09"),
      .control("00 48 00 001958 74 00 000B 01 FFFFFFFFFFFFFFFF 0007", "0A 48 00 001958 74 00 0001 09"),
      .control("00 48 00 001958 74 00 000B 00 0000000000000101 0007", "0A 48 00 001958 74 00 0001 0A"),
      .control("00 48 00 001958 74 00 000B 04 0000000000000101 0007", "0A 48 00 001958 74 00 0001 0A"),
      .control("00 48 00 001958 74 00 000A 01 0000000000000101 00", "0A 48 00 001958 74 00 0001 02"), .quiet),
    .init(
      "TG/MCN/NP/BI-02-C", "add what is not there",
      .control("00 48 00 001958 90 00 000B 01 0000000000000999 0007", "0A 48 00 001958 90 00 0001 09"),
      .control("00 48 00 001958 90 00 000B 01 0000000000000203 0007", "0A 48 00 001958 90 00 0001 0C"), .quiet),
  ]

  static let faults: [QualificationCase] = [
    .init(
      "TG/INV/BI-02-C", "browsing PDUs that are none: general reject; cut off ones",
      .browse("FF 0000", "A0 0001 00"), .browse("20 0000", "A0 0001 00"),
      .browse("74 000B 01 0000000000000101 0007", "A0 0001 00"),
      .browse("A0 0001 00", "A0 0001 00"), .browse("71", "A0 0001 00"), .browse("71 00", "A0 0001 00"), .browse("", "A0 0001 00"),
      .browse("71 000B 01 00000000 00000001 FF", "71 0001 02"), .browse("71 0009 01 00000000 00000001 FF", "71 0001 02"),
      .browse("FF 0001", "A0 0001 00"))
  ]
}
