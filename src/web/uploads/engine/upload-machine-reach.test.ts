import fc from 'fast-check'
import { expect, test } from 'vitest'
import { record, start, ticket, types } from '../../../../tests/support/machine-steps.ts'
import { storedFile, uploadTicket } from '../../../../tests/support/upload-facts.ts'
import type { UploadRecord, UploadStatus } from '../records/upload-record.ts'
import { isCancelled } from '../upload-errors.ts'
import type { UploadEffect, UploadEvent } from './upload-events.ts'
import { advance } from './upload-machine.ts'

const hour = 3_600_000

const anyRefusal = fc.record({
  status: fc.constantFrom(null, 400, 401, 403, 404, 409, 429, 500, 503),
  code: fc.constantFrom(null, 'TIER_FILE_COUNT', 'CHECKSUM_MISMATCH', 'UPLOAD_INCOMPLETE'),
  message: fc.option(fc.string()),
})
const anyEvent: fc.Arbitrary<UploadEvent> = fc.oneof(
  fc.constantFrom<UploadEvent>(
    { type: 'turn-began', hasFile: true },
    { type: 'ticket', ticket },
    { type: 'ticket', ticket: uploadTicket() },
    { type: 'sent' },
    { type: 'confirmed', file: storedFile() },
    { type: 'halt' },
    { type: 'signed-out' },
    { type: 'stopped', reason: 'Full.', code: 'TIER_FILE_COUNT' },
    { type: 'turn-began', hasFile: false },
    { type: 'cancel' },
    { type: 'forget' },
    { type: 'clear' },
    { type: 'tick' },
    { type: 'identified', sample: 'abc' },
  ),
  fc.record({
    type: fc.constant('held' as const),
    parts: fc.array(fc.record({ partNumber: fc.integer({ min: 1, max: 3 }), size: fc.nat(1000) })),
  }),
  fc.record({ type: fc.constant('progress' as const), bytes: fc.integer({ min: -5, max: 2000 }) }),
  fc.record({
    type: fc.constant('refused' as const),
    stage: fc.constantFrom(
      'start' as const,
      'resume',
      'confirm',
      'confirm-lost',
      'confirm-without-file',
    ),
    refusal: anyRefusal,
  }),
  fc.record({
    type: fc.constant('transfer-failed' as const),
    kind: fc.constantFrom(
      'status' as const,
      'network',
      'timeout',
      'unreadable',
      'changed',
      'signed-out',
      'gone',
    ),
    status: fc.constantFrom(null, 403, 404, 500),
  }),
  fc.record({
    type: fc.constant('resume' as const),
    data: fc.constantFrom('ready' as const, 'file', 'permission', 'gone', 'stored'),
  }),
  fc.record({
    type: fc.constant('lacks' as const),
    need: fc.constantFrom('file' as const, 'permission'),
  }),
)
const anySteps = fc.array(fc.tuple(anyEvent, fc.nat(30 * hour)), { maxLength: 60 })

/**
 * The statuses that may follow each status (spec §4). An event may also leave a record unchanged or
 * remove it.
 */
const reachable: Record<UploadStatus, readonly UploadStatus[]> = {
  pending: ['uploading', 'paused', 'failed'],
  uploading: ['completed', 'paused', 'failed'],
  paused: ['pending', 'failed'],
  failed: ['pending', 'paused'],
  completed: [],
}

function isUnderWay({ status }: UploadRecord) {
  return status === 'pending' || status === 'uploading'
}

/** Asserts what must be true of every record. */
function expectSound(now: UploadRecord) {
  expect(Number.isInteger(now.progress)).toBe(true)
  expect(now.progress).toBeGreaterThanOrEqual(0)
  expect(now.progress).toBeLessThanOrEqual(100)
  expect(now.uploadedBytes).toBeGreaterThanOrEqual(0)
  expect(now.uploadedBytes).toBeLessThanOrEqual(now.fileSize)
  expect(now.error !== null).toBe(now.status === 'failed')
  // A failed upload may lack its file, which another try asks for. A cancelled one lacks nothing.
  const mayLack = now.status === 'failed' && !isCancelled(now) && now.need !== 'sign-in'
  if (now.need !== null && !mayLack) expect(now.status).toBe('paused')
  if (now.status === 'completed') {
    expect(now).toMatchObject({ progress: 100, uploadedBytes: now.fileSize })
  }
  if (now.status === 'uploading' && !now.restarted) expect(now.ticket).not.toBeNull()
}

/** Asserts what must be true of every event that does not remove the record. */
function expectStep(
  before: UploadRecord,
  event: UploadEvent,
  next: UploadRecord,
  done: UploadEffect['type'][],
) {
  if (next.status !== before.status) expect(reachable[before.status]).toContain(next.status)
  // A changed record is saved. If the record did not change, the event has no effect, except
  // perhaps a call to the server.
  if (next !== before) expect(done).toContain('save')
  else expect(['', 'get-ticket', 'list-parts']).toContain(done.join())
  // The number of bytes falls only when an upload starts anew, when a transfer starts, or when a
  // transfer reports lost bytes.
  const mayFall =
    done.includes('transfer') || done.includes('get-ticket') || event.type === 'progress'
  if (!mayFall) expect(next.uploadedBytes).toBeGreaterThanOrEqual(before.uploadedBytes)
  // An upload leaves the queue, or ends its run, exactly when it is no longer pending or uploading.
  expect(done.includes('end-turn')).toBe(isUnderWay(before) && !isUnderWay(next))
}

function frozen(record: UploadRecord): UploadRecord {
  Object.freeze(record.ticket)
  Object.freeze(record.identity)
  return Object.freeze(record)
}

test('no other status is reachable, and every step is sound, whatever happens in whatever order', () => {
  const kinds = fc.record({
    fileSize: fc.constantFrom(0, 1, 1000),
    path: fc.constantFrom('foreground' as const, 'background'),
    pasted: fc.boolean(),
  })
  fc.assert(
    fc.property(kinds, anySteps, (kind, steps) => {
      let now = start
      let current = record(kind)
      for (const [event, passed] of steps) {
        now += passed
        // The record is frozen, so any attempt to change it throws.
        const before = frozen(current)
        const { record: next, effects } = advance(before, event, now)
        const done = types(effects)
        expect(done.includes('remove')).toBe(next === null)
        if (next === null) {
          // Only a person removes a record, or the cleanup of records that ended over a day ago.
          // The upload slot is then freed.
          expect(['cancel', 'forget', 'clear', 'tick']).toContain(event.type)
          if (event.type === 'cancel' || event.type === 'forget') {
            expect(current.status).toBe('failed')
          }
          const holdsSlot = before.ticket !== null && before.status !== 'completed'
          expect(done.includes('abort-on-server')).toBe(holdsSlot)
          return
        }
        expectSound(next)
        expectStep(current, event, next, done)
        // Spec §4: an upload that a person cancels fails first.
        if (event.type === 'cancel' && current.status !== 'completed') {
          expect(next).toMatchObject({ status: 'failed', error: 'Cancelled by user', ticket: null })
          expect(done.includes('abort-on-server')).toBe(current.ticket !== null)
        } else expect(done).not.toContain('abort-on-server')
        current = next
      }
    }),
    { numRuns: 1000 },
  )
})
