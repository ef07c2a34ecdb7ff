// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { errorResponse, openPage, type WebPage } from '../../../tests/support/web-page.ts'
import { SettingForm } from './setting-form.tsx'

let page: WebPage
beforeEach(() => {
  page = openPage()
})
afterEach(() => page.close())

function field(): HTMLInputElement {
  return screen.getByRole('textbox')
}

function form(storedValue: string) {
  return (
    <SettingForm
      setting="app_version"
      label="App version"
      hint=""
      failure="Failed to update app version"
      stored={storedValue}
      previousValue={storedValue}
      check={(value) => ({ ok: true, value })}
    />
  )
}

function save(value: string) {
  fireEvent.change(field(), { target: { value } })
  fireEvent.click(screen.getByRole('button', { name: 'Save app version' }))
}

function savedCalls() {
  return page.requests.filter(({ call }) => call === 'POST /api/admin/settings')
}

it("shows the server's value and updates when it changes", () => {
  const { rerender } = page.show(form('v1'))
  rerender(form('v2'))
  expect(field().value).toBe('v2')
})

it("keeps unsaved input when the server's value changes", () => {
  const { rerender } = page.show(form('v1'))
  fireEvent.change(field(), { target: { value: 'v9' } })
  rerender(form('v2'))
  expect(field().value).toBe('v9')
})

it('shows the previous value after a save', async () => {
  page.on('POST /api/admin/settings', () => ({ key: 'app_version', value: 'v2' }))
  const { rerender } = page.show(form('v1'))
  save('v2')
  await screen.findByText('Saved. It was v1.')
  rerender(form('v2'))
  expect(field().value).toBe('v2')
  expect(savedCalls()).toHaveLength(1)
})

it("shows the server's message at the field when a value is rejected", async () => {
  const reason = 'Free would allow more than Premium: files.'
  page.on('POST /api/admin/settings', () => errorResponse(400, 'INVALID_INPUT', reason))
  page.show(form('3'))
  save('9')
  await screen.findByText(reason)
  expect(field().value).toBe('9')
  expect(field().getAttribute('aria-invalid')).toBe('true')
})

it('sends nothing if the value is unchanged', async () => {
  page.show(form('v1'))
  save('v1')
  await screen.findByText('No changes.')
  await waitFor(() => expect(savedCalls()).toEqual([]))
})
