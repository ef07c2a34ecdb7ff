import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesPerSecond, type SpeedSamples, withSample } from './upload-speed.ts'

/**
 * Samples the speed every `intervalMs` milliseconds from 0 to `durationMs`. `bytesAt` returns the
 * bytes sent by a given time.
 */
function sampleSpeed(durationMs: number, bytesAt: (timeMs: number) => number, intervalMs = 500) {
  let samples: SpeedSamples = []
  for (let timeMs = 0; timeMs <= durationMs; timeMs += intervalMs)
    samples = withSample(samples, timeMs, bytesAt(timeMs))
  return samples
}

describe('the speed of an upload', () => {
  test('is unknown before anything is sent and during the first two seconds', () => {
    expect(bytesPerSecond([], 5000)).toBeNull()
    expect(
      bytesPerSecond(
        sampleSpeed(1500, (timeMs) => timeMs),
        1500,
      ),
    ).toBeNull()
    expect(
      bytesPerSecond(
        sampleSpeed(2000, (timeMs) => timeMs),
        2000,
      ),
    ).toBe(1000)
  })

  test('is measured over the last seconds, not since the start', () => {
    const bytesAt = (timeMs: number) => (timeMs < 60_000 ? timeMs : 60_000 + (timeMs - 60_000) * 10)
    expect(bytesPerSecond(sampleSpeed(70_000, bytesAt), 70_000)).toBe(10_000)
  })

  test('falls to zero while the connection is down', () => {
    const samples = sampleSpeed(20_000, (timeMs) => timeMs)
    expect(bytesPerSecond(samples, 24_000)).toBeLessThan(600)
    expect(bytesPerSecond(samples, 30_000)).toBe(0)
  })

  test('recovers soon after a long outage', () => {
    const bytesAt = (timeMs: number) => Math.min(timeMs, 10_000) + Math.max(0, timeMs - 100_000)
    expect(bytesPerSecond(sampleSpeed(109_000, bytesAt), 109_000)).toBe(1000)
  })

  test("doesn't fall when a part is lost", () => {
    const bytesAt = (timeMs: number) =>
      timeMs < 10_000 ? timeMs * 1000 : timeMs * 1000 - 8_000_000
    const speed = bytesPerSecond(sampleSpeed(12_000, bytesAt), 12_000)
    expect(speed).toBeGreaterThan(900_000)
    expect(speed).toBeLessThanOrEqual(1_000_000)
  })

  test('is never negative, and few samples are kept', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 3000 }), fc.nat(1e9)), {
      maxLength: 100,
    })
    fc.assert(
      fc.property(steps, (all) => {
        let samples: SpeedSamples = []
        let timeMs = 0
        for (const [ms, bytes] of all) {
          timeMs += ms
          samples = withSample(samples, timeMs, bytes)
          expect(bytesPerSecond(samples, timeMs) ?? 0).toBeGreaterThanOrEqual(0)
        }
      }),
    )
    expect(sampleSpeed(600_000, (timeMs) => timeMs).length).toBeLessThan(20)
  })
})
