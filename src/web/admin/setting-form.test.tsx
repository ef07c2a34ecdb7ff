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

function getField(): HTMLInputElement {
  return screen.getByRole('textbox')
}

function renderForm(storedValue: string) {
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

function saveSetting(value: string) {
  fireEvent.change(getField(), { target: { value } })
  fireEvent.click(screen.getByRole('button', { name: 'Save app version' }))
}

function getSaveRequests() {
  return page.requests.filter(({ call }) => call === 'POST /api/admin/settings')
}

it("shows the server's value and updates when it changes", () => {
  const { rerender } = page.show(renderForm('v1'))
  rerender(renderForm('v2'))
  expect(getField().value).toBe('v2')
})

it("keeps unsaved input when the server's value changes", () => {
  const { rerender } = page.show(renderForm('v1'))
  fireEvent.change(getField(), { target: { value: 'v9' } })
  rerender(renderForm('v2'))
  expect(getField().value).toBe('v9')
})

it('shows the previous value after a save', async () => {
  page.on('POST /api/admin/settings', () => ({ key: 'app_version', value: 'v2' }))
  const { rerender } = page.show(renderForm('v1'))
  saveSetting('v2')
  await screen.findByText('Saved. It was v1.')
  rerender(renderForm('v2'))
  expect(getField().value).toBe('v2')
  expect(getSaveRequests()).toHaveLength(1)
})

it("shows the server's message at the field when a value is rejected", async () => {
  const serverMessage = 'Free would allow more than Premium: files.'
  page.on('POST /api/admin/settings', () => errorResponse(400, 'INVALID_INPUT', serverMessage))
  page.show(renderForm('3'))
  saveSetting('9')
  await screen.findByText(serverMessage)
  expect(getField().value).toBe('9')
  expect(getField().getAttribute('aria-invalid')).toBe('true')
})

it('sends nothing if the value is unchanged', async () => {
  page.show(renderForm('v1'))
  saveSetting('v1')
  await screen.findByText('No changes.')
  await waitFor(() => expect(getSaveRequests()).toEqual([]))
})
