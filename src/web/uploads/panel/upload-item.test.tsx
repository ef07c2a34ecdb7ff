// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { uploadRecord } from '../../../../tests/support/upload-fixtures.ts'
import { errorTable } from '../../../shared/contract/errors.ts'
import type { PickedFile } from '../picking/picked-file.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import { cancelledText } from '../upload-errors.ts'
import type { UploadActivity } from '../uploads-state.ts'
import { UploadItem } from './upload-item.tsx'

afterEach(cleanup)

let calls: string[]
let providedFiles: PickedFile[]
beforeEach(() => {
  calls = []
  providedFiles = []
})

const commands = {
  cancel: (id: string) => void calls.push(`cancel ${id}`),
  resume: (id: string) => void calls.push(`resume ${id}`),
  provideFile: (id: string, picked: PickedFile) => {
    calls.push(`provide ${id}`)
    providedFiles.push(picked)
  },
}

function show(
  changes: Partial<UploadRecord>,
  activity?: UploadActivity,
  { isAdmin = false, isInOtherTab = false } = {},
) {
  const record = uploadRecord({ fileName: 'a.mp4', fileSize: 1000, ...changes })
  const { container } = render(
    <UploadItem
      record={record}
      activity={activity}
      isInOtherTab={isInOtherTab}
      isAdmin={isAdmin}
      hasLinks={false}
      commands={commands}
    />,
  )
  const body = container.querySelector('.upload-body') as HTMLElement
  return {
    text: () => container.textContent,
    badge: () => container.querySelector('.upload-badge')?.textContent,
    actions: () =>
      screen.queryAllByRole('button').map((button) => button.getAttribute('aria-label')),
    bar: () => screen.getByRole('progressbar'),
    body,
  }
}

describe('an upload shows', () => {
  test.each([
    [{ status: 'pending' }, 'Pending', ['Cancel a.mp4']],
    [{ status: 'uploading', uploadedBytes: 500 }, 'Uploading', ['Cancel a.mp4']],
    [{ status: 'uploading', uploadedBytes: 950, progress: 95 }, 'Finalizing', ['Cancel a.mp4']],
    [{ status: 'paused' }, 'Paused', ['Resume: a.mp4', 'Cancel a.mp4']],
    [{ status: 'completed' }, 'Completed', []],
    [{ status: 'failed', error: 'Away' }, 'Failed', ['Try again: a.mp4']],
    [{ status: 'failed', error: cancelledText }, 'Failed', []],
    [{ status: 'failed', error: 'Taken down', code: 'CONTENT_BLOCKED' }, 'Failed', []],
  ] as const)('%j as "%s", with its actions', (changes, badge, actions) => {
    const item = show(changes)
    expect([item.badge(), item.actions()]).toEqual([badge, actions])
  })

  test('the percentage, and a bar with a text while it is running', () => {
    const { bar, text } = show({ status: 'uploading', progress: 49, uploadedBytes: 499 })
    expect(bar().getAttribute('aria-valuenow')).toBe('49')
    expect(bar().getAttribute('aria-valuetext')).toBe('Uploading a.mp4... 49%')
    expect(text()).toContain('49%')
    cleanup()
    expect(show({ status: 'paused' }).bar().getAttribute('aria-valuetext')).toBeNull()
  })

  test('that an empty file is finalized', () => {
    expect(show({ status: 'uploading', fileSize: 0, progress: 100 }).badge()).toBe('Finalizing')
  })

  test('its speed and the time left while it is running', () => {
    const activity = { interruption: null, bytesPerSecond: 100 }
    const { text } = show({ status: 'uploading', uploadedBytes: 500, progress: 50 }, activity)
    expect(text()).toMatch(/50% · 100 Bytes\/s/)
    expect(text()).toMatch(/left/)
  })

  test.each(['pending', 'uploading'] as const)('why it is interrupted while it is %s', (status) => {
    const activity = { interruption: 'not-ready', bytesPerSecond: null } as const
    expect(show({ status }, activity).text()).toContain('The server is not ready, trying again')
  })

  test('no interruption after it has stopped', () => {
    const activity = { interruption: 'not-ready', bytesPerSecond: null } as const
    expect(show({ status: 'paused' }, activity).text()).not.toContain('not ready')
    cleanup()
    expect(show({ status: 'completed' }, activity).text()).not.toContain('not ready')
  })

  test('its error', () => {
    expect(show({ status: 'failed', error: 'Network error during upload' }).text()).toContain(
      'Network error during upload',
    )
  })

  test.each([
    ['file', 'Choose the same file again'],
    ['permission', 'Your browser will ask'],
    ['sign-in', 'You were signed out.'],
  ] as const)('what the user has to provide: %s', (need, note) => {
    expect(show({ status: 'paused', need }).text()).toContain(note)
    cleanup()
    expect(show({ status: 'failed', need, error: 'Full' }).text()).toContain(note)
    cleanup()
    expect(show({ status: 'failed', need, error: cancelledText }).text()).not.toContain(note)
  })
})

test('an upload can be cancelled, resumed and retried', () => {
  show({ status: 'paused', id: '7' })
  fireEvent.click(screen.getByRole('button', { name: 'Resume: a.mp4' }))
  fireEvent.click(screen.getByRole('button', { name: 'Cancel a.mp4' }))
  cleanup()
  show({ status: 'failed', id: '8', error: 'Away' })
  fireEvent.click(screen.getByRole('button', { name: 'Try again: a.mp4' }))
  expect(calls).toEqual(['resume 7', 'cancel 7', 'resume 8'])
})

test.each([
  ['paused', 'Resume: a.mp4'],
  ['failed', 'Try again: a.mp4'],
] as const)('a %s upload without its file asks for it', (status, name) => {
  const openDialog = vi
    .spyOn(HTMLInputElement.prototype, 'click')
    .mockImplementation(() => undefined)
  show({ status, need: 'file', id: '7', error: status === 'failed' ? 'Full' : null })
  fireEvent.click(screen.getByRole('button', { name }))
  expect(openDialog).toHaveBeenCalledOnce()
  expect(calls).toEqual([])
  openDialog.mockRestore()
})

test('an upload of another tab can only be cancelled', () => {
  for (const status of ['paused', 'failed'] as const) {
    const { text, actions } = show({ status, need: 'file' }, undefined, { isInOtherTab: true })
    expect(actions()).toEqual(status === 'paused' ? ['Cancel a.mp4'] : [])
    expect(text()).not.toContain('Choose the same file')
    cleanup()
  }
})

test.each([
  [false, 'Tell support', '/feedback'],
  [true, 'See the checks', '/admin#checks'],
])('an error about a full server links to help in a new tab; administrator: %s', (...args) => {
  const [isAdmin, name, href] = args
  const diskFullFields = {
    status: 'failed',
    error: errorTable.DISK_FULL.message,
    code: 'DISK_FULL',
  } as const
  show(diskFullFields, undefined, { isAdmin })
  const link = screen.getByRole('link', { name })
  expect([link.getAttribute('href'), link.getAttribute('target')]).toEqual([href, '_blank'])
  cleanup()
  show({ status: 'failed', error: 'Network error during upload' })
  expect(screen.queryByRole('link')).toBeNull()
})

test('the sign-in opens in a new tab, because this one has the file in memory', () => {
  show({ status: 'paused', need: 'sign-in' })
  const link = screen.getByRole('link', { name: 'Sign in' })
  expect([link.getAttribute('href'), link.getAttribute('target')]).toEqual(['/login', '_blank'])
})

describe('a drop', () => {
  const file = new File(['a'], 'a.mp4')

  const drop = (target: HTMLElement, types = ['Files'], files = [file]) => {
    const items = files.map((droppedFile) => ({
      kind: 'file',
      getAsFile: () => droppedFile,
      webkitGetAsEntry: () => null,
    }))
    const dataTransfer = { types, items, dropEffect: 'none' }
    const isDragIgnored = fireEvent.dragOver(target, { dataTransfer })
    const isDropIgnored = fireEvent.drop(target, { dataTransfer })
    return { isTaken: !isDragIgnored && !isDropIgnored, isLeft: isDragIgnored && isDropIgnored }
  }

  test.each(['file', 'permission'] as const)(
    'is accepted by an upload that needs a %s',
    async (need) => {
      const { body } = show({ status: 'paused', need, id: '7' })
      expect(drop(body).isTaken).toBe(true)
      await expect.poll(() => calls).toEqual(['provide 7'])
      expect(providedFiles[0]?.file).toBe(file)
    },
  )

  test.each([
    { status: 'paused', need: 'sign-in' },
    { status: 'paused', need: null },
    { status: 'uploading', need: 'file' },
    { status: 'failed', need: null },
  ] as const)('is ignored by %j', (changes) => {
    expect(drop(show(changes).body).isLeft).toBe(true)
    expect(calls).toEqual([])
  })

  test('is ignored if it is text', () => {
    const { body } = show({ status: 'paused', need: 'file' })
    expect(drop(body, ['text/plain'], []).isLeft).toBe(true)
  })

  test('without files shows an error until the upload gets a file', async () => {
    const { body } = show({ status: 'paused', need: 'file' })
    drop(body, ['Files'], [])
    const getAlertText = () => screen.queryByRole('alert')?.textContent ?? null
    await expect.poll(getAlertText).toContain('Nothing to upload')
    expect(calls).toEqual([])
    drop(body)
    await expect.poll(getAlertText).toBeNull()
  })

  test('highlights the upload that it is dragged over', () => {
    const { body } = show({ status: 'paused', need: 'file' })
    fireEvent.dragOver(body, { dataTransfer: { types: ['Files'], dropEffect: 'none' } })
    expect(body.getAttribute('data-dropping')).toBe('true')
    fireEvent.dragLeave(body)
    expect(body.getAttribute('data-dropping')).toBeNull()
  })
})
