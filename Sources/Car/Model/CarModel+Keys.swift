import AVRCP
import Library
import Player
import Reactor

/// Keys and settings.
extension CarModel {
  func perform(_ action: TargetAction, player id: UInt16) async {
    switch action {
    case .scrubForward: return await scrub(.forwardSeek, of: id)
    case .scrubBack: return await scrub(.reverseSeek, of: id)
    case .scrubEnd: return await scrub(nil, of: id)
    default: break
    }
    guard id == PlayerShown.id else {
      await others?.perform(action, on: id, settings: settings)
      return
    }
    switch action {
    case .play: await play()
    case .pause: await player.pause()
    case .stop: await player.stop()
    case .next: await player.next(from: .car)
    case .previous: await player.previous(from: .car)
    case .skipForward: await player.seek(by: settings.skipForward)
    case .skipBack: await player.seek(by: .zero - settings.skipBack)
    case .scrubForward, .scrubBack, .scrubEnd: break
    case .nextGroup: await goToFeed(1)
    case .previousGroup: await goToFeed(-1)
    case .volumeUp: await player.setVolume(newest.volume + 0.05)
    case .volumeDown: await player.setVolume(newest.volume - 0.05)
    case .mute: await mute()
    }
  }

  /// Goes on where the listener left off, also when nothing is loaded: the first thing of the tree is what resumes.
  private func play() async {
    guard !isDeafToPlay || newest.status == .playing else { return }
    do throws(LibraryError) {
      try await player.play()
    } catch {
      do throws(LibraryError) {
        let first = try await library.children(of: .root, offset: 0, limit: 1, maximumRootFolders: 4).items.first
        if let first, first.isPlayable { try await player.play(first.id, within: .root) }
      } catch {
        Log.info("The car's Play: \(error.description)")
      }
    }
  }

  private func scrub(_ direction: PlayStatus?, of id: UInt16) async {
    scrub = direction.map { (id, $0) }
    if let direction, id == PlayerShown.id {
      await scrubber.start(OwnScrubbed(player: player, timekeeper: timekeeper), forward: direction == .forwardSeek)
    } else if let direction, let others {
      await scrubber.start(OtherScrubbed(players: others, id: id), forward: direction == .forwardSeek)
    } else {
      await scrubber.stop()
    }
    await refresh()
  }

  /// What was paused stays paused, as with Next.
  private func goToFeed(_ step: Int) async {
    let wasPlaying = newest.status == .playing
    do throws(LibraryError) {
      var feed: ItemID?
      if case .episode(let id)? = newest.now?.entry.content { feed = try? await library.item(id).feed }
      guard let found = try await FeedNavigator(library: library).episode(step: step, from: feed) else { return }
      try await player.play(found.id, within: found.within)
      if !wasPlaying { await player.pause() }
    } catch {
      Log.info("The car's group key: \(error.description)")
    }
  }

  private func mute() async {
    if let volume = unmuted {
      unmuted = nil
      await player.setVolume(volume)
    } else {
      unmuted = newest.volume
      await player.setVolume(0)
    }
  }

  /// The target moves its car there; who has the keys of other cars is not changed by it.
  func address(_ player: UInt16) async throws(StatusCode) {
    guard player != PlayerShown.id else { return }
    guard await others?.all.contains(where: { $0.id == player }) == true else { throw .invalidPlayerID }
  }

  func set(_ settings: [PlayerSettingPair], player id: UInt16) async throws(StatusCode) {
    guard id == PlayerShown.id else { throw .invalidParameter }
    for pair in settings { try await SettingsShown.set(pair, on: player) }
  }
}
