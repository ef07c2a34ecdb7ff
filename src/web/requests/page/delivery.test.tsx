// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { fakeFile, uploadRecord } from '../../../../tests/support/upload-fixtures.ts'
import type { UploadsState } from '../../uploads/uploads-state.ts'
import { acceptFiles, Delivery, type RequestFacts } from './delivery.tsx'

afterEach(cleanup)

const pick = (name: string, size = 10) => ({ file: fakeFile(name, size) })

function showDelivery(
  state: Partial<UploadsState> = {},
  { maxFiles = 1000, requester = 'Ada' }: Partial<RequestFacts> = {},
) {
  const added: unknown[] = []
  const onCleared = vi.fn()
  const store = createStore<UploadsState>(
    () =>
      ({
        records: [],
        otherTabIds: new Set(),
        activity: {},
        add: (files: readonly unknown[], _: number, link: object) =>
          added.push({ files: files.length, ...link }),
        clear: () => undefined,
        ...state,
      }) as unknown as UploadsState,
  )
  const request = { requester, maxFileSize: 100, maxFiles }
  const { container } = render(<Delivery store={store} request={request} onCleared={onCleared} />)
  return {
    added,
    onCleared,
    text: () => container.textContent,
    choose: (...names: string[]) =>
      fireEvent.change(screen.getByLabelText('Files to send', { selector: '[type=file]' }), {
        target: { files: names.map((name) => fakeFile(name)) },
      }),
    press: (name: RegExp) => act(() => fireEvent.click(screen.getByRole('button', { name }))),
  }
}

test('only files within the limit are accepted, and the others are named', () => {
  const limit = { maxFileSize: 100 }
  const [small, large] = [pick('small.txt', 100), pick('large.txt', 101)]
  expect(acceptFiles({ files: [small], unreadable: [] }, limit)).toEqual({
    accepted: [small],
    error: null,
  })
  expect(acceptFiles({ files: [small, large], unreadable: [] }, limit)).toEqual({
    accepted: [small],
    error: 'large.txt is larger than 100 Bytes.',
  })
  expect(acceptFiles({ files: [large, large], unreadable: [] }, limit).error).toMatch(/^2 files/)
  expect(acceptFiles({ files: [], unreadable: ['secret'] }, limit).error).toMatch(/secret/)
})

test('the chosen files are sent with the name of the sender', () => {
  const { added, choose, press } = showDelivery()
  choose('a.txt', 'b.txt')
  choose('c.txt')
  press(/Remove a.txt/)
  fireEvent.change(screen.getByLabelText(/Your name/), { target: { value: ' Grace ' } })
  press(/^Send 2 files/)
  expect(added).toEqual([{ files: 2, senderName: 'Grace', message: undefined }])
})

test('more files than the request can take are not sent', () => {
  const { added, choose, press, text } = showDelivery({}, { maxFiles: 1 })
  choose('a.txt', 'b.txt')
  expect(text()).toContain('At most 1 file can be sent now.')
  press(/^Send 2 files/)
  expect(added).toEqual([])
})

test('a name that the server would refuse is refused before anything is sent', () => {
  const { added, choose, press, text } = showDelivery()
  choose('a.txt')
  const nameField = screen.getByLabelText(/Your name/)
  fireEvent.change(nameField, { target: { value: 'left \u202e right' } })
  press(/^Send 1 file/)
  expect(text()).toContain('Use plain text for your name and message')
  expect(added).toEqual([])
  fireEvent.change(nameField, { target: { value: 'Grace' } })
  press(/^Send 1 file/)
  expect(added).toHaveLength(1)
})

test('a request that takes nothing now offers no files to choose, but unfinished ones go on', () => {
  expect(showDelivery({}, { maxFiles: 0 }).text()).toBe('')
  cleanup()
  const paused = uploadRecord({ id: 'a', status: 'paused' })
  expect(showDelivery({ records: [paused] }, { maxFiles: 0 }).text()).toContain(
    'Keep this page open',
  )
})

test('before more is sent, the page is asked what the request takes now', () => {
  const records = [uploadRecord({ id: 'a', status: 'completed' })]
  const { onCleared, press } = showDelivery({ records })
  press(/^Send more files/)
  expect(onCleared).toHaveBeenCalledOnce()
})

test('files are listed as sent only once all of them have arrived', () => {
  const stored = uploadRecord({ id: 'a', status: 'completed', uploadedBytes: 1000 })
  const failed = uploadRecord({ id: 'b', status: 'failed', error: 'Upload failed' })
  expect(showDelivery({ records: [stored, failed] }).text()).toContain('1 upload failed')
  cleanup()
  expect(showDelivery({ records: [stored] }).text()).toContain(
    'Ada has received 1 file (1000 Bytes).',
  )
  cleanup()
  const { text } = showDelivery({ records: [stored] }, { requester: '' })
  expect(text()).toContain('Received: 1 file (1000 Bytes).')
  expect(text()).not.toContain('Send more files')
})

test('of a thousand files, those being sent and the next ones are listed', () => {
  const records = Array.from({ length: 1000 }, (_, index) =>
    uploadRecord({ id: `${index}`, status: index === 999 ? 'uploading' : 'pending' }),
  )
  const { text } = showDelivery({ records })
  expect(screen.getAllByRole('listitem')).toHaveLength(100)
  expect(screen.getAllByRole('listitem')[0]?.textContent).toContain('Uploading')
  expect(text()).toContain('and 900 more')
})
