// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hintSignedIn, openPage, type WebPage } from '../../../tests/support/web-page.ts'
import type { User } from '../../shared/contract/account.ts'
import { FeedbackSection } from '../admin/feedback-section.tsx'
import { MaintenanceSection } from '../admin/maintenance-section.tsx'
import { questionForLink, useTakedownDialog } from '../admin/takedown-dialog.tsx'
import { ManagerSettings } from '../files/manager/manager-settings.tsx'
import { AccountPage } from './account-page.tsx'
import { ManagerTab } from './manager-tab.tsx'

/** No page may promise an email on a server that sends none. */

const ada: User = {
  id: 'ada',
  email: 'ada@example.org',
  name: 'Ada Lovelace',
  firstName: 'Ada',
  lastName: 'Lovelace',
  emailVerified: true,
  tier: 'free',
  isAdmin: false,
  premiumTrialStartedAt: null,
  premiumTrialEndsAt: null,
  profileImageUrl: null,
}

let page: WebPage
beforeEach(() => {
  page = openPage()
  hintSignedIn(true)
  page.on('GET /api/auth/user', () => ada)
  page.on('GET /api/admin/feedback', () => [])
})
afterEach(() => {
  page.close()
  hintSignedIn(false)
})

function answerWays(sendsMail: boolean) {
  page.on('GET /api/auth/ways', () => ({ google: false, signup: 'open', sendsMail }))
}

function Takedown() {
  const { open, dialog } = useTakedownDialog()
  return (
    <>
      <button type="button" onClick={() => open(questionForLink('Kd7wQm2xRt'))}>
        Ask
      </button>
      {dialog}
    </>
  )
}

function manager() {
  page.show(
    <ManagerTab
      user={ada}
      isExpiring={false}
      onShowAll={() => {}}
      onUpload={() => {}}
      onTierChange={() => {}}
    />,
  )
}

function takedown() {
  page.show(<Takedown />)
  fireEvent.click(screen.getByRole('button', { name: 'Ask' }))
}

function feedback() {
  page.show(<FeedbackSection />)
}

function maintenance() {
  page.show(<MaintenanceSection />)
}

function account() {
  page.show(<AccountPage />)
}

test.each([
  ['the File Manager offer', manager, 'Get emails about', 'copy their links together.'],
  [
    'the takedown dialog',
    takedown,
    'in an email and in My Files',
    'in My Files. This server sends no email',
  ],
  ['the feedback list', feedback, 'emailed to support', 'This server sends no email'],
  ['the email test', maintenance, 'Sends an email to', 'Writes an email to the outbox folder'],
  [
    'the password form',
    account,
    'You get an email about it',
    'links in earlier emails stop working.',
  ],
])('%s: promises an email only if the server sends email', async (_, show, promise, without) => {
  answerWays(true)
  show()
  await expect.poll(page.text).toContain(promise)

  page.close()
  page = openPage()
  page.on('GET /api/auth/user', () => ada)
  page.on('GET /api/admin/feedback', () => [])
  answerWays(false)
  show()
  await expect.poll(page.text).toContain(without)
  expect(page.text()).not.toContain(promise)
})

describe('email settings in the File Manager', () => {
  const wants = { defaultExpirationDays: 3, mailOnFirstDownload: false, mailBeforeExpiry: true }
  let changes: unknown[]
  beforeEach(() => {
    changes = []
    page.on('GET /api/preferences', () => wants)
    page.on('PATCH /api/preferences', ({ body }) => {
      changes.push(body)
      return { ...wants, ...(body as object) }
    })
  })

  const press = (name: string) =>
    act(async () => void fireEvent.click(screen.getByRole('switch', { name })))

  test('can be turned on and off if the server sends email', async () => {
    answerWays(true)
    page.show(<ManagerSettings tier="premium" id="settings" />)
    await expect.poll(page.text).toContain('Once per file.')
    await press('Email at the first download')
    await press('Email before a link expires')
    await expect
      .poll(() => changes)
      .toEqual([{ mailOnFirstDownload: true }, { mailBeforeExpiry: false }])
  })

  test('can only be turned off if the server sends no email, and the page explains why', async () => {
    answerWays(false)
    page.show(<ManagerSettings tier="premium" id="settings" />)
    await expect.poll(page.text).toContain('This server sends no email.')
    const off = screen.getByRole('switch', { name: 'Email at the first download' })
    const why = document.getElementById(off.getAttribute('aria-describedby') ?? '')
    expect(why?.textContent).toBe('This server sends no email.')
    await press('Email at the first download')
    await press('Email before a link expires')
    await expect.poll(() => changes).toEqual([{ mailBeforeExpiry: false }])
  })
})

describe('the support contact', () => {
  test.each([
    ['help@example.org', 'write to help@example.org', /^mailto:help@example\.org\?/],
    [null, 'ask the operator of this server', /^\/feedback$/],
  ])(
    'is shown on the account page, with the support address %j',
    async (supportEmail, says, leads) => {
      page.on('GET /api/settings/contact', () => ({ supportEmail }))
      account()
      await expect.poll(page.text).toContain(`To change it, ${says}.`)
      const link = screen.getByRole('link', { name: /^Write to (support|the operator)$/ })
      expect(link.getAttribute('href')).toMatch(leads)
    },
  )
})
