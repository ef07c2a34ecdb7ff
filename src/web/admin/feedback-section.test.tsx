// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { errorResponse, openPage, type WebPage } from '../../../tests/support/web-page.ts'
import type { Feedback } from '../../shared/contract/feedback.ts'
import { FeedbackSection } from './feedback-section.tsx'

function makeFeedback(name: string): Feedback {
  return {
    id: `id-of-${name}`,
    name,
    email: `${name}@example.org`,
    category: null,
    message: 'It rattles.',
    createdAt: '2026-11-01T00:00:00.000Z',
    isSuspect: false,
  }
}

let page: WebPage
let storedFeedback: Feedback[]
beforeEach(() => {
  page = openPage()
  storedFeedback = [makeFeedback('ada'), makeFeedback('bob')]
  page.on('GET /api/admin/feedback', () => storedFeedback)
  page.show(<FeedbackSection />)
})
afterEach(() => page.close())

function press(name: string) {
  fireEvent.click(screen.getByRole('button', { name }))
}

async function openDeleteDialog() {
  await screen.findByText('ada@example.org')
  press('Delete the feedback from ada')
  await screen.findByText('Delete the feedback from ada?')
}

function getDeletionCalls() {
  return page.requests.filter(({ call }) => call.startsWith('DELETE')).map(({ call }) => call)
}

describe('deleting feedback', () => {
  it('asks for confirmation, and sends nothing when canceled', async () => {
    await openDeleteDialog()
    press('Cancel')
    await waitFor(() => expect(screen.queryByText('Delete the feedback from ada?')).toBeNull())
    expect(getDeletionCalls()).toEqual([])
    expect(page.text()).toContain('ada@example.org')
  })

  it('deletes the chosen feedback, removes its row and shows a toast', async () => {
    page.on('DELETE /api/admin/feedback/id-of-ada', () => {
      storedFeedback = storedFeedback.slice(1)
      return { message: 'Feedback deleted' }
    })
    await openDeleteDialog()
    press('Delete')
    await screen.findByText('Feedback deleted')
    await waitFor(() => expect(page.text()).not.toContain('ada@example.org'))
    expect(page.text()).toContain('bob@example.org')
    expect(getDeletionCalls()).toEqual(['DELETE /api/admin/feedback/id-of-ada'])
  })

  it('succeeds if the feedback was already deleted in another window', async () => {
    page.on('DELETE /api/admin/feedback/id-of-ada', () => {
      storedFeedback = storedFeedback.slice(1)
      return errorResponse(404, 'FEEDBACK_NOT_FOUND')
    })
    await openDeleteDialog()
    press('Delete')
    await screen.findByText('Feedback deleted')
    await waitFor(() => expect(page.text()).not.toContain('ada@example.org'))
  })

  it('shows an error and keeps the row if the call fails', async () => {
    page.on('DELETE /api/admin/feedback/id-of-ada', () =>
      errorResponse(503, 'UNAVAILABLE', 'The service cannot be reached right now.'),
    )
    await openDeleteDialog()
    press('Delete')
    await screen.findByText('Failed to delete the feedback')
    expect(page.text()).toContain('ada@example.org')
  })
})
