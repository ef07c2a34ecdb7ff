import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { storedFile, uploadRecord } from '../../../../tests/support/upload-facts.ts'
import type { UploadRecord, UploadStatus, UploadTicket } from '../records/upload-record.ts'
import type { UploadEffect, UploadEvent } from './upload-events.ts'
import { advance, canResumeByItself } from './upload-machine.ts'

const start = 1_752_314_400_000
const hour = 3_600_000

const ticket: UploadTicket = {
  uploadUrl: '/storage/key',
  cloudKey: 'key',
  metadata: { mimeType: 'text/plain' },
  parts: { size: 400, count: 3 },
  checksum: 'crc32',
}
const smallTicket: UploadTicket = { ...ticket, parts: undefined }

const record = (changes: Partial<UploadRecord> = {}): UploadRecord =>
  uploadRecord({ fileName: 'a.txt', lastActivity: start, ...changes })

const confirmedFile = storedFile({ originalName: 'a.txt' })

const refusal = (
  status: number | null,
  code: string | null = null,
  message: string | null = null,
) => ({
  status,
  code,
  message,
})

const uploading = record({ status: 'uploading', ticket, uploadStartTime: start })
const types = (effects: readonly UploadEffect[]) => effects.map(({ type }) => type)
const stepOf = (before: UploadRecord, event: UploadEvent, now = start + 1000) =>
  advance(before, event, now)

describe('spec §4, upload status', () => {
  test('pending becomes uploading when the transfer starts', () => {
    const asked = stepOf(record(), { type: 'run', hasFile: true })
    expect(asked.record?.status).toBe('pending')
    expect(asked.effects).toEqual([{ type: 'get-ticket', instead: null }])
    const { record: next, effects } = stepOf(record(), { type: 'ticket', ticket })
    expect(next).toMatchObject({ status: 'uploading', ticket, uploadStartTime: start + 1000 })
    expect(effects).toContainEqual({ type: 'transfer', ticket, held: [], resumed: false })
  })

  test('uploading becomes completed after the transfer and the confirmation succeeded', () => {
    const sent = stepOf(uploading, { type: 'sent' })
    expect(sent.record).toMatchObject({ status: 'uploading', progress: 100, uploadedBytes: 1000 })
    expect(sent.effects).toContainEqual({ type: 'confirm', ticket, stage: 'confirm' })
    const done = stepOf(uploading, { type: 'confirmed', file: confirmedFile })
    expect(done.record?.status).toBe('completed')
    expect(types(done.effects)).toEqual([
      'end-turn',
      'save',
      'release-data',
      'refresh-list',
      'tell',
    ])
  })

  test.each([
    ['foreground', 'status', 403, 'Direct S3 upload failed with status 403'],
    ['foreground', 'network', null, 'Network error during upload'],
    ['foreground', 'timeout', null, 'Direct S3 upload failed'],
    ['background', 'status', 403, 'Upload failed with status 403'],
    ['background', 'network', null, 'Network error during upload'],
    ['background', 'timeout', null, 'Network error during upload'],
  ] as const)('%s: %s %s fails with %s', (path, kind, status, error) => {
    const { record: next, effects } = stepOf(
      { ...uploading, path },
      { type: 'transfer-failed', kind, status },
    )
    expect(next).toMatchObject({ status: 'failed', error })
    // What storage holds stays for the next try.
    expect(types(effects)).not.toContain('abort-on-server')
  })

  test.each([
    ['foreground', refusal(500), 'Failed to confirm upload'],
    ['foreground', refusal(409, 'SIZE_MISMATCH', 'It differs.'), 'It differs.'],
    ['background', refusal(500), 'Upload confirmation failed: 500 - '],
    [
      'background',
      { ...refusal(502), body: 'Bad gateway' },
      'Upload confirmation failed: 502 - Bad gateway',
    ],
    [
      'background',
      refusal(409, null, 'It differs.'),
      'Upload confirmation failed: 409 - It differs.',
    ],
  ] as const)('%s: a failed confirmation %j', (path, refused, error) => {
    const event = { type: 'refused', stage: 'confirm', refusal: refused } as const
    expect(stepOf({ ...uploading, path }, event).record).toMatchObject({ status: 'failed', error })
  })

  test("cancelling: 'Cancelled by user' and the place is freed, then the record is removed", () => {
    const { record: next, effects } = stepOf(uploading, { type: 'cancel' })
    expect(next).toMatchObject({ status: 'failed', error: 'Cancelled by user', ticket: null })
    expect(effects).toEqual([
      { type: 'end-turn' },
      { type: 'save' },
      { type: 'abort-on-server', cloudKey: 'key' },
      { type: 'release-data' },
      { type: 'forget-soon' },
    ])
    const cancelled = next ?? uploading
    // It cannot be tried again.
    expect(stepOf(cancelled, { type: 'resume', data: 'ready' }).record).toBe(cancelled)
    const gone = stepOf(cancelled, { type: 'forget' })
    expect(gone.record).toBeNull()
    expect(types(gone.effects)).not.toContain('abort-on-server')
    expect(stepOf(uploading, { type: 'forget' }).record).toBe(uploading)
  })

  test('dismissing what has failed removes it at once, and frees the place', () => {
    const dismissed = stepOf(record({ status: 'failed', error: 'Full.', ticket }), {
      type: 'cancel',
    })
    expect(dismissed.record).toBeNull()
    expect(types(dismissed.effects)).toContain('abort-on-server')
  })

  test.each(['pending', 'uploading'] as const)('%s at load becomes paused', (status) => {
    const { record: next } = stepOf({ ...uploading, status }, { type: 'halt' })
    expect(next).toMatchObject({ status: 'paused', need: null })
  })

  test('paused and idle for more than 5 seconds can be resumed by itself', () => {
    const paused = record({ status: 'paused' })
    expect(canResumeByItself(paused, start + 5000)).toBe(false)
    expect(canResumeByItself(paused, start + 5001)).toBe(true)
    // The clock was set back since.
    expect(canResumeByItself(paused, start - hour)).toBe(true)
    expect(canResumeByItself({ ...paused, need: 'file' }, start + hour)).toBe(false)
    expect(canResumeByItself({ ...paused, need: 'sign-in' }, start + hour)).toBe(false)
    expect(canResumeByItself({ ...paused, status: 'failed' }, start + hour)).toBe(false)
  })

  test('resuming works only if the file data is there', () => {
    const paused = record({ status: 'paused', ticket })
    const resumed = (data: 'ready' | 'file' | 'permission' | 'gone', pasted = false) =>
      stepOf({ ...paused, pasted }, { type: 'resume', data }).record
    expect(resumed('ready')).toMatchObject({ status: 'pending', need: null })
    expect(resumed('file')).toMatchObject({ status: 'paused', need: 'file' })
    expect(resumed('permission')).toMatchObject({ status: 'paused', need: 'permission' })
    const lost = {
      status: 'failed',
      error: 'Resume failed - file data lost. Please restart upload.',
    }
    expect(resumed('gone')).toMatchObject(lost)
    expect(resumed('file', true)).toMatchObject(lost)
  })

  test.each(['completed', 'failed'] as const)('%s is removed after 24 hours', (status) => {
    const ended = record({ status })
    expect(stepOf(ended, { type: 'tick' }, start + 24 * hour).record).toBe(ended)
    expect(stepOf(ended, { type: 'tick' }, start + 24 * hour + 1).record).toBeNull()
  })

  test('clearing a failed one frees its place; a completed one is a file and stays that', () => {
    const cleared = (status: UploadStatus) =>
      types(stepOf({ ...uploading, status }, { type: 'clear' }).effects)
    expect(cleared('failed')).toContain('abort-on-server')
    expect(cleared('completed')).not.toContain('abort-on-server')
    expect(cleared('uploading')).toEqual([])
  })
})

describe('going on', () => {
  test('asks storage what it holds, and sends the rest', () => {
    const pending = record({ ticket, uploadStartTime: start })
    expect(stepOf(pending, { type: 'run', hasFile: true }).effects).toEqual([
      { type: 'list-parts', ticket },
    ])
    const held = [{ partNumber: 2, size: 400 }]
    const { record: next, effects } = stepOf(pending, { type: 'held', parts: held })
    expect(next).toMatchObject({ status: 'uploading', uploadedBytes: 400, progress: 40 })
    expect(next?.uploadStartTime).toBe(start)
    expect(effects).toContainEqual({ type: 'transfer', ticket, held, resumed: true })
  })

  test('an upload that the server does not know: first asks for the file, then starts anew', () => {
    const asked = stepOf(record({ ticket }), {
      type: 'refused',
      stage: 'resume',
      refusal: refusal(404),
    })
    expect(asked.effects).toContainEqual({ type: 'confirm', ticket, stage: 'confirm-lost' })
    const lost = { type: 'refused', stage: 'confirm-lost', refusal: refusal(404) } as const
    const anew = stepOf(asked.record ?? record(), lost)
    expect(anew.record).toMatchObject({ ticket: null, restarted: true, uploadedBytes: 0 })
    expect(anew.effects).toContainEqual({ type: 'get-ticket', instead: null })
    // Once, lest it goes on for ever.
    const again = stepOf({ ...(anew.record ?? record()), ticket }, lost)
    expect(again.record?.status).toBe('failed')
  })

  test('without its file it is confirmed; only what storage has not got all of needs the file', () => {
    const paused = record({ status: 'paused', ticket, uploadedBytes: 1000, progress: 100 })
    const resumed = stepOf(paused, { type: 'resume', data: 'stored' }).record ?? paused
    expect(resumed).toMatchObject({ status: 'pending' })
    const begun = stepOf(resumed, { type: 'run', hasFile: false })
    expect(begun.record?.status).toBe('uploading')
    expect(begun.effects).toContainEqual({
      type: 'confirm',
      ticket,
      stage: 'confirm-without-file',
    })
    const answered = (refused: ReturnType<typeof refusal>, pasted = false) =>
      stepOf(
        { ...(begun.record ?? paused), pasted },
        { type: 'refused', stage: 'confirm-without-file', refusal: refused },
      )
    for (const lost of [
      refusal(404),
      refusal(400, 'UPLOAD_INCOMPLETE'),
      refusal(409, 'CHECKSUM_MISMATCH'),
    ]) {
      const { record: next, effects } = answered(lost)
      expect(next).toMatchObject({ status: 'paused', need: 'file' })
      expect(types(effects)).toEqual(['end-turn', 'save'])
    }
    expect(answered(refusal(404), true).record?.error).toMatch(/^Resume failed/)
    expect(answered(refusal(401)).record).toMatchObject({ status: 'paused', need: 'sign-in' })
    expect(answered(refusal(403, 'TIER_FILE_COUNT', 'Full.')).record).toMatchObject({
      status: 'failed',
      error: 'Full.',
    })
    // Without a ticket there is nothing to confirm.
    expect(stepOf(record(), { type: 'run', hasFile: false }).record?.status).toBe('paused')
  })

  test('what cannot be read is let go, so that trying again asks for the file', () => {
    const { record: next, effects } = stepOf(uploading, {
      type: 'transfer-failed',
      kind: 'unreadable',
      status: null,
    })
    expect(next?.status).toBe('failed')
    expect(types(effects)).toContain('release-data')
    const lost = { type: 'transfer-failed', kind: 'network', status: null } as const
    expect(types(stepOf(uploading, lost).effects)).not.toContain('release-data')
  })

  test('bytes that differ are sent once more from the start, then it fails', () => {
    const differs = {
      type: 'refused',
      stage: 'confirm',
      refusal: refusal(409, 'CHECKSUM_MISMATCH', 'What arrived differs.'),
    } as const
    const again = stepOf({ ...uploading, uploadedBytes: 1000, progress: 100 }, differs)
    expect(again.record).toMatchObject({ status: 'uploading', uploadedBytes: 0, restarted: true })
    expect(again.effects).toContainEqual({ type: 'transfer', ticket, held: [], resumed: true })
    expect(stepOf(again.record ?? uploading, differs).record).toMatchObject({
      status: 'failed',
      error: 'What arrived differs.',
    })
  })

  test('a server that lost parts is asked which it has', () => {
    const event = {
      type: 'refused',
      stage: 'confirm',
      refusal: refusal(400, 'UPLOAD_INCOMPLETE'),
    } as const
    expect(stepOf(uploading, event).effects).toContainEqual({ type: 'list-parts', ticket })
  })

  test('the one URL of a small file that ran out: a fresh one, once', () => {
    const event = { type: 'transfer-failed', kind: 'status', status: 403 } as const
    const anew = stepOf({ ...uploading, ticket: smallTicket }, event)
    expect(anew.effects).toContainEqual({ type: 'get-ticket', instead: 'key' })
    const again = stepOf({ ...uploading, ticket: smallTicket, restarted: true }, event)
    expect(again.record?.status).toBe('failed')
  })

  test('a lapsed session pauses, whoever finds out', () => {
    const paused = { status: 'paused', need: 'sign-in' }
    for (const stage of ['start', 'resume', 'confirm', 'confirm-lost'] as const) {
      const { record: next, effects } = stepOf(uploading, {
        type: 'refused',
        stage,
        refusal: refusal(401),
      })
      expect(next).toMatchObject(paused)
      expect(types(effects)).toContain('ask-to-sign-in')
    }
    const event = { type: 'transfer-failed', kind: 'signed-out', status: 401 } as const
    expect(stepOf(uploading, event).record).toMatchObject(paused)
    expect(stepOf(record(), { type: 'signed-out' }).record).toMatchObject(paused)
  })

  test('a full tier is told inline and stops the rest', () => {
    const message = 'The free tier holds 3 files at most. Upgrade to Premium.'
    const { effects } = stepOf(record(), {
      type: 'refused',
      stage: 'start',
      refusal: refusal(403, 'TIER_FILE_COUNT', message),
    })
    expect(effects).toContainEqual({ type: 'tell', notice: { kind: 'inline', text: message } })
    expect(effects).toContainEqual({ type: 'stop-the-rest', reason: message })
    const stopped = stepOf(record(), { type: 'stopped', reason: message })
    expect(stopped.record).toMatchObject({ status: 'failed', error: message })
  })
})

const anyRefusal = fc.record({
  status: fc.constantFrom(null, 400, 401, 403, 404, 409, 429, 500, 503),
  code: fc.constantFrom(null, 'TIER_FILE_COUNT', 'CHECKSUM_MISMATCH', 'UPLOAD_INCOMPLETE'),
  message: fc.option(fc.string()),
})
const anyEvent: fc.Arbitrary<UploadEvent> = fc.oneof(
  fc.constantFrom<UploadEvent>(
    { type: 'run', hasFile: true },
    { type: 'ticket', ticket },
    { type: 'ticket', ticket: smallTicket },
    { type: 'sent' },
    { type: 'confirmed', file: confirmedFile },
    { type: 'halt' },
    { type: 'signed-out' },
    { type: 'stopped', reason: 'Full.' },
    { type: 'run', hasFile: false },
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
      'signed-out',
      'gone',
    ),
    status: fc.constantFrom(null, 403, 404, 500),
  }),
  fc.record({
    type: fc.constant('resume' as const),
    data: fc.constantFrom('ready' as const, 'file', 'permission', 'gone', 'stored'),
  }),
)
const anySteps = fc.array(fc.tuple(anyEvent, fc.nat(30 * hour)), { maxLength: 60 })

/** What may follow what (spec §4), beside staying and being removed. */
const reachable: Record<UploadStatus, readonly UploadStatus[]> = {
  pending: ['uploading', 'paused', 'failed'],
  uploading: ['completed', 'paused', 'failed'],
  paused: ['pending', 'failed'],
  failed: ['pending', 'paused'],
  completed: [],
}

const isUnderWay = ({ status }: UploadRecord) => status === 'pending' || status === 'uploading'

/** What holds of a record at any time. */
const expectSound = (now: UploadRecord) => {
  expect(Number.isInteger(now.progress)).toBe(true)
  expect(now.progress).toBeGreaterThanOrEqual(0)
  expect(now.progress).toBeLessThanOrEqual(100)
  expect(now.uploadedBytes).toBeGreaterThanOrEqual(0)
  expect(now.uploadedBytes).toBeLessThanOrEqual(now.fileSize)
  expect(now.error !== null).toBe(now.status === 'failed')
  if (now.need !== null) expect(now.status).toBe('paused')
  if (now.status === 'completed') {
    expect(now).toMatchObject({ progress: 100, uploadedBytes: now.fileSize })
  }
  if (now.status === 'uploading' && !now.restarted) expect(now.ticket).not.toBeNull()
}

/** What holds of every step that leaves a record. */
const expectStep = (before: UploadRecord, next: UploadRecord, done: UploadEffect['type'][]) => {
  if (next.status !== before.status) expect(reachable[before.status]).toContain(next.status)
  // What changed is written, and what changed nothing at most asks the server.
  if (next !== before) expect(done).toContain('save')
  else expect(['', 'get-ticket', 'list-parts']).toContain(done.join())
  // Only a new transfer begins lower than the last one was.
  const isNewTry = done.includes('transfer') || done.includes('get-ticket')
  if (!isNewTry) expect(next.uploadedBytes).toBeGreaterThanOrEqual(before.uploadedBytes)
  // Whoever stops being under way gives up its turn.
  expect(done.includes('end-turn')).toBe(isUnderWay(before) && !isUnderWay(next))
}

test('nothing else is reachable, whatever happens in whatever order', () => {
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
        const before = structuredClone(current)
        const { record: next, effects } = advance(current, event, now)
        expect(current).toEqual(before)
        const done = types(effects)
        expect(done.includes('remove')).toBe(next === null)
        if (next === null) {
          // Only a person or a day ends a record; a place that it held is freed.
          expect(['cancel', 'forget', 'clear', 'tick']).toContain(event.type)
          if (event.type === 'cancel' || event.type === 'forget') {
            expect(current.status).toBe('failed')
          }
          const holdsPlace = before.ticket !== null && before.status !== 'completed'
          expect(done.includes('abort-on-server')).toBe(holdsPlace)
          return
        }
        expectSound(next)
        expectStep(current, next, done)
        // Spec §4: what a person ends fails first.
        if (event.type === 'cancel' && current.status !== 'completed') {
          expect(next).toMatchObject({ status: 'failed', error: 'Cancelled by user', ticket: null })
          expect(done.includes('abort-on-server')).toBe(current.ticket !== null)
        } else expect(done).not.toContain('abort-on-server')
        current = next
      }
    }),
    { numRuns: 3000 },
  )
})
