// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { OlderRowsButton } from './paged-list.tsx'

afterEach(cleanup)

function renderRows(query: { hasNextPage: boolean; isFetchNextPageError?: boolean }) {
  const idleQuery = {
    isFetchingNextPage: false,
    isFetchNextPageError: false,
    fetchNextPage: vi.fn(),
  }
  return <OlderRowsButton noun="entries" query={{ ...idleQuery, ...query }} />
}

test('moves the focus from the button to the end of the list after the last page, but from no other element', () => {
  const list = render(renderRows({ hasNextPage: true }))
  const button = screen.getByRole('button', { name: 'Show older' })
  button.focus()
  fireEvent.click(button)
  list.rerender(renderRows({ hasNextPage: false }))
  expect(document.activeElement).toBe(screen.getByText('End of the list.'))

  list.rerender(renderRows({ hasNextPage: true }))
  const field = document.body.appendChild(document.createElement('input'))
  field.focus()
  list.rerender(renderRows({ hasNextPage: false }))
  expect(document.activeElement).toBe(field)
  field.remove()
})

test('shows nothing at the end of a single page, and can retry a failed page', () => {
  const { container, rerender } = render(renderRows({ hasNextPage: false }))
  expect(container.textContent).toBe('')
  rerender(renderRows({ hasNextPage: true, isFetchNextPageError: true }))
  expect(screen.getByRole('alert').textContent).toBe('Older entries could not be loaded.')
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy()
})
