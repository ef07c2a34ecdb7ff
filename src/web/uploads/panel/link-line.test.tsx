// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { uploadRecord, uploadTicket } from '../../../../tests/support/upload-fixtures.ts'
import type { UploadRecord, UploadStatus } from '../records/upload-record.ts'
import { LinkLine, sharedShortCode } from './link-line.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function upload(batch: string, status: UploadStatus, shortCode?: string): UploadRecord {
  return uploadRecord({ batch, status, ticket: shortCode ? uploadTicket({ shortCode }) : null })
}

test.each([
  ['no uploads', [], null],
  ['a file before its start', [upload('1', 'pending')], null],
  ['a single file', [upload('1', 'uploading', 'a')], 'a'],
  ['one link', [upload('1', 'completed', 'a'), upload('1', 'pending', 'a')], 'a'],
  ['one link with a refused file', [upload('1', 'uploading', 'a'), upload('1', 'failed')], 'a'],
  ['a link each', [upload('1', 'uploading', 'a'), upload('1', 'pending')], null],
  [
    'a link each, the last one running',
    [upload('1', 'completed', 'a'), upload('1', 'uploading', 'b')],
    null,
  ],
  [
    'a new drop after an earlier one',
    [upload('1', 'completed', 'a'), upload('2', 'uploading', 'b')],
    'b',
  ],
  ['two complete drops', [upload('1', 'completed', 'a'), upload('2', 'completed', 'b')], 'b'],
] as const)('the link of %s', (_, records, code) => {
  expect(sharedShortCode(records)).toBe(code)
})

test.each([
  [true, 'Copied'],
  [false, 'Copy failed'],
])('the link is copied: %s', async (isAllowed, label) => {
  const writeText = vi.fn(() => (isAllowed ? Promise.resolve() : Promise.reject(new Error())))
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  document.execCommand = () => false
  render(<LinkLine shortCode="abcdefghjk" isComplete={false} />)
  expect(document.body.textContent).toContain('You can send this link now. It completes itself.')
  await act(async () => screen.getByRole('button', { name: 'Copy link' }).click())
  expect(writeText).toHaveBeenCalledWith(`${location.origin}/s/abcdefghjk`)
  expect(screen.getByRole('button', { name: `${label} link` })).toBeDefined()
})
