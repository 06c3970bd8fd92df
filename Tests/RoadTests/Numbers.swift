import Glibc
import TestKit

func sine(_ phase: Double) -> Double { sin(phase) }

/// Times 20: the decibels of an amplitude.
func tenthPower(_ amplitude: Double) -> Double { log10(amplitude) }

extension SplitMix64 {
  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<max(1, bound), using: &self) }
}
