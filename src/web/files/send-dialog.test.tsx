// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listedLink } from '../../../tests/support/upload-fixtures.ts'
import {
  errorResponse,
  openPage,
  setSignedInHint,
  type WebPage,
} from '../../../tests/support/web-page.ts'
import type { Link } from '../../shared/contract/links.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { LinkList } from './link-list.tsx'

let page: WebPage
beforeEach(() => {
  page = openPage()
  page.on('GET /api/settings/email-signature', () => ({ signature: '' }))
  page.on('GET /api/settings/features', () => ({ requests: 'on', sendByEmail: 'on' }))
  respondWithSignInWays(true)
})
afterEach(() => {
  page.close()
  setSignedInHint(false)
})

function respondWithSignInWays(sendsMail: boolean) {
  page.on('GET /api/auth/ways', () => ({ google: false, signup: 'open', sendsMail }))
}

function show(tier: Tier, changes: Partial<Link> = {}): Link {
  const link = listedLink({ title: 'Minutes', ...changes })
  const now = new Date('2025-07-12T11:00:00.000Z')
  page.show(<LinkList label="My Files" links={[link]} tier={tier} now={now} />)
  return link
}

async function openMenu() {
  await expect
    .poll(() => page.requests.filter(({ call }) => /features|ways/.test(call)).length)
    .toBe(2)
  fireEvent.click(screen.getByRole('button', { name: 'More for link of Minutes' }))
  await screen.findByRole('menuitem', { name: 'Edit link' })
}

describe('the menu of a link', () => {
  test('offers to send it by email to premium users', async () => {
    show('premium')
    await openMenu()
    await screen.findByRole('menuitem', { name: 'Send by email' })
  })

  test.each<[string, Tier, () => void]>([
    ['of a free user', 'free', () => undefined],
    [
      'where the administrator turned it off',
      'premium',
      () => page.on('GET /api/settings/features', () => ({ requests: 'on', sendByEmail: 'off' })),
    ],
  ])("%s doesn't offer it", async (_, tier, prepare) => {
    prepare()
    show(tier)
    await openMenu()
    await expect.poll(() => screen.queryByRole('menuitem', { name: 'Send by email' })).toBeNull()
  })

  test('says that the address of the user has to be verified first', async () => {
    setSignedInHint(true)
    page.on('GET /api/auth/user', () => ({ id: 'ada', emailVerified: false }))
    show('premium')
    await openMenu()
    await screen.findByRole('menuitem', { name: /Please verify your email address first/ })
  })

  test('says that the server sends no email', async () => {
    respondWithSignInWays(false)
    show('premium')
    await openMenu()
    const item = await screen.findByRole('menuitem', { name: /This server sends no email/ })
    expect(item.getAttribute('aria-disabled')).toBe('true')
  })
})

describe('the dialog that sends a link', () => {
  async function openDialog(changes: Partial<Link> = {}) {
    const link = show('premium', changes)
    await openMenu()
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Send by email' }))
    await screen.findByRole('dialog', { name: 'Send Minutes' })
    return link
  }
  const fill = (label: string, value: string) =>
    fireEvent.change(screen.getByLabelText(label), { target: { value } })
  const send = () => act(async () => fireEvent.click(screen.getByRole('button', { name: 'Send' })))
  const sentBodies = () =>
    page.requests.flatMap(({ call, body }) => (call.startsWith('POST') ? [body] : []))

  test('sends addresses and message, and says what happens', async () => {
    const { shortCode } = await openDialog()
    page.on(`POST /api/links/${shortCode}/send`, () => ({ message: '2 emails are on the way.' }))
    fill('To', 'Ada <ada@example.org>,\nb@example.org')
    fill('Message', ' Hello ')
    await send()
    await expect.poll(page.text).toContain('2 emails are on the way.Minutes')
    expect(sentBodies()).toEqual([{ to: ['ada@example.org', 'b@example.org'], message: 'Hello' }])
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  })

  test('names an address that is none and sends nothing', async () => {
    await openDialog()
    fill('To', 'ada@example.org, b@')
    await send()
    expect(page.text()).toContain('b@ is not an email address.')
    expect(sentBodies()).toEqual([])
  })

  test('stays open with its fields if the server refuses', async () => {
    const { shortCode } = await openDialog()
    const reason = 'You can send links to 100 people a day. Please try again later.'
    page.on(`POST /api/links/${shortCode}/send`, () =>
      errorResponse(429, 'TOO_MANY_REQUESTS', reason),
    )
    fill('To', 'ada@example.org')
    await send()
    await expect.poll(page.text).toContain(`Link not sent${reason}`)
    expect(screen.getByLabelText<HTMLInputElement>('To').value).toBe('ada@example.org')
  })

  test('says that the email has no password', async () => {
    await openDialog({ hasPassword: true })
    expect(page.text()).toContain('The email says that the link needs a password.')
  })
})

test('the row of a link lists the addresses that it could not be delivered to', () => {
  show('premium', { undelivered: ['ada@example.org', 'b@example.org'] })
  expect(page.text()).not.toContain('ada@example.org')
  fireEvent.click(screen.getByRole('button', { name: /^2 emails not delivered/ }))
  expect(page.text()).toContain('could not be delivered to ada@example.org, b@example.org.')
})
