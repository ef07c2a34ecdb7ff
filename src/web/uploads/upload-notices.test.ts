import { describe, expect, test } from 'vitest'
import { errorTable } from '../../shared/contract/errors.ts'
import { transferErrorText } from './upload-errors.ts'
import { dropNotice, failureNotice, serverFullLink, successNotice } from './upload-notices.ts'

describe('the notices of spec §8', () => {
  test.each([
    errorTable.TIER_FILE_COUNT.message,
    errorTable.TIER_FILE_SIZE.message,
    errorTable.TIER_EXPIRATION.message,
  ])("an upload error containing 'tier' or 'Upgrade' is shown inline: %s", (message) => {
    expect(failureNotice('start', 'a.txt', message)).toEqual({ kind: 'inline', text: message })
  })

  test('any other error is a toast with the reason or the default text', () => {
    expect(failureNotice('transfer', 'a.txt', 'Direct S3 upload failed')).toEqual({
      kind: 'toast',
      title: 'Upload Failed',
      description: 'Direct S3 upload failed',
      tone: 'destructive',
    })
    const changedFileText = transferErrorText('foreground', 'unreadable', null, false)
    expect(failureNotice('transfer', 'a.txt', changedFileText)).toMatchObject({
      title: 'Upload Failed',
      description: 'a.txt has changed or can no longer be read',
    })
    const unknownErrorText = transferErrorText('background', 'status', null, false)
    for (const reason of ['', unknownErrorText]) {
      expect(failureNotice('transfer', 'a.txt', reason)).toMatchObject({
        title: 'Upload Failed',
        description: 'Failed to upload a.txt',
      })
    }
    expect(failureNotice('start', 'a.txt', '')).toMatchObject({
      title: 'Upload Error',
      description: 'Upload failed',
    })
  })

  test.each(['STORAGE_FULL', 'STORAGE_CAP_REACHED', 'DISK_FULL'] as const)(
    'only an out-of-space error sets `isServerFull`: %s',
    (code) => {
      const { message } = errorTable[code]
      expect(failureNotice('confirm', 'a.txt', message, code)).toMatchObject({ isServerFull: true })
      expect(failureNotice('confirm', 'a.txt', message)).not.toHaveProperty('isServerFull')
    },
  )

  test('the administrator gets a link to the checks, and other users to support', () => {
    expect(serverFullLink(true).href).toBe('/admin#checks')
    expect(serverFullLink(false)).toEqual({ text: 'Tell support', href: '/feedback' })
  })

  test('a success has a notice for each path, and one for a large drop', () => {
    expect(successNotice('foreground', 'a.txt')).toMatchObject({
      title: 'Upload Complete',
      description: 'a.txt uploaded successfully',
    })
    expect(successNotice('background', 'a.txt')).toEqual({
      kind: 'toast',
      title: 'a.txt uploaded successfully!',
      tone: 'plain',
    })
    expect(dropNotice(12, 0)).toMatchObject({
      title: 'Upload Complete',
      description: '12 files uploaded successfully',
    })
    expect(dropNotice(1, 0)).toMatchObject({ description: '1 file uploaded successfully' })
    expect(dropNotice(11, 1)).toMatchObject({
      title: 'Upload Failed',
      description: '11 of 12 files uploaded',
    })
  })
})
