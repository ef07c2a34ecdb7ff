// @vitest-environment happy-dom
import { act, fireEvent, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { linkFile, listedLink } from '../../../tests/support/upload-fixtures.ts'
import { errorResponse, openPage, type WebPage } from '../../../tests/support/web-page.ts'
import type { Link } from '../../shared/contract/links.ts'
import { toChanges } from './edit-dialog.tsx'
import { LinkList } from './link-list.tsx'

let page: WebPage
beforeEach(() => {
  page = openPage()
  page.on('GET /api/settings/email-signature', () => ({ signature: '' }))
})
afterEach(() => page.close())

const files = [
  linkFile({ id: 'a', name: 'a.txt', downloadCount: 3 }),
  linkFile({ id: 'b', name: 'b.txt', state: 'uploading', receivedBytes: 250 }),
  linkFile({ id: 'c', name: 'c.txt', state: 'uploading', receivedBytes: 0 }),
  linkFile({
    id: 'd',
    name: 'd.txt',
    purgingAt: '2025-07-12T10:30:00.000Z',
    takenDownAt: '2025-07-12T10:30:00.000Z',
    takedownReason: 'Malware.',
  }),
]

function show(changes: Partial<Link> = {}) {
  const link = listedLink(changes)
  const now = new Date('2025-07-12T11:00:00.000Z')
  page.show(<LinkList label="My Files" links={[link]} tier="premium" now={now} />)
  return link
}

function press(name: string | RegExp) {
  fireEvent.click(screen.getAllByRole('button', { name })[0] as HTMLElement)
}

describe('a link with several files', () => {
  test('unfolds to its files with their states', () => {
    show({ files })
    expect(screen.queryByRole('list', { name: /^Files of/ })).toBeNull()
    press('4 files of a.txt and 3 more')
    const list = within(screen.getByRole('list', { name: 'Files of a.txt and 3 more' }))
    expect(list.getAllByText(/Bytes/).map(({ textContent }) => textContent)).toEqual([
      '1000 Bytes · 3 downloads',
      '1000 Bytes · 0 downloads · Uploading… 25%',
      '1000 Bytes · 0 downloads · Waiting to be uploaded',
      '1000 Bytes · 0 downloads · Taken down: Malware.',
    ])
    press('4 files of a.txt and 3 more')
    expect(screen.queryByRole('list', { name: /^Files of/ })).toBeNull()
  })

  test('loses a single file after confirmation', async () => {
    show({ files })
    page.on('DELETE /api/files/b', () => ({ message: 'File deleted' }))
    press('4 files of a.txt and 3 more')
    press('Delete b.txt')
    const dialog = within(await screen.findByRole('alertdialog'))
    expect(page.text()).toContain('which keeps its other files')
    await act(async () => fireEvent.click(dialog.getByRole('button', { name: 'Delete' })))
    await expect.poll(page.text).toContain('File deletedb.txt')
  })

  test('shows its progress while it is being uploaded', () => {
    show({ files })
    expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('56')
    expect(page.text()).toContain('Uploading… 56%')
  })
})

describe('a row', () => {
  test('of a link with one file has nothing to unfold', () => {
    show()
    expect(screen.queryByRole('button', { name: /files? of/ })).toBeNull()
    expect(page.text()).not.toContain('Password')
  })

  test('says that there is a password, and how many downloads are left', () => {
    show({ hasPassword: true, maxDownloads: 5, downloadCount: 3 })
    expect(page.text()).toContain('Password')
    expect(page.text()).toContain('2 of 5 downloads left')
  })

  test('of a delivery has the message of its sender, and can be shared once all has arrived', () => {
    const delivery = { requestId: 'r', senderName: 'Grace', shared: false, message: 'As promised.' }
    show({ ...delivery, files: files.slice(0, 2) })
    expect(page.text()).toContain('From Grace')
    expect(page.text()).toContain('As promised.')
    const button = screen.getByRole('button', { name: /^Share/ })
    expect(button.getAttribute('aria-disabled')).toBe('true')
    expect(page.text()).toContain('Files are still arriving.')
    page.close()
    page = openPage()
    show({ ...delivery, shared: true })
    expect(page.text()).not.toContain('As promised.')
  })

  test('of a link without downloads left is closed', () => {
    show({ maxDownloads: 1, downloadCount: 1 })
    expect(page.text()).toContain('Link closed')
    expect(page.text()).toContain('0 of 1 download left')
    expect(page.text()).toContain('Edit its limit to open it again.')
  })
})

describe('the changes to a link', () => {
  const values = { title: ' Minutes ', message: '', maxDownloads: '5' }

  test.each([
    ['remove the password if it is switched off', undefined, true, null],
    ['keep the password if the field is empty', '', true, undefined],
    ['set a new password', 'secret', true, 'secret'],
    ['set the first password', 'secret', false, 'secret'],
  ])('%s', (_, password, hasPassword, expectedPassword) => {
    const changes = toChanges(password === undefined ? values : { ...values, password }, {
      hasPassword,
    })
    expect(changes).toEqual({
      title: 'Minutes',
      message: null,
      maxDownloads: 5,
      password: expectedPassword,
    })
  })
})

describe('the dialog that edits a link', () => {
  async function edit() {
    const link = show({ title: 'Minutes', maxDownloads: 5 })
    press('More for link of Minutes')
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Edit link' }))
    await screen.findByRole('dialog', { name: 'Edit Minutes' })
    return link
  }
  const fill = (label: string, value: string) =>
    fireEvent.change(screen.getByLabelText(label), { target: { value } })
  const save = () => act(async () => press('Save'))

  test('shows the values and saves changes', async () => {
    const link = await edit()
    expect(screen.getByLabelText<HTMLInputElement>('Download limit').value).toBe('5')
    page.on(`PATCH /api/links/${link.shortCode}`, () => link)
    fill('Title', '')
    fill('Download limit', '')
    await save()
    await expect.poll(page.text).toContain('Link changed')
    const { body } = page.requests.at(-1) ?? {}
    expect(body).toEqual({ title: null, message: null, maxDownloads: null, password: null })
  })

  test('names a wrong field and sends nothing', async () => {
    await edit()
    fill('Download limit', '0')
    await save()
    expect(screen.getByLabelText('Download limit').getAttribute('aria-invalid')).toBe('true')
    expect(page.requests.filter(({ call }) => call.startsWith('PATCH'))).toEqual([])
  })

  test('stays open if saving fails', async () => {
    const { shortCode } = await edit()
    page.on(`PATCH /api/links/${shortCode}`, () => errorResponse(503, 'PASSWORDS_BUSY', 'Busy.'))
    await save()
    await expect.poll(page.text).toContain('Link not changedBusy.')
    expect(screen.getByRole('dialog', { name: 'Edit Minutes' })).toBeTruthy()
  })
})
