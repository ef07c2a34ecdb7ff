// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPage, setSignedInHint, type WebPage } from '../../../tests/support/web-page.ts'
import type { User } from '../../shared/contract/account.ts'
import { FeedbackSection } from '../admin/feedback-section.tsx'
import { MaintenanceSection } from '../admin/maintenance-section.tsx'
import { TakedownDialog, toLinkTarget } from '../admin/takedown-dialog.tsx'
import { ManagerSettings } from '../files/manager/manager-settings.tsx'
import { AccountPage } from './account-page.tsx'
import { ManagerTab } from './manager-tab.tsx'

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
  setSignedInHint(true)
  page.on('GET /api/auth/user', () => ada)
  page.on('GET /api/admin/feedback', () => [])
})
afterEach(() => {
  page.close()
  setSignedInHint(false)
})

function respondWithSignInWays(sendsMail: boolean) {
  page.on('GET /api/auth/ways', () => ({ google: false, signup: 'open', sendsMail }))
}

function showFileManager() {
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

function openTakedownDialog() {
  const target = toLinkTarget('Kd7wQm2xRt')
  page.show(<TakedownDialog target={target} onClosed={() => undefined} />)
}

function showFeedback() {
  page.show(<FeedbackSection />)
}

function showMaintenance() {
  page.show(<MaintenanceSection />)
}

function showAccountPage() {
  page.show(<AccountPage />)
}

test.each([
  ['the File Manager offer', showFileManager, 'Get emails about', 'copy their links together.'],
  [
    'the takedown dialog',
    openTakedownDialog,
    'in an email and in My Files',
    'in My Files. This server sends no email',
  ],
  ['the feedback list', showFeedback, 'emailed to support', 'This server sends no email'],
  ['the email test', showMaintenance, 'Sends an email to', 'Writes an email to the outbox folder'],
  [
    'the password form',
    showAccountPage,
    'You get an email about it',
    'links in earlier emails stop working.',
  ],
])(
  '%s: promises an email only if the server sends email',
  async (_, show, promiseText, fallbackText) => {
    respondWithSignInWays(true)
    show()
    await expect.poll(page.text).toContain(promiseText)

    page.close()
    page = openPage()
    page.on('GET /api/auth/user', () => ada)
    page.on('GET /api/admin/feedback', () => [])
    respondWithSignInWays(false)
    show()
    await expect.poll(page.text).toContain(fallbackText)
    expect(page.text()).not.toContain(promiseText)
  },
)

describe('email settings in the File Manager', () => {
  const preferences = {
    defaultExpirationDays: 3,
    mailOnFirstDownload: false,
    mailBeforeExpiry: true,
  }
  let sentChanges: unknown[]
  beforeEach(() => {
    sentChanges = []
    page.on('GET /api/preferences', () => preferences)
    page.on('PATCH /api/preferences', ({ body }) => {
      sentChanges.push(body)
      return { ...preferences, ...(body as object) }
    })
  })

  const press = (name: string) =>
    act(async () => void fireEvent.click(screen.getByRole('switch', { name })))

  test('can be turned on and off if the server sends email', async () => {
    respondWithSignInWays(true)
    page.show(<ManagerSettings tier="premium" id="settings" />)
    await expect.poll(page.text).toContain('Once per file.')
    await press('Email at the first download')
    await press('Email before a link expires')
    await expect
      .poll(() => sentChanges)
      .toEqual([{ mailOnFirstDownload: true }, { mailBeforeExpiry: false }])
  })

  test('can only be turned off if the server sends no email, and the page explains why', async () => {
    respondWithSignInWays(false)
    page.show(<ManagerSettings tier="premium" id="settings" />)
    await expect.poll(page.text).toContain('This server sends no email.')
    const emailSwitch = screen.getByRole('switch', { name: 'Email at the first download' })
    const description = document.getElementById(emailSwitch.getAttribute('aria-describedby') ?? '')
    expect(description?.textContent).toBe('This server sends no email.')
    await press('Email at the first download')
    await press('Email before a link expires')
    await expect.poll(() => sentChanges).toEqual([{ mailBeforeExpiry: false }])
  })
})

describe('the support contact', () => {
  test.each([
    ['help@example.org', 'write to help@example.org'],
    [null, 'ask the operator of this server'],
  ])(
    'is shown on the account page, with the support address %j',
    async (supportEmail, contactText) => {
      page.on('GET /api/settings/contact', () => ({ supportEmail }))
      showAccountPage()
      await expect.poll(page.text).toContain(`To change it, ${contactText}.`)
    },
  )
})
