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
  const connectionError = fc.record({
    kind: fc.constant('lost' as const),
    cause: fc.constantFrom('network' as const, 'timeout' as const, 'stalled' as const),
    stored: fc.boolean(),
  })
  const transientError = fc.record({
    kind: fc.constant('status' as const),
    status: fc.constantFrom(500, 502, 504, 408),
    stored: fc.boolean(),
  })
  const rejection = fc.constantFrom<Fault>(
    { kind: 'status', status: 503 },
    { kind: 'status', status: 429, retryAfterMs: 7000 },
    { kind: 'status', status: 403 },
    { kind: 'status', status: 409, code: 'CHECKSUM_MISMATCH' },
    { kind: 'status', status: 400, code: 'BadDigest' },
    { kind: 'status', status: 409, code: 'UPLOAD_SUPERSEDED' },
  )
  const fault = fc.oneof(connectionError, transientError, rejection)
  const script = fc.array(fc.option(fault, { freq: 3 }), { maxLength: 80 })
  const callScript = fc.array(fc.constantFrom(null, null, { status: null }, { status: 500 }), {
    maxLength: 30,
  })
  const outages = fc.array(fc.tuple(fc.nat(60_000), fc.nat(90_000)), { maxLength: 3 })

  test('the upload completes and few parts are sent twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 25 }),
        fc.integer({ min: 1, max: partSize }),
        script,
        callScript,
        outages,
        fc.integer({ min: 1, max: 40_000 }),
        fc.array(fc.constantFrom('none', 'own', 'older'), { maxLength: 25 }),
        async (count, lastPart, faults, signErrors, outagePlan, partMs, storedVersions) => {
          const size = (count - 1) * partSize + lastPart
          const sim = simulateParts(count, size)
          for (const [at, version] of storedVersions.slice(0, count).entries()) {
            if (version === 'none') continue
            sim.storedParts.set(at + 1, partRange(size, partSize, at + 1).size)
            if (version === 'older') sim.oldChecksums.set(at + 1, 'other=')
          }
          sim.partMs = partMs
          // The transfer gives up after eight consecutive failures without progress, or after six
          // rejections of one part, so storage stops failing earlier.
          let failuresInARow = 0
          let lastResponseCount = 0
          let faultCount = 0
          const rejectionsByPart = new Map<number, number>()
          const canInjectFault = () => {
            failuresInARow = sim.successfulPuts > lastResponseCount ? 0 : failuresInARow
            lastResponseCount = sim.successfulPuts
            return failuresInARow < 5
          }
          sim.fault = (partNumber) => {
            const nextFault = canInjectFault() ? (faults.shift() ?? null) : null
            if (nextFault === null) return null
            const isRejection =
              nextFault.kind === 'status' && [403, 409, 400].includes(nextFault.status)
            const earlierRejections = rejectionsByPart.get(partNumber) ?? 0
            if (isRejection && earlierRejections >= 5) return null
            if (isRejection) rejectionsByPart.set(partNumber, earlierRejections + 1)
            failuresInARow += 1
            faultCount += 1
            return nextFault
          }
          sim.rejectSigning = () => {
            const nextFault = canInjectFault() ? (signErrors.shift() ?? null) : null
            if (nextFault) failuresInARow += 1
            return nextFault
          }
          let interruptedCount = 0
          let outageEnd = 0
          const offlineTimes: { from: number; to: number }[] = []
          for (const [start, length] of outagePlan) {
            const outageStart = outageEnd + start
            outageEnd = outageStart + length
            const endsAt = outageEnd
            offlineTimes.push({ from: outageStart, to: endsAt })
            sim.schedule(outageStart, () => {
              interruptedCount += sim.inFlight.size
              sim.isOnline = false
              sim.schedule(endsAt - outageStart, sim.goOnline)
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
          // A fault causes one part to be resent. An outage causes every part in progress to be
          // resent. Attempts during an outage send nothing.
          const sentParts = sim.puts.filter(
            ({ at }) => !offlineTimes.some(({ from, to }) => at >= from && at < to),
          )
          expect(sentParts.length - count).toBeLessThanOrEqual(faultCount + interruptedCount)
        },
      ),
      { numRuns: 300 },
    )
  })
})
