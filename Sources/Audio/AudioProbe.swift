import Dispatch
import Media
import Reactor

/// Finds out whether bytes are sound that can be played, without playing them.
public enum AudioProbe {
  /// A server that says nothing at all is given so long; one that says what is wrong is believed.
  static let patience = Duration.seconds(8)

  /// On a thread of its own. The source may be played from afterwards: what was fetched for this it holds. Closing it ends the probe.
  /// - Returns: why it cannot be played (now); nil: it can.
  public static func examine(
    _ source: any ByteSource, timekeeper: any Timekeeper = SystemTimekeeper()
  ) async -> AudioError? {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "net.sdf1.ipodderx.probe").async {
        continuation.resume(returning: problem(of: source, timekeeper))
      }
    }
  }

  /// Blocks.
  private static func problem(of source: any ByteSource, _ timekeeper: any Timekeeper) -> AudioError? {
    if let error = problemOfFirstByte(source, timekeeper) {
      return AudioError(DecoderError(error))
    }
    do throws(DecoderError) {
      _ = try DecoderFactory.open(source, typeHint: nil)
      return nil
    } catch {
      return AudioError(error)
    }
  }

  private static func problemOfFirstByte(_ source: any ByteSource, _ timekeeper: any Timekeeper) -> ByteSourceError? {
    let began = timekeeper.now()
    return withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { byte in
      while true {
        do throws(ByteSourceError) {
          _ = try source.read(at: 0, into: byte)
          return nil
        } catch {
          guard error.code == .offline, error.isSilence, timekeeper.now() - began < patience else { return error }
        }
      }
    }
  }
}
