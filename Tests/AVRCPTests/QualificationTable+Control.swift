import AVRCP

extension QualificationTable {
  static let connection: [QualificationCase] = [
    .init(
      "TG/CEC/BV-01-I TG/CEC/BV-02-I TG/CRC/BV-01-I", "a channel that is there is served, whatever the label",
      .control("01 FF 30 FF FF FF FF FF", "0C FF 30 07 48 00 19 58", label: 0),
      .control("01 FF 30 FF FF FF FF FF", "0C FF 30 07 48 00 19 58", label: 15)),
    .init(
      "TG/CRC/BV-02-I TG/CON/BV-04-C", "commands on both channels, each with its own labels",
      .browse("75 0001 00", "75 0007 04 0007 00000002"),
      .control("01 48 00 001958 10 00 0001 02", "0C 48 00 001958 10 00 0005 02 01 001958"),
      .browse("75 0001 00", "75 0007 04 0007 00000002")),
    .init(
      "TG/ICC/BV-01-I", "UNIT INFO: a panel of the Bluetooth SIG",
      .control("01 FF 30 FF FF FF FF FF", "0C FF 30 07 48 00 19 58")),
    .init(
      "TG/ICC/BV-02-I", "SUBUNIT INFO: one panel; later pages are empty",
      .control("01 FF 31 07 FF FF FF FF", "0C FF 31 07 48 FF FF FF"),
      .control("01 FF 31 17 FF FF FF FF", "0C FF 31 17 FF FF FF FF")),
    .init(
      "AVCTP/TG/CCM/BV-03-C AVCTP/TG/NFR/BI-01-C", "another profile's PID comes back with IPID and nothing else",
      .packet("00 11 0F 01 FF 30 FF FF FF FF FF", "03 11 0F"), .browsingPacket("50 AB CD 71", "53 AB CD"),
      .control("01 FF 30 FF FF FF FF FF", "0C FF 30 07 48 00 19 58")),
    .init(
      "AVCTP/TG/FRA/BV-01-C", "fragments, stubs, responses nobody waits for and IPID in a command are dropped",
      .ignored("04 03 11 0E 01 FF 30 FF FF FF FF FF"), .ignored("08 01 FF 30 FF FF FF FF FF"), .ignored("0C 01 FF 30"),
      .ignored(""), .ignored("00"), .ignored("00 11"), .ignored("00 11 0E"), .ignored("00 11 0E 01 FF"),
      .ignored("02 11 0E 0C FF 30 07 48 00 19 58"), .ignored("01 11 0E 01 FF 30 FF FF FF FF FF"),
      .ignored("00 11 0E 11 FF 30 FF FF FF FF FF"), .control("01 FF 30 FF FF FF FF FF", "0C FF 30 07 48 00 19 58")),
    .init(
      "TG/PTT/BV-01-I", "category 1 keys: accepted with the key as it came, and done",
      .control("00 48 7C 44 00", "09 48 7C 44 00"), .did(.perform(.play, 1)), .control("00 48 7C C4 00", "09 48 7C C4 00"),
      .control("00 48 7C 46 00", "09 48 7C 46 00"), .did(.perform(.pause, 1)), .control("00 48 7C C6 00", "09 48 7C C6 00"),
      .control("00 48 7C 45 00", "09 48 7C 45 00"), .did(.perform(.stop, 1)), .control("00 48 7C C5 00", "09 48 7C C5 00"),
      .control("00 48 7C 4B 00", "09 48 7C 4B 00"), .did(.perform(.next, 1)), .control("00 48 7C CB 00", "09 48 7C CB 00"),
      .control("00 48 7C 4C 00", "09 48 7C 4C 00"), .did(.perform(.previous, 1)), .control("00 48 7C CC 00", "09 48 7C CC 00"),
      .control("00 48 7C 7E 05 001958 0000", "09 48 7C 7E 05 001958 0000"), .did(.perform(.nextGroup, 1)),
      .control("00 48 7C FE 05 001958 0000", "09 48 7C FE 05 001958 0000"),
      .control("00 48 7C 7E 05 001958 0001", "09 48 7C 7E 05 001958 0001"), .did(.perform(.previousGroup, 1)),
      .control("00 48 7C FE 05 001958 0001", "09 48 7C FE 05 001958 0001"),
      .quiet),
    .init(
      "TG/PTT/BV-02-I", "keys that no player has are not implemented: volume, record, select, another vendor's",
      .control("00 48 7C 41 00", "08 48 7C 41 00"), .control("00 48 7C 47 00", "08 48 7C 47 00"),
      .control("00 48 7C 00 00", "08 48 7C 00 00"), .control("00 48 7C 7E 05 00195A 0000", "08 48 7C 7E 05 00195A 0000"),
      .control("00 48 7C 7E 05 001958 0002", "08 48 7C 7E 05 001958 0002"), .quiet),
    .init(
      "TG/PTT/BV-02-I", "volume keys reach a player that has them, again while held",
      .change { $0.players[0].features.insert(.volumeUp) },
      .update(.reachedEnd(player: 9)), .control("03 48 00 001958 31 00 0005 06 00000000", "0F 48 00 001958 31 00 0002 06 00"),
      .change { $0.battery = .warning }, .heard("0D 48 00 001958 31 00 0002 06 01"),
      .control("00 48 7C 41 00", "09 48 7C 41 00"), .did(.perform(.volumeUp, 1)),
      .control("00 48 7C 41 00", "09 48 7C 41 00"), .did(.perform(.volumeUp, 1)),
      .control("00 48 7C C1 00", "09 48 7C C1 00"), .quiet),
    .init(
      "TG/PTT/BV-05-I", "fast-forward: a tap skips, a hold scrubs until its release",
      .control("00 48 7C 49 00", "09 48 7C 49 00"), .control("00 48 7C C9 00", "09 48 7C C9 00"), .did(.perform(.skipForward, 1)),
      .control("00 48 7C 49 00", "09 48 7C 49 00"), .advance(.milliseconds(600)), .did(.perform(.scrubForward, 1)),
      .advance(.seconds(1)), .control("00 48 7C 49 00", "09 48 7C 49 00"), .advance(.seconds(1)), .quiet,
      .control("00 48 7C C9 00", "09 48 7C C9 00"), .did(.perform(.scrubEnd, 1)), .quiet),
    .init(
      "TG/PTT/BV-05-I", "rewind: without a sign of the key for 2 s it is released",
      .control("00 48 7C 48 00", "09 48 7C 48 00"), .advance(.seconds(2)), .did(.perform(.scrubBack, 1)),
      .did(.perform(.scrubEnd, 1)), .control("00 48 7C C8 00", "09 48 7C C8 00"), .quiet),
    .init(
      "TG/PTT/BV-05-I", "a repeated press is the sign of a held key; another key releases the first",
      .control("00 48 7C 49 00", "09 48 7C 49 00"), .control("00 48 7C 49 00", "09 48 7C 49 00"),
      .did(.perform(.scrubForward, 1)), .control("00 48 7C 46 00", "09 48 7C 46 00"), .did(.perform(.scrubEnd, 1)),
      .did(.perform(.pause, 1)), .control("00 48 7C 46 00", "09 48 7C 46 00"), .quiet),
    .init(
      "TG/PTT/BV-05-I", "a car that never releases", options: QualificationTable.noRelease,
      .control("00 48 7C 49 00", "09 48 7C 49 00"), .did(.perform(.skipForward, 1)), .control("00 48 7C 4B 00", "09 48 7C 4B 00"),
      .did(.perform(.next, 1)), .control("00 48 7C 4B 00", "09 48 7C 4B 00"), .did(.perform(.next, 1)), .advance(.seconds(9)),
      .quiet),
    .init(
      "TG/PTT/BI-01-C", "keys that are not well formed are rejected; other command types and subunits have none",
      .control("00 48 7C 44", "0A 48 7C 44"), .control("00 48 7C 44 01", "0A 48 7C 44 01"),
      .control("00 48 7C 44 01 00", "0A 48 7C 44 01 00"), .control("00 48 7C", "0A 48 7C"),
      .control("01 48 7C 44 00", "08 48 7C 44 00"), .control("01 48 7C 44", "08 48 7C 44"),
      .control("00 49 7C 44 00", "08 49 7C 44 00"), .control("00 48 01 44 00", "08 48 01 44 00"), .quiet),
  ]

  static let noRelease: TargetOptions = {
    var options = TargetOptions()
    options.hasNoRelease = true
    return options
  }()

  static let information: [QualificationCase] = [
    .init(
      "TG/CFG/BV-02-C", "the company id", .control("01 48 00 001958 10 00 0001 02", "0C 48 00 001958 10 00 0005 02 01 001958")),
    .init(
      "TG/CFG/BV-02-C", "events: all that are there for a 1.6 car",
      .control(
        "01 48 00 001958 10 00 0001 03", "0C 48 00 001958 10 00 000D 03 0B 01 02 03 04 05 06 08 09 0A 0B 0C")),
    .init(
      "TG/CFG/BV-02-C", "events: only those of 1.3 for a 1.3 car", peer: Rig.oldCar,
      .control("01 48 00 001958 10 00 0001 03", "0C 48 00 001958 10 00 0009 03 07 01 02 03 04 05 06 08")),
    .init(
      "TG/CFG/BI-01-C", "a capability that is none; a request without one; one too many",
      .control("01 48 00 001958 10 00 0001 00", "0A 48 00 001958 10 00 0001 01"),
      .control("01 48 00 001958 10 00 0001 04", "0A 48 00 001958 10 00 0001 01"),
      .control("01 48 00 001958 10 00 0000", "0A 48 00 001958 10 00 0001 02"),
      .control("01 48 00 001958 10 00 0002 03 03", "0A 48 00 001958 10 00 0001 02")),
    .init(
      "TG/MDI/BV-02-C", "GetPlayStatus: length, position, status",
      .control("01 48 00 001958 30 00 0000", "0C 48 00 001958 30 00 0009 0036EE80 0000EA60 02")),
    .init(
      "TG/MDI/BV-02-C", "GetPlayStatus without a player, and with a parameter that it does not have",
      .control("03 48 00 001958 31 00 0005 0B 00000000", "0F 48 00 001958 31 00 0005 0B 0001 0007"),
      .change { $0.players = [] }, .heard("0D 48 00 001958 31 00 0005 0B 0000 0000"),
      .control("01 48 00 001958 30 00 0000", "0C 48 00 001958 30 00 0009 FFFFFFFF FFFFFFFF 00"),
      .control("01 48 00 001958 30 00 0001 00", "0A 48 00 001958 30 00 0001 02")),
    .init(
      "TG/MDI/BV-04-C TG/MDI/BV-05-C", "GetElementAttributes: one, all, and one that is not known",
      .control(
        "01 48 00 001958 20 00 000D 0000000000000000 01 00000001",
        "0C 48 00 001958 20 00 0012 01 00000001 006A 0009 'Episode 7'"),
      .control(
        "01 48 00 001958 20 00 0009 0000000000000000 00",
        "0C 48 00 001958 20 00 0048 05 00000001 006A 0009 'Episode 7' 00000002 006A 0004 'Show' 00000003 006A 0004 'Show' "
          + "00000006 006A 0007 'Podcast' 00000007 006A 0007 '3600000'"),
      .control(
        "01 48 00 001958 20 00 0011 0000000000000000 02 00000004 00000007",
        "0C 48 00 001958 20 00 0018 02 00000004 006A 0000 00000007 006A 0007 '3600000'")),
    .init(
      "TG/MDI/BI-01-C", "GetElementAttributes: an element other than the playing one, no known id, lengths that are not even",
      .control("01 48 00 001958 20 00 0009 0000000000000001 00", "0A 48 00 001958 20 00 0001 01"),
      .control("01 48 00 001958 20 00 000D 0000000000000000 01 000000FF", "0A 48 00 001958 20 00 0001 01"),
      .control("01 48 00 001958 20 00 000D 0000000000000000 02 00000001", "0A 48 00 001958 20 00 0001 02"),
      .control("01 48 00 001958 20 00 0008 0000000000000000", "0A 48 00 001958 20 00 0001 02")),
    .init(
      "TG/RCR/BV-02-C", "a long answer goes on when it is asked to",
      .control("03 48 00 001958 31 00 0005 02 00000000", "0F 48 00 001958 31 00 0009 02 0000000000000A0B"),
      .change { $0.players[0].track = QualificationTable.longTrack },
      .heard("0D 48 00 001958 31 00 0009 02 0000000000000009"),
      // 1 + 3 × 248 = 745 bytes of parameters: 502 and 243.
      .control("01 48 00 001958 20 00 0009 0000000000000000 00", QualificationTable.longStart),
      .control("00 48 00 001958 40 00 0001 20", QualificationTable.longEnd, label: 5),
      .control("00 48 00 001958 40 00 0001 20", "0A 48 00 001958 40 00 0001 01")),
    .init(
      "TG/RCR/BV-04-C", "a long answer is given up when told so, and by any other command",
      .control("03 48 00 001958 31 00 0005 02 00000000", "0F 48 00 001958 31 00 0009 02 0000000000000A0B"),
      .change { $0.players[0].track = QualificationTable.longTrack },
      .heard("0D 48 00 001958 31 00 0009 02 0000000000000009"),
      .control("00 48 00 001958 41 00 0001 20", "0A 48 00 001958 41 00 0001 01"),
      .control("01 48 00 001958 20 00 0009 0000000000000000 00", QualificationTable.longStart),
      .control("00 48 00 001958 40 00 0001 30", "0A 48 00 001958 40 00 0001 01"),
      .control("00 48 00 001958 41 00 0001 20", "09 48 00 001958 41 00 0000"),
      .control("00 48 00 001958 40 00 0001 20", "0A 48 00 001958 40 00 0001 01"),
      .control("01 48 00 001958 20 00 0009 0000000000000000 00", QualificationTable.longStart),
      .control("01 48 00 001958 30 00 0000", "0C 48 00 001958 30 00 0009 FFFFFFFF 0000EA60 02"),
      .control("00 48 00 001958 40 00 0001 20", "0A 48 00 001958 40 00 0001 01"),
      // One that is refused is another command too.
      .control("01 48 00 001958 20 00 0009 0000000000000000 00", QualificationTable.longStart),
      .control("01 48 00 001958 99 00 0000", "0A 48 00 001958 99 00 0001 00"),
      .control("00 48 00 001958 40 00 0001 20", "0A 48 00 001958 40 00 0001 01"),
      // Keys, and what asks for the rest with a wrong length, are not.
      .control("01 48 00 001958 20 00 0009 0000000000000000 00", QualificationTable.longStart),
      .control("00 48 00 001958 40 00 0000", "0A 48 00 001958 40 00 0001 02"),
      .control("00 48 00 001958 40 00 0002 2020", "0A 48 00 001958 40 00 0001 02"),
      .control("00 48 00 001958 41 00 0000", "0A 48 00 001958 41 00 0001 02"),
      .control("00 48 00 001958 41 00 0002 2020", "0A 48 00 001958 41 00 0001 02"),
      .control("00 48 7C 41 00", "08 48 7C 41 00"), .control("00 48 00 001958 40 00 0001 20", QualificationTable.longEnd)),
    .init(
      "TG/INV/BI-01-C", "a PDU that is none, of another company, with another command type, in pieces, cut off",
      .control("00 48 00 001958 FF 00 0000", "0A 48 00 001958 FF 00 0001 00"),
      .control("01 48 00 00195A 10 00 0001 02", "08 48 00 00195A 10 00 0001 02"),
      .control("00 48 00 001958 10 00 0001 02", "0A 48 00 001958 10 00 0001 00"),
      .control("03 48 00 001958 30 00 0000", "0A 48 00 001958 30 00 0001 00"),
      .control("01 48 00 001958 10 01 0001 02", "0A 48 00 001958 10 00 0001 02"),
      .control("01 48 00 001958 10 00 0005 02", "0A 48 00 001958 10 00 0001 02"),
      .control("01 48 00 001958 10 00", "08 48 00 001958 10 00"), .control("01 48 00", "08 48 00"),
      .control("01 FF 00 001958 10 00 0001 02", "08 FF 00 001958 10 00 0001 02"),
      .control("00 48 00 001958 71 00 000A 00 00000000 00000000 00", "0A 48 00 001958 71 00 0001 00")),
    .init(
      "TG/INV/BI-01-C", "AV/C: what no unit of ours knows is not implemented and comes back as it came, whatever it is",
      // Opcodes: of other subunits, of the unit (POWER, RESERVE, PLUG INFO), none at all.
      .control("00 48 01 44 00", "08 48 01 44 00"), .control("01 FF B2 7F", "08 FF B2 7F"),
      .control("00 FF 01 01 FF FF FF FF", "08 FF 01 01 FF FF FF FF"),
      .control("01 FF 02 00 FF FF FF FF", "08 FF 02 00 FF FF FF FF"),
      .control("03 48 FF", "08 48 FF"),
      // Subunits: another panel, a tape recorder, the unit where a panel belongs, a panel where the unit belongs, extended ones.
      .control("00 49 7C 44 00", "08 49 7C 44 00"), .control("00 20 7C 44 00", "08 20 7C 44 00"),
      .control("00 FF 7C 44 00", "08 FF 7C 44 00"), .control("01 48 30 FF FF FF FF FF", "08 48 30 FF FF FF FF FF"),
      .control("01 20 00 001958 10 00 0001 03", "08 20 00 001958 10 00 0001 03"),
      .control("00 F0 05 7C 44 00", "08 F0 05 7C 44 00"),
      // Companies: another one's, whatever the type and the length say.
      .control("00 48 00 00195A 10 00 0001 02", "08 48 00 00195A 10 00 0001 02"),
      .control("01 48 00 000000 20 00 0009 00", "08 48 00 000000 20 00 0009 00"),
      .control("03 48 00 FFFFFF 31 00 0005 01 00000000", "08 48 00 FFFFFF 31 00 0005 01 00000000"),
      .control("00 48 00 581900 60 00 0002 0001", "08 48 00 581900 60 00 0002 0001"),
      .control("00 48 00 00195A", "08 48 00 00195A"),
      // Types: reserved ones, and responses.
      .control("05 48 7C 44 00", "08 48 7C 44 00"), .control("07 48 00 001958 30 00 0000", "08 48 00 001958 30 00 0000"),
      .control("09 48 7C 44 00", "08 48 7C 44 00"), .control("0C FF 30 07 48 00 19 58", "08 FF 30 07 48 00 19 58"),
      // UNIT INFO and SUBUNIT INFO with another type, another length, a page code that is none.
      .control("00 FF 30 FF FF FF FF FF", "08 FF 30 FF FF FF FF FF"), .control("01 FF 30 FF", "08 FF 30 FF"),
      .control("03 FF 31 07 FF FF FF FF", "08 FF 31 07 FF FF FF FF"),
      .control("01 FF 31 87 FF FF FF FF", "08 FF 31 87 FF FF FF FF"),
      .quiet),
    .init(
      "TG/INV/BI-01-C", "AVRCP: a PDU of ours that is not known is rejected, with its own number, whatever the type",
      .control("00 48 00 001958 00 00 0000", "0A 48 00 001958 00 00 0001 00"),
      .control("01 48 00 001958 19 00 0000", "0A 48 00 001958 19 00 0001 00"),
      .control("03 48 00 001958 99 00 0003 000000", "0A 48 00 001958 99 00 0001 00"),
      .control("00 48 00 001958 A0 00 0001 00", "0A 48 00 001958 A0 00 0001 00"),
      .control("01 48 00 001958 99 00 0007 00", "0A 48 00 001958 99 00 0001 00"), .quiet),
    .init(
      "TG/INV/BI-01-C", "AV/C: inquiries are answered and never rejected: as a CONTROL command would be known, with nothing done",
      // SPECIFIC INQUIRY: keys, PDUs.
      .control("02 48 7C 44 00", "0C 48 7C 44 00"), .control("02 48 7C 41 00", "08 48 7C 41 00"),
      .control("02 48 7C 44", "08 48 7C 44"), .control("02 48 7C 44 01 00", "08 48 7C 44 01 00"),
      .control("02 48 00 001958 60 00 0002 0001", "0C 48 00 001958 60 00 0002 0001"),
      .control("02 48 00 001958 30 00 0000", "08 48 00 001958 30 00 0000"),
      .control("02 48 00 001958 99 00 0000", "08 48 00 001958 99 00 0000"),
      .control("02 48 00 00195A 60 00 0002 0001", "08 48 00 00195A 60 00 0002 0001"),
      .control("02 48 00 001958 60 00 0009 0001", "08 48 00 001958 60 00 0009 0001"),
      .control("02 FF 30 FF FF FF FF FF", "08 FF 30 FF FF FF FF FF"), .control("02 48 01", "08 48 01"),
      // GENERAL INQUIRY: by the opcode alone.
      .control("04 48 7C", "0C 48 7C"), .control("04 48 00", "0C 48 00"), .control("04 48 01", "08 48 01"),
      .control("04 FF 30", "08 FF 30"), .control("04 49 7C", "08 49 7C"), .quiet),
    .init(
      "TG/INV/BI-01-C", "a specific inquiry knows the PDUs of the car's version alone", peer: Rig.oldCar,
      .control("02 48 00 001958 60 00 0002 0001", "08 48 00 001958 60 00 0002 0001"),
      .control("02 48 00 001958 14 00 0003 010201", "0C 48 00 001958 14 00 0003 010201")),
    .init(
      "TG/VLH/BI-01-C TG/VLH/BI-02-C", "we are no category 2 target: the car may not set a volume, nor wait for one",
      .control("00 48 00 001958 50 00 0001 40", "0A 48 00 001958 50 00 0001 00"),
      .control("00 48 00 001958 50 00 0000", "0A 48 00 001958 50 00 0001 00"),
      .control("03 48 00 001958 31 00 0005 0D 00000000", "0A 48 00 001958 31 00 0001 01")),
  ]

  static let a = String(repeating: "A", count: 240)
  static let b = String(repeating: "B", count: 240)
  static let longTrack = TargetTrack(uid: 9, attributes: .init(title: a, artist: b, album: a))
  /// Three texts of 240 bytes make 745 bytes of parameters: 502 of them go first, then 243.
  static let longStart = "0C 48 00 001958 20 01 01F6 03 00000001 006A 00F0 '\(a)' 00000002 006A 00F0 '\(b)' 00000003 00"
  static let longEnd = "0C 48 00 001958 20 03 00F3 6A 00F0 '\(a)'"
}
