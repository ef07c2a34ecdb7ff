import { describe, expect, test } from 'vitest'
import {
  record,
  start,
  stepOf,
  ticket,
  types,
  uploading,
} from '../../../../tests/support/machine-steps.ts'
import { refusal, tierIsFull, uploadTicket } from '../../../../tests/support/upload-facts.ts'
import type { Refusal } from '../upload-errors.ts'

describe('an upload that goes on', () => {
  test('asks storage what it holds, and sends the rest', () => {
    const pending = record({ ticket, uploadStartTime: start })
    expect(stepOf(pending, { type: 'turn-began', hasFile: true }).effects).toEqual([
      { type: 'list-parts', ticket },
    ])
    const held = [{ partNumber: 2, size: 400 }]
    const { record: next, effects } = stepOf(pending, { type: 'held', parts: held })
    expect(next).toMatchObject({ status: 'uploading', uploadedBytes: 400, progress: 40 })
    expect(next?.uploadStartTime).toBe(start)
    expect(effects).toContainEqual({ type: 'transfer', ticket, held, resumed: true })
  })

  test('is looked for among the files where the server no longer knows it, then starts anew, once', () => {
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
    // An upload starts again only once. Otherwise it could do so for ever.
    const again = stepOf({ ...(anew.record ?? record()), ticket }, lost)
    expect(again.record?.status).toBe('failed')
  })

  test('lets go of a file that cannot be read, so that trying again asks for it', () => {
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

  test('starts again, once, with a file that has changed since it began', () => {
    const changed = { type: 'transfer-failed', kind: 'changed', status: null } as const
    const anew = stepOf(uploading, changed)
    expect(anew.record).toMatchObject({ ticket: null, uploadedBytes: 0 })
    expect(anew.effects).toContainEqual({ type: 'get-ticket', instead: ticket.cloudKey })
    const again = stepOf({ ...uploading, restarted: true }, changed)
    expect(again.record).toMatchObject({ status: 'failed', need: 'file' })
  })

  test('sends bytes that differ once more from the start, then fails', () => {
    const differs = {
      type: 'refused',
      stage: 'confirm',
      refusal: refusal(409, 'CHECKSUM_MISMATCH', 'What arrived differs.'),
    } as const
    const again = stepOf({ ...uploading, uploadedBytes: 1000, progress: 100 }, differs)
    expect(again.record).toMatchObject({ ticket: null, uploadedBytes: 0, restarted: true })
    expect(again.effects).toContainEqual({ type: 'get-ticket', instead: null })
    const second = { ...uploading, ...again.record, ticket }
    expect(stepOf(second, differs).record).toMatchObject({
      status: 'failed',
      error: 'What arrived differs.',
    })
  })

  test('asks storage which parts it has where it lost some', () => {
    const event = {
      type: 'refused',
      stage: 'confirm',
      refusal: refusal(400, 'UPLOAD_INCOMPLETE'),
    } as const
    expect(stepOf(uploading, event).effects).toContainEqual({ type: 'list-parts', ticket })
  })

  test('gets a fresh URL, once, where the one of a small file ran out', () => {
    const event = { type: 'transfer-failed', kind: 'status', status: 403 } as const
    const anew = stepOf({ ...uploading, ticket: uploadTicket() }, event)
    expect(anew.effects).toContainEqual({ type: 'get-ticket', instead: 'key' })
    const again = stepOf({ ...uploading, ticket: uploadTicket(), restarted: true }, event)
    expect(again.record?.status).toBe('failed')
  })

  test('pauses when the session has lapsed, whoever finds that out', () => {
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

  test('fails inline when the tier is full, and stops the rest', () => {
    const { effects } = stepOf(record(), {
      type: 'refused',
      stage: 'start',
      refusal: refusal(403, 'TIER_FILE_COUNT', tierIsFull),
    })
    expect(effects).toContainEqual({ type: 'tell', notice: { kind: 'inline', text: tierIsFull } })
    const why = { reason: tierIsFull, code: 'TIER_FILE_COUNT' }
    expect(effects).toContainEqual({ type: 'stop-the-rest', ...why })
    const stopped = stepOf(record(), { type: 'stopped', ...why })
    expect(stopped.record).toMatchObject({
      status: 'failed',
      error: tierIsFull,
      code: 'TIER_FILE_COUNT',
    })
  })
})

describe('an upload that goes on without its file', () => {
  const stored = record({ status: 'paused', ticket, uploadedBytes: 1000, progress: 100 })
  const resumed = stepOf(stored, { type: 'resume', data: 'stored' }).record ?? stored
  const begun = stepOf(resumed, { type: 'turn-began', hasFile: false })
  const answered = (refused: Refusal, pasted = false) =>
    stepOf(
      { ...(begun.record ?? stored), pasted },
      { type: 'refused', stage: 'confirm-without-file', refusal: refused },
    )

  test('is confirmed', () => {
    expect(resumed).toMatchObject({ status: 'pending' })
    expect(begun.record?.status).toBe('uploading')
    const stage = 'confirm-without-file'
    expect(begun.effects).toContainEqual({ type: 'confirm', ticket, stage })
  })

  test.each([refusal(404), refusal(400, 'UPLOAD_INCOMPLETE'), refusal(409, 'CHECKSUM_MISMATCH')])(
    'asks for it where storage has not got all of it: %j',
    (lost) => {
      const { record: next, effects } = answered(lost)
      expect(next).toMatchObject({ status: 'paused', need: 'file' })
      expect(types(effects)).toEqual(['end-turn', 'save'])
    },
  )

  test('is lost where it was pasted and storage has not got all of it', () => {
    expect(answered(refusal(404), true).record?.error).toMatch(/^Resume failed/)
  })

  test('pauses or fails as any other where the session is over or the tier is full', () => {
    expect(answered(refusal(401)).record).toMatchObject({ status: 'paused', need: 'sign-in' })
    expect(answered(refusal(403, 'TIER_FILE_COUNT', 'Full.')).record).toMatchObject({
      status: 'failed',
      error: 'Full.',
    })
  })

  test('waits for it where nothing was ever sent: there is nothing to confirm', () => {
    expect(stepOf(record(), { type: 'turn-began', hasFile: false }).record?.status).toBe('paused')
  })
})
