import { describe, expect, test } from 'vitest'
import type { UploadRecord } from '../records/upload-record.ts'
import { foregroundBatch } from './foreground-batch.ts'

function records(...lines: string[]) {
  return lines.map((line, at) => {
    const [batch, status, path = 'foreground'] = line.split(' ')
    return { id: String(at), batch, status, path } as UploadRecord
  })
}

function shown(...lines: string[]) {
  const { batch, current } = foregroundBatch(records(...lines), {})
  return { batch: batch.map(({ id }) => id), current: current?.id }
}

describe('what the page shows of the foreground path', () => {
  test('the drop that runs, with the file that is under way', () => {
    expect(shown('a completed', 'b completed', 'b uploading', 'b pending')).toEqual({
      batch: ['1', '2', '3'],
      current: '2',
    })
  })

  test('in the pause between two files, the one that was done last', () => {
    expect(shown('a completed', 'a completed', 'a pending').current).toBe('1')
    expect(shown('a pending', 'a pending').current).toBe('0')
  })

  test('the one whose start gets no answer, not the one before it', () => {
    const live = { 1: { interrupted: 'no-answer' as const, bytesPerSecond: null } }
    const all = records('a completed', 'a pending', 'a pending')
    expect(foregroundBatch(all, live).current?.id).toBe('1')
  })

  test('when all is over, the drop that ran last', () => {
    expect(shown('a completed', 'b failed', 'b completed')).toEqual({
      batch: ['1', '2'],
      current: undefined,
    })
  })

  test('not what a person ended, which is about to go', () => {
    const [stored, ended] = records('a completed', 'a failed')
    if (!stored || !ended) throw new Error('no records')
    const { batch } = foregroundBatch([stored, { ...ended, error: 'Cancelled by user' }], {})
    expect(batch).toEqual([stored])
  })

  test('neither the background path nor what is paused', () => {
    expect(shown('a uploading background', 'b paused')).toEqual({ batch: [], current: undefined })
  })
})
