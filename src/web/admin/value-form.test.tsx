// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { ValueForm } from './value-form.tsx'

afterEach(cleanup)

function field(): HTMLInputElement {
  return screen.getByRole('textbox')
}

function form(saved: string, save = vi.fn(async (value: string) => value)) {
  return (
    <ValueForm
      label="App version"
      hint=""
      saved={saved}
      check={(value) => ({ ok: true, value })}
      save={save}
      savedText={(stored) => `Saved ${stored}. It was ${saved}.`}
    />
  )
}

it('shows what the server has, also when that changes while the page is open', () => {
  const { rerender } = render(form('v1'))
  rerender(form('v2'))
  expect(field().value).toBe('v2')
})

it('keeps what somebody has typed when the server has another value meanwhile', () => {
  const { rerender } = render(form('v1'))
  fireEvent.change(field(), { target: { value: 'v9' } })
  rerender(form('v2'))
  expect(field().value).toBe('v9')
})

it('says what a saved value was before', async () => {
  const save = vi.fn(async (value: string) => value)
  const { rerender } = render(form('v1', save))
  fireEvent.change(field(), { target: { value: 'v2' } })
  fireEvent.click(screen.getByRole('button', { name: 'Save app version' }))
  expect(await screen.findByText('Saved v2. It was v1.')).toBeTruthy()
  rerender(form('v2', save))
  expect(field().value).toBe('v2')
  expect(save).toHaveBeenCalledOnce()
})

it('shows the sentence of the server at the field when it refuses a value', async () => {
  const save = vi.fn(async (_: string, onRefused: (fault: string) => void) => {
    onRefused('Free would allow more than Premium: files.')
    throw new Error('refused')
  })
  render(
    <ValueForm
      label="Files at a time"
      hint=""
      saved="3"
      check={(value) => ({ ok: true, value })}
      save={save}
      savedText={() => 'Saved.'}
    />,
  )
  fireEvent.change(field(), { target: { value: '9' } })
  fireEvent.click(screen.getByRole('button', { name: 'Save files at a time' }))
  expect(await screen.findByText('Free would allow more than Premium: files.')).toBeTruthy()
  expect(field().value).toBe('9')
  expect(field().getAttribute('aria-invalid')).toBe('true')
})
