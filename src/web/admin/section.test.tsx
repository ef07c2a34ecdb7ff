// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { OlderRows } from './section.tsx'

afterEach(cleanup)

const idle = { what: 'entries', isLoading: false, failed: false, onMore: () => undefined }

test('after the last page the end of the list has the focus, and takes it from nobody', () => {
  const list = render(<OlderRows {...idle} hasMore />)
  const button = screen.getByRole('button', { name: 'Show older' })
  button.focus()
  fireEvent.click(button)
  list.rerender(<OlderRows {...idle} hasMore={false} />)
  expect(document.activeElement).toBe(screen.getByText('End of the list.'))

  list.rerender(<OlderRows {...idle} hasMore />)
  const field = document.body.appendChild(document.createElement('input'))
  field.focus()
  list.rerender(<OlderRows {...idle} hasMore={false} />)
  expect(document.activeElement).toBe(field)
  field.remove()
})

test('a list of one page shows nothing at its end, and a failed page is asked for again', () => {
  const { container, rerender } = render(<OlderRows {...idle} hasMore={false} />)
  expect(container.textContent).toBe('')
  rerender(<OlderRows {...idle} hasMore failed />)
  expect(screen.getByRole('alert').textContent).toBe('Older entries could not be loaded.')
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy()
})
