import Testing

@testable import AVRCP

/// The standard's numbers, written down a second time from the facts that were collected apart from the code: a number that moved in
/// one of the two is seen.
@Suite struct TablesTests {
  @Test("PDUs")
  func pdus() {
    let numbers: [UInt8] = [
      0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x20, 0x30, 0x31, 0x40, 0x41, 0x50, 0x60, 0x70, 0x71, 0x72, 0x73,
      0x74, 0x75, 0x80, 0x90, 0xA0,
    ]
    #expect(PDUID.allCases.map(\.rawValue) == numbers)
    #expect(AVRCPTarget.browsingPDUs == [0x70, 0x71, 0x72, 0x73, 0x75, 0x80])
    // PlayItem and AddToNowPlaying are the control channel's.
    let ofControl = ControlPDUTable.rules.map(\.pdu.rawValue)
    #expect(Set(ofControl) == Set(numbers).subtracting([0x50, 0x70, 0x71, 0x72, 0x73, 0x75, 0x80, 0xA0]))
    #expect(ControlPDUTable.rules.filter { $0.types == [.control] }.map(\.pdu.rawValue) == [0x14, 0x40, 0x41, 0x60, 0x74, 0x90])
    #expect(ControlPDUTable.rules.filter { $0.types == [.notify] }.map(\.pdu.rawValue) == [0x31])
    #expect(ControlPDUTable.rules.filter { $0.since == .v14 }.map(\.pdu.rawValue) == [0x60, 0x74, 0x90])
  }

  @Test("events, and which of them end when another player is addressed")
  func events() {
    let numbers: [(EventID, UInt8)] = [
      (.playbackStatusChanged, 1), (.trackChanged, 2), (.trackReachedEnd, 3), (.trackReachedStart, 4), (.playbackPosChanged, 5),
      (.battStatusChanged, 6), (.systemStatusChanged, 7), (.playerApplicationSettingChanged, 8), (.nowPlayingContentChanged, 9),
      (.availablePlayersChanged, 0x0A), (.addressedPlayerChanged, 0x0B), (.uidsChanged, 0x0C), (.volumeChanged, 0x0D),
    ]
    #expect(numbers.count == EventID.allCases.count && numbers.allSatisfy { $0.rawValue == $1 })
    #expect(EventID.ofThePlayer.map(\.rawValue) == [1, 2, 3, 4, 5, 8, 9])
    #expect(EventID.allCases.filter { $0.since == .v14 }.map(\.rawValue) == [9, 0x0A, 0x0B, 0x0C, 0x0D])
  }

  @Test("statuses")
  func statuses() {
    let numbers: [(StatusCode, UInt8)] = [
      (.invalidCommand, 0x00), (.invalidParameter, 0x01), (.parameterContentError, 0x02), (.internalError, 0x03),
      (.completed, 0x04), (.uidChanged, 0x05), (.invalidDirection, 0x07), (.notADirectory, 0x08), (.doesNotExist, 0x09),
      (.invalidScope, 0x0A), (.rangeOutOfBounds, 0x0B), (.notPlayable, 0x0C), (.mediaInUse, 0x0D), (.nowPlayingListFull, 0x0E),
      (.searchNotSupported, 0x0F), (.searchInProgress, 0x10), (.invalidPlayerID, 0x11), (.playerNotBrowsable, 0x12),
      (.playerNotAddressed, 0x13), (.noValidSearchResults, 0x14), (.noAvailablePlayers, 0x15), (.addressedPlayerChanged, 0x16),
    ]
    #expect(numbers.count == StatusCode.allCases.count && numbers.allSatisfy { $0.rawValue == $1 })
  }

  @Test("attributes, settings, keys")
  func identifiers() {
    let attributes: [(MediaAttributeID, UInt32)] = [
      (.title, 1), (.artistName, 2), (.albumName, 3), (.trackNumber, 4), (.totalNumberOfTracks, 5), (.genre, 6),
      (.playingTime, 7), (.defaultCoverArt, 8),
    ]
    #expect(attributes.count == MediaAttributeID.allCases.count && attributes.allSatisfy { $0.rawValue == $1 })
    let settings: [(PlayerApplicationSetting, UInt8)] = [(.equalizer, 1), (.repeatMode, 2), (.shuffle, 3), (.scan, 4)]
    #expect(settings.count == PlayerApplicationSetting.allCases.count && settings.allSatisfy { $0.rawValue == $1 })
    let keys: [(OperationID, UInt8)] = [
      (.volumeUp, 0x41), (.volumeDown, 0x42), (.mute, 0x43), (.play, 0x44), (.stop, 0x45), (.pause, 0x46), (.record, 0x47),
      (.rewind, 0x48), (.fastForward, 0x49), (.eject, 0x4A), (.forward, 0x4B), (.backward, 0x4C), (.vendorUnique, 0x7E),
    ]
    #expect(keys.count == OperationID.allCases.count && keys.allSatisfy { $0.rawValue == $1 })
    #expect(GroupNavigation.nextGroup.rawValue == 0 && GroupNavigation.previousGroup.rawValue == 1)
    #expect(CharacterSet.utf8.rawValue == 106 && CompanyID.bluetoothSIG == 0x001958)
    #expect(AVCTPMessage.remoteControl == 0x110E && AVCFrame.maximumLength == 512 && AVCSubunit.panel == 0x48)
    #expect(PlayStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 0xFF])
    #expect(Scope.allCases.map(\.rawValue) == [0, 1, 2, 3])
    #expect(BatteryStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
  }

  @Test("feature bits: the sixteen octets of what Android's player can do; ours of search, queue and unique UIDs; the record's")
  func features() {
    let android: PlayerFeatures = [
      .play, .stop, .pause, .rewind, .fastForward, .forward, .backward, .advancedControlPlayer, .browsing, .nowPlaying,
      .numberOfItems,
    ]
    #expect(hex(android.octets) == hex(wire("0000000000 B7 01 0C 0A 00000000000000")))
    let numbers: [(PlayerFeature, Int)] = [
      (.vendorUnique, 56), (.basicGroupNavigation, 57), (.advancedControlPlayer, 58), (.browsing, 59), (.searching, 60),
      (.addToNowPlaying, 61), (.uidsUniqueInPlayerBrowseTree, 62), (.onlyBrowsableWhenAddressed, 63),
      (.onlySearchableWhenAddressed, 64), (.nowPlaying, 65), (.uidPersistency, 66), (.numberOfItems, 67), (.coverArt, 68),
    ]
    #expect(numbers.allSatisfy { $0.rawValue == $1 })
    // The keys' bits stand in the keys' order, from volume up (0x41) at bit 37.
    for key in OperationID.allCases where key != .vendorUnique {
      #expect(PlayerFeature(key)?.rawValue == Int(key.rawValue) - 0x41 + 37)
    }
    let record: [(ServiceFeatures, UInt16)] = [
      (.category1, 0x01), (.category2, 0x02), (.category3, 0x04), (.category4, 0x08), (.playerApplicationSettings, 0x10),
      (.groupNavigation, 0x20), (.browsing, 0x40), (.multiplePlayers, 0x80), (.coverArt, 0x100),
    ]
    #expect(record.allSatisfy { $0.rawValue == $1 })
    #expect(PlayerSubtype.audioBook.rawValue == 1 && PlayerSubtype.podcast.rawValue == 2 && PlayerType.audio.rawValue == 1)
  }
}
