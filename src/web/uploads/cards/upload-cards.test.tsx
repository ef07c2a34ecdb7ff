// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { uploadRecord } from '../../../../tests/support/upload-fixtures.ts'
import { openPage, setSignedInHint } from '../../../../tests/support/web-page.ts'
import { errorTable } from '../../../shared/contract/errors.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import { cancelledText } from '../upload-errors.ts'
import type { UploadsState, UploadsStore } from '../uploads-state.ts'
import { UploadProblems } from './upload-problems.tsx'
import { selectForegroundBatch, UploadProgress } from './upload-progress.tsx'

afterEach(cleanup)

let commands: string[]
beforeEach(() => {
  commands = []
})

function createStoreWith(state: Partial<UploadsState>): UploadsStore {
  return createStore<UploadsState>(
    () =>
      ({
        records: [],
        otherTabIds: new Set(),
        activity: {},
        inlineError: null,
        outcome: null,
        cancelForeground: () => commands.push('cancel all'),
        cancel: (id: string) => commands.push(`cancel ${id}`),
        resume: (id: string) => commands.push(`resume ${id}`),
        dismissInlineError: () => commands.push('dismiss'),
        ...state,
      }) as unknown as UploadsState,
  )
}

function makeRunningUpload(id: string, sentBytes: number, fileName = `${id}.txt`) {
  const sizes = { fileSize: 1000, uploadedBytes: sentBytes, progress: Math.floor(sentBytes / 10) }
  return uploadRecord({ id, fileName, ...sizes, status: 'uploading' })
}
function makeStoredUpload(id: string) {
  return uploadRecord({ id, uploadedBytes: 1000, status: 'completed' })
}
function makeFailedUpload(id: string, error: string | null = 'Network error during upload') {
  return uploadRecord({ id, fileName: `${id}.txt`, status: 'failed', error })
}

describe('the progress card', () => {
  const show = (state: Partial<UploadsState>) => {
    const store = createStoreWith(state)
    const { container } = render(<UploadProgress store={store} />)
    return {
      text: () => container.textContent,
      bar: () => screen.queryByRole('progressbar')?.getAttribute('aria-valuenow') ?? null,
      spoken: () => screen.getByRole('status').textContent,
      become: (changes: Partial<UploadsState>) => act(() => store.setState(changes)),
    }
  }

  test('is empty when no upload is running or has just finished', () => {
    const { text, bar } = show({ records: [makeStoredUpload('a')] })
    expect([text(), bar()]).toEqual(['', null])
  })

  test('shows the bytes, and the position in a batch of several files', () => {
    const oneUpload = show({ records: [makeRunningUpload('a', 500)] })
    expect(oneUpload.text()).toContain('Uploading a.txt... 50%')
    expect(oneUpload.text()).toContain('500 Bytes of 1000 Bytes')
    expect(oneUpload.text()).not.toContain('File 1 of')
    cleanup()
    const twoUploads = show({ records: [makeStoredUpload('a'), makeRunningUpload('b', 500)] })
    expect(twoUploads.text()).toContain('File 2 of 2 · 1.5 KB of 2 KB')
    expect(twoUploads.bar()).toBe('75')
  })

  test('excludes the bytes of failed files', () => {
    const { text } = show({ records: [makeFailedUpload('a'), makeRunningUpload('b', 500)] })
    expect(text()).toContain('500 Bytes of 1000 Bytes')
  })

  test('shows and announces why an upload is waiting to retry', () => {
    const activity = { a: { interruption: 'no-response', bytesPerSecond: null } } as const
    const { text, spoken, become } = show({ records: [makeRunningUpload('a', 500)], activity })
    expect(spoken()).toBe('Connection lost, trying again')
    expect(text()).toContain('· Connection lost, trying again')
    become({ activity: {} })
    expect(spoken()).toBe('Uploading a.txt: 50%')
  })

  test('announces each quarter once the upload has started', () => {
    const { spoken, become } = show({ records: [uploadRecord({ id: 'a' })] })
    expect(spoken()).toBe('')
    become({ records: [makeRunningUpload('a', 100)] })
    expect(spoken()).toBe('Uploading a.txt')
    become({ records: [makeRunningUpload('a', 499)] })
    expect(spoken()).toBe('Uploading a.txt: 25%')
  })

  test('truncates a long name in the middle but announces it in full', () => {
    const name = `${'x'.repeat(200)}.mp4`
    const { text, spoken } = show({ records: [makeRunningUpload('a', 0, name)] })
    expect(spoken()).toContain(name)
    const shownText = text().replace(spoken() ?? '', '')
    expect(shownText).toMatch(/^Uploading x+…x+\.mp4\.\.\. 0%/)
  })

  test('cancels all files with one button', () => {
    show({ records: [makeRunningUpload('a', 0), makeRunningUpload('b', 0)] })
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(commands).toEqual(['cancel all'])
  })

  test.each([
    [
      'all uploads succeeded',
      [makeStoredUpload('a'), makeStoredUpload('b')],
      '2 files uploaded',
      '100',
    ],
    [
      'one upload failed',
      [makeStoredUpload('a'), makeFailedUpload('b')],
      '1 of 2 files uploaded',
      null,
    ],
    ['the user canceled', [makeFailedUpload('a', cancelledText)], cancelledText, null],
  ])('shows the outcome when %s', (_, records, outcome, bar) => {
    const shownBatch = show({ records, outcome })
    expect(shownBatch.spoken()).toBe(outcome)
    expect(shownBatch.text()).toContain(outcome)
    expect(shownBatch.bar()).toBe(bar)
  })
})

describe('the list of failed uploads', () => {
  const show = (state: Partial<UploadsState>) => {
    const { container } = render(<UploadProblems store={createStoreWith(state)} />)
    return {
      text: () => container.textContent,
      rows: () => screen.queryAllByRole('listitem').map(({ textContent }) => textContent),
    }
  }
  const clickButton = (name: string | RegExp) =>
    fireEvent.click(screen.getByRole('button', { name }))

  test.each([
    ['nothing failed', [makeStoredUpload('a'), makeRunningUpload('b', 1)]],
    ['the user canceled', [makeFailedUpload('a', cancelledText)]],
    [
      'only a background upload failed',
      [{ ...makeFailedUpload('a'), path: 'background' as const }],
    ],
  ])('is hidden when %s', (_, records) => {
    expect(show({ records }).text()).toBe('')
  })

  test('shows each failed file with its error', () => {
    const { rows, text } = show({
      records: [makeFailedUpload('a'), makeFailedUpload('b', 'Too large')],
    })
    expect(text()).toContain('Not uploaded')
    expect(rows()).toEqual([
      expect.stringContaining('Network error during upload'),
      expect.stringContaining('Too large'),
    ])
  })

  test('shows the inline error once, as an alert', () => {
    const inlineError = 'The free tier holds 3 files at most.'
    const { rows } = show({ records: [makeFailedUpload('a', inlineError)], inlineError })
    expect(screen.getByRole('alert').textContent).toBe(inlineError)
    expect(rows()[0]).not.toContain(inlineError)
  })

  test("shows an inline error that isn't about a file", () => {
    expect(show({ inlineError: 'Away' }).rows()).toEqual([])
    expect(screen.getByRole('alert').textContent).toBe('Away')
  })

  test('shows 50 files and counts the rest', () => {
    const failedUploads = Array.from({ length: 52 }, (_, n) => makeFailedUpload(`f${n}`))
    const { rows, text } = show({ records: failedUploads })
    expect(rows()).toHaveLength(50)
    expect(text()).toContain('And 2 more')
    cleanup()
    expect(show({ records: failedUploads.slice(0, 50) }).text()).not.toContain('more')
  })

  test('retries one file at a time, and dismisses its inline error', () => {
    const inlineError = 'The free tier holds 3 files at most.'
    show({ records: [makeFailedUpload('a', inlineError), makeFailedUpload('b')], inlineError })
    clickButton(/Try again.*b\.txt/)
    expect(commands).toEqual(['resume b'])
    clickButton(/Try again.*a\.txt/)
    expect(commands.slice(1)).toEqual(['dismiss', 'resume a'])
  })

  test('has no Try again button for a permanent failure', () => {
    const { message } = errorTable.CONTENT_BLOCKED
    const { rows } = show({
      records: [{ ...makeFailedUpload('a', message), code: 'CONTENT_BLOCKED' }],
    })
    expect(rows()).toEqual([expect.stringContaining(message)])
    expect(screen.queryByRole('button', { name: /Try again/ })).toBeNull()
    clickButton('Dismiss')
    expect(commands).toEqual(['cancel a', 'dismiss'])
  })

  test('asks for the file if the browser no longer has it', () => {
    const openDialog = vi
      .spyOn(HTMLInputElement.prototype, 'click')
      .mockImplementation(() => undefined)
    const { text } = show({ records: [{ ...makeFailedUpload('a'), need: 'file' }] })
    expect(text()).toContain('You will be asked to choose the same file again.')
    clickButton(/Try again/)
    expect(openDialog).toHaveBeenCalledOnce()
    expect(commands).toEqual([])
    openDialog.mockRestore()
  })

  test.each(['STORAGE_FULL', 'STORAGE_CAP_REACHED', 'DISK_FULL'] as const)(
    'shows the support address once if the server is full: %s',
    async (code) => {
      const page = openPage()
      page.on('GET /api/settings/contact', () => ({ supportEmail: 'help@example.org' }))
      const records = ['a', 'b'].map((id) => ({
        ...makeFailedUpload(id, errorTable[code].message),
        code,
      }))
      page.show(<UploadProblems store={createStoreWith({ records })} />)
      const link = await screen.findByRole('link', { name: 'help@example.org' })
      expect(link.getAttribute('href')).toBe('mailto:help@example.org')
      page.close()
    },
  )

  test.each([
    ['the feedback form without a support address', false, 'write to the operator', '/feedback'],
    ['the checks for the administrator', true, 'see its checks', '/admin#checks'],
  ])('links to %s if the server is full', async (_, isAdmin, name, href) => {
    const page = openPage()
    setSignedInHint(true)
    page.on('GET /api/auth/user', () => ({ id: 'ada', isAdmin }))
    page.on('GET /api/settings/contact', () => ({ supportEmail: null }))
    const code = 'STORAGE_FULL'
    const record = { ...makeFailedUpload('a', errorTable[code].message), code }
    page.show(<UploadProblems store={createStoreWith({ records: [record] })} />)
    const link = await screen.findByRole('link', { name })
    expect(link.getAttribute('href')).toBe(href)
    expect(page.text()).not.toContain('@')
    setSignedInHint(false)
    page.close()
  })

  test('dismisses all failures and the inline error at once', () => {
    show({
      records: [makeFailedUpload('a'), makeStoredUpload('c'), makeFailedUpload('b')],
      inlineError: 'Away',
    })
    clickButton('Dismiss')
    expect(commands).toEqual(['cancel a', 'cancel b', 'dismiss'])
  })
})

function makeRecords(...lines: string[]) {
  return lines.map((line, index) => {
    const [batch, status, path = 'foreground'] = line.split(' ')
    return { id: String(index), batch, status, path } as UploadRecord
  })
}

function selectBatch(records: readonly UploadRecord[]) {
  return selectForegroundBatch({ records, otherTabIds: new Set() })
}

function getBatchIds(...lines: string[]) {
  const { batch, current } = selectBatch(makeRecords(...lines))
  return { batch: batch.map(({ id }) => id), current: current?.id }
}

describe('the foreground batch', () => {
  test('contains the running drop and its current file', () => {
    expect(getBatchIds('a completed', 'b completed', 'b uploading', 'b pending')).toEqual({
      batch: ['1', '2', '3'],
      current: '2',
    })
  })

  test('has the next file as current between two files', () => {
    expect(getBatchIds('a completed', 'a completed', 'a pending').current).toBe('2')
    expect(getBatchIds('a pending', 'a pending').current).toBe('0')
  })

  test('contains the last drop after all uploads have ended', () => {
    expect(getBatchIds('a completed', 'b failed', 'b completed')).toEqual({
      batch: ['1', '2'],
      current: undefined,
    })
  })

  test('excludes cancelled uploads', () => {
    const [stored, cancelled] = makeRecords('a completed', 'a failed')
    if (!stored || !cancelled) throw new Error('no records')
    const { batch } = selectBatch([stored, { ...cancelled, error: 'Cancelled by user' }])
    expect(batch).toEqual([stored])
  })

  test('excludes uploads of other tabs', () => {
    const records = makeRecords('a uploading', 'b uploading')
    const { batch } = selectForegroundBatch({ records, otherTabIds: new Set(['0']) })
    expect(batch.map(({ id }) => id)).toEqual(['1'])
  })

  test('excludes background and paused uploads', () => {
    expect(getBatchIds('a uploading background', 'b paused')).toEqual({
      batch: [],
      current: undefined,
    })
  })
})
