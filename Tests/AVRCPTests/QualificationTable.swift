enum QualificationTable {
  static let all = connection + information + settings + notifications + players + browsing + searching + nowPlaying + faults

  static let required =
    group("TG/CEC/BV-", ["01-I", "02-I"]) + group("TG/CRC/BV-", ["01-I", "02-I"]) + group("TG/ICC/BV-", ["01-I", "02-I"])
    + group("TG/PTT/BV-", ["01-I", "02-I", "05-I"]) + group("TG/CON/BV-", ["04-C"])
    + group("TG/CFG/", ["BV-02-C", "BI-01-C"]) + group("TG/MDI/BV-", ["02-C", "04-C", "05-C"])
    + group("TG/PAS/BV-", ["02-C", "04-C", "06-C", "08-C", "10-C", "12-C"])
    + group("TG/PAS/BI-", ["01-C", "02-C", "03-C", "04-C", "05-C"])
    + group("TG/NFY/", ["BV-02-C", "BV-03-C", "BV-04-C", "BV-05-C", "BV-06-C", "BV-07-C", "BV-08-C", "BI-01-C"])
    + group("TG/RCR/BV-", ["02-C", "04-C"]) + group("TG/INV/BI-", ["01-C", "02-C"])
    + group("TG/MPS/BV-", ["02-C", "04-C", "05-C", "06-C", "07-C", "09-C", "10-C", "12-C", "01-I", "02-I", "03-I"])
    + group("TG/MPS/BI-", ["01-C", "02-C"])
    + group("TG/MCN/CB/BV-", ["02-C", "03-C", "05-C", "06-C", "08-C", "10-C", "11-C", "13-C"])
    + group("TG/MCN/CB/BV-", ["01-I", "02-I", "03-I", "04-I", "05-I", "06-I"])
    + group("TG/MCN/CB/BV-", ["09-C"])
    + group("TG/MCN/CB/BI-", ["01-C", "02-C", "03-C", "04-C", "05-C"])
    + group("TG/MCN/SRC/BV-", ["02-C", "04-C", "06-C", "08-C", "01-I", "02-I", "03-I", "04-I"])
    + group("TG/MCN/NP/BV-", ["02-C", "04-C", "06-C", "07-C", "09-C", "11-C"])
    + group("TG/MCN/NP/BV-", ["01-I", "02-I", "03-I", "04-I", "05-I", "06-I", "07-I"])
    + group("TG/MCN/NP/BI-", ["01-C", "02-C"]) + group("TG/VLH/BI-", ["01-C", "02-C"])

  private static func group(_ prefix: String, _ ids: [String]) -> [String] { ids.map { prefix + $0 } }
}
