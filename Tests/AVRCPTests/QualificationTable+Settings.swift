import AVRCP

extension QualificationTable {
  static let settings: [QualificationCase] = [
    .init("TG/PAS/BV-02-C", "list attributes", .control("01 48 00 001958 11 00 0000", "0C 48 00 001958 11 00 0003 02 02 03")),
    .init(
      "TG/PAS/BV-04-C", "texts of attributes; an unknown one among known ones is left out",
      .control(
        "01 48 00 001958 15 00 0003 02 02 03",
        "0C 48 00 001958 15 00 0016 02 02 006A 06 'Repeat' 03 006A 07 'Shuffle'"),
      .control("01 48 00 001958 15 00 0003 02 09 03", "0C 48 00 001958 15 00 000C 01 03 006A 07 'Shuffle'")),
    .init(
      "TG/PAS/BV-06-C", "list values",
      .control("01 48 00 001958 12 00 0001 02", "0C 48 00 001958 12 00 0004 03 01 02 03"),
      .control("01 48 00 001958 12 00 0001 03", "0C 48 00 001958 12 00 0003 02 01 02")),
    .init(
      "TG/PAS/BV-08-C", "texts of values",
      .control(
        "01 48 00 001958 16 00 0004 02 02 01 03", "0C 48 00 001958 16 00 000F 02 01 006A 03 'Off' 03 006A 03 'All'")),
    .init(
      "TG/PAS/BV-10-C", "current values, each once",
      .control("01 48 00 001958 13 00 0003 02 02 03", "0C 48 00 001958 13 00 0005 02 02 01 03 01"),
      .control("01 48 00 001958 13 00 0004 03 03 03 02", "0C 48 00 001958 13 00 0005 02 03 01 02 01")),
    .init(
      "TG/PAS/BV-12-C", "set a value; the last of two for one attribute counts",
      .control("00 48 00 001958 14 00 0003 01 02 03", "09 48 00 001958 14 00 0000"),
      .did(.set([.init(attribute: 2, value: 3)], 1)),
      .control("00 48 00 001958 14 00 0007 03 02 03 03 02 02 01", "09 48 00 001958 14 00 0000"),
      .did(.set([.init(attribute: 3, value: 2), .init(attribute: 2, value: 1)], 1))),
    .init(
      "TG/PAS/BI-01-C", "text of an attribute that is none; lengths",
      .control("01 48 00 001958 15 00 0002 01 09", "0A 48 00 001958 15 00 0001 01"),
      .control("01 48 00 001958 15 00 0001 00", "0A 48 00 001958 15 00 0001 01"),
      .control("01 48 00 001958 15 00 0002 02 02", "0A 48 00 001958 15 00 0001 02")),
    .init(
      "TG/PAS/BI-02-C", "values of an attribute that is none",
      .control("01 48 00 001958 12 00 0001 7F", "0A 48 00 001958 12 00 0001 01"),
      .control("01 48 00 001958 12 00 0000", "0A 48 00 001958 12 00 0001 02"),
      .control("01 48 00 001958 11 00 0001 00", "0A 48 00 001958 11 00 0001 02")),
    .init(
      "TG/PAS/BI-03-C", "text of a value that is none, of an attribute that is none",
      .control("01 48 00 001958 16 00 0003 02 01 09", "0A 48 00 001958 16 00 0001 01"),
      .control("01 48 00 001958 16 00 0003 09 01 01", "0A 48 00 001958 16 00 0001 01"),
      .control("01 48 00 001958 16 00 0001 02", "0A 48 00 001958 16 00 0001 02"),
      .control("01 48 00 001958 16 00 0000", "0A 48 00 001958 16 00 0001 02")),
    .init(
      "TG/PAS/BI-04-C", "current value of an attribute that is none",
      .control("01 48 00 001958 13 00 0002 01 01", "0A 48 00 001958 13 00 0001 01"),
      .control("01 48 00 001958 13 00 0001 02", "0A 48 00 001958 13 00 0001 02")),
    .init(
      "TG/PAS/BI-05-C", "one wrong pair and none is set",
      .control("00 48 00 001958 14 00 0005 02 02 03 03 09", "0A 48 00 001958 14 00 0001 01"),
      .control("00 48 00 001958 14 00 0003 01 01 01", "0A 48 00 001958 14 00 0001 01"),
      .control("00 48 00 001958 14 00 0002 01 02", "0A 48 00 001958 14 00 0001 02"),
      .control("00 48 00 001958 14 00 0001 00", "0A 48 00 001958 14 00 0001 02"),
      .control("01 48 00 001958 14 00 0003 01 02 03", "0A 48 00 001958 14 00 0001 00"), .quiet),
    .init(
      "TG/PAS/BV-02-C", "a car that must see no settings", options: noSettings,
      .control("01 48 00 001958 11 00 0000", "0C 48 00 001958 11 00 0001 00"),
      .control("01 48 00 001958 12 00 0001 02", "0A 48 00 001958 12 00 0001 01"),
      .control("03 48 00 001958 31 00 0005 08 00000000", "0A 48 00 001958 31 00 0001 01"),
      .control("01 48 00 001958 10 00 0001 03", "0C 48 00 001958 10 00 000C 03 0A 01 02 03 04 05 06 09 0A 0B 0C")),
    .init(
      "TG/ICS/BV-01-C", "displayable character sets: taken as CONTROL, and as the STATUS that is seen in the field",
      .control("00 48 00 001958 17 00 0003 01 006A", "09 48 00 001958 17 00 0000"),
      .control("01 48 00 001958 17 00 0005 02 006A 0003", "0C 48 00 001958 17 00 0000"),
      .control("00 48 00 001958 17 00 0001 00", "0A 48 00 001958 17 00 0001 02"),
      .control("00 48 00 001958 17 00 0003 02 006A", "0A 48 00 001958 17 00 0001 02")),
    .init(
      "TG/IBS/BV-01-C", "the car's battery",
      .control("00 48 00 001958 18 00 0001 03", "09 48 00 001958 18 00 0000"),
      .control("01 48 00 001958 18 00 0001 00", "0C 48 00 001958 18 00 0000"),
      .control("00 48 00 001958 18 00 0001 05", "0A 48 00 001958 18 00 0001 01"),
      .control("00 48 00 001958 18 00 0000", "0A 48 00 001958 18 00 0001 02")),
  ]

  static let noSettings: TargetOptions = {
    var options = TargetOptions()
    options.allowsSettings = false
    return options
  }()
}
