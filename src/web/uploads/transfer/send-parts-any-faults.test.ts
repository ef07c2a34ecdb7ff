import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Fault,
  partSize,
  simulateParts,
  transferErrorOf,
} from '../../../../tests/support/parts-world.ts'
import { partRange } from '../../../shared/rules/files/part-plan.ts'
import { maxConnections } from './send-parts.ts'

describe('under random faults', () => {
  const lost = fc.record({
    kind: fc.constant('lost' as const),
    cause: fc.constantFrom('network' as const, 'timeout' as const, 'stalled' as const),
    stored: fc.boolean(),
  })
  const passing = fc.record({
    kind: fc.constant('status' as const),
    status: fc.constantFrom(500, 502, 504, 408),
    stored: fc.boolean(),
  })
  const refused = fc.constantFrom<Fault>(
    { kind: 'status', status: 503 },
    { kind: 'status', status: 429, retryAfterMs: 7000 },
    { kind: 'status', status: 403 },
    { kind: 'status', status: 409, code: 'CHECKSUM_MISMATCH' },
    { kind: 'status', status: 400, code: 'BadDigest' },
    { kind: 'status', status: 409, code: 'UPLOAD_SUPERSEDED' },
  )
  const fault = fc.oneof(lost, passing, refused)
  const script = fc.array(fc.option(fault, { freq: 3 }), { maxLength: 80 })
  const callScript = fc.array(fc.constantFrom(null, null, { status: null }, { status: 500 }), {
    maxLength: 30,
  })
  const outages = fc.array(fc.tuple(fc.nat(60_000), fc.nat(90_000)), { maxLength: 3 })

  test('the upload completes with few parts sent twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 25 }),
        fc.integer({ min: 1, max: partSize }),
        script,
        callScript,
        outages,
        fc.integer({ min: 1, max: 40_000 }),
        fc.array(fc.constantFrom('none', 'own', 'older'), { maxLength: 25 }),
        async (count, lastPart, faults, refusals, dark, partMs, before) => {
          const size = (count - 1) * partSize + lastPart
          const sim = simulateParts(count, size)
          for (const [at, whose] of before.slice(0, count).entries()) {
            if (whose === 'none') continue
            sim.storedParts.set(at + 1, partRange(size, partSize, at + 1).size)
            if (whose === 'older') sim.oldChecksums.set(at + 1, 'other=')
          }
          sim.partMs = partMs
          // Storage stops failing before the transfer gives up, which takes eight consecutive
          // failures without progress, or six refusals of one part.
          let sinceAnswered = 0
          let answeredThen = 0
          let consumed = 0
          const refusalsOf = new Map<number, number>()
          const isHard = () => {
            sinceAnswered = sim.successfulPuts > answeredThen ? 0 : sinceAnswered
            answeredThen = sim.successfulPuts
            return sinceAnswered < 5
          }
          sim.fault = (partNumber) => {
            const next = isHard() ? (faults.shift() ?? null) : null
            if (next === null) return null
            const isRefusal = next.kind === 'status' && [403, 409, 400].includes(next.status)
            const earlier = refusalsOf.get(partNumber) ?? 0
            if (isRefusal && earlier >= 5) return null
            if (isRefusal) refusalsOf.set(partNumber, earlier + 1)
            sinceAnswered += 1
            consumed += 1
            return next
          }
          sim.rejectSigning = () => {
            const next = isHard() ? (refusals.shift() ?? null) : null
            if (next) sinceAnswered += 1
            return next
          }
          let cuts = 0
          let end = 0
          for (const [start, length] of dark) {
            const from = end + start
            end = from + length
            const until = end
            sim.schedule(from, () => {
              cuts += sim.inFlight.size
              sim.isOnline = false
              sim.schedule(until - from, sim.goOnline)
            })
          }
          if (sim.oldChecksums.size > 0) {
            expect(await transferErrorOf(sim.run())).toEqual({ kind: 'changed', status: null })
            return
          }
          await sim.run()

          expect([sim.storedParts.size, sim.oldChecksums.size]).toEqual([count, 0])
          expect(sim.violations).toEqual([])
          expect(sim.peakConcurrency).toBeLessThanOrEqual(maxConnections)
          expect(sim.progress.at(-1)).toBe((count - 1) * partSize + lastPart)
          // A fault causes one part to be resent, an outage every part in progress.
          expect(sim.puts.length - count).toBeLessThanOrEqual(consumed + cuts)
        },
      ),
      { numRuns: 300 },
    )
  })
})
