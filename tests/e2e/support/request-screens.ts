import { expect } from '@playwright/test'
import { makeRequest, sendDelivery } from '../../support/file-requests.ts'
import { makePerson } from '../../support/make.ts'
import { openDashboard } from './dashboard.ts'
import { longName } from './file-screens.ts'
import type { Screens } from './open-screens.ts'

/** The Requests tab and the page of a request. A screen starts from the one before it. */
export const requestScreens: Screens = {
  'no requests': async ({ app, page }) => {
    await openDashboard(page, app, await makePerson(app))
    await page.getByRole('tab', { name: 'Requests' }).click()
    await expect(page.getByText('No requests yet')).toBeVisible()
  },
  'new request': async ({ page }) => {
    await page.getByRole('button', { name: 'New request' }).click()
    await page.getByLabel('Title').fill(longName.slice(0, 190))
    await page.getByRole('switch', { name: 'Password' }).click()
    await page.getByLabel('Days open').fill('31')
    await page.getByRole('button', { name: 'Create request' }).click()
    await expect(page.getByText('Enter a whole number from 1 to 30.')).toBeVisible()
  },
  'what a request has received': async ({ app, page }) => {
    const person = await makePerson(app, { tier: 'premium' })
    const { code } = await makeRequest(person, { title: longName.slice(0, 190), maxLinks: 5 })
    await makeRequest(person, { title: 'Plans', password: 'open sesame' })
    await sendDelivery(app, code, { senderName: 'تقرير' })
    await openDashboard(page, app, person)
    await page.getByRole('tab', { name: 'Requests' }).click()
    await page.getByRole('button', { name: '1 received' }).click()
    await expect(page.getByRole('button', { name: 'Share' })).toBeVisible()
  },
  'page of a locked request': async ({ app, page }) => {
    const { code } = await makeRequest(await makePerson(app), { password: 'open sesame' })
    await page.goto(`/r/${code}`)
    await expect(page.getByLabel('Password')).toBeVisible()
  },
  'page of a request with files to send': async ({ app, page }) => {
    const message = 'Please send the originals,\nnot copies from a chat.'
    const { code } = await makeRequest(await makePerson(app), { message })
    await page.goto(`/r/${code}`)
    await page.getByLabel('Files to send').setInputFiles(
      [longName, 'تقرير.txt'].map((name) => ({
        name,
        mimeType: 'text/plain',
        buffer: Buffer.alloc(1000),
      })),
    )
    await expect(page.getByRole('button', { name: 'Send 2 files' })).toBeVisible()
  },
  'page of a request while files are sent': async ({ page }) => {
    await page.route('**/storage/**', () => {})
    await page.getByRole('button', { name: 'Send 2 files' }).click()
    await expect(page.getByRole('region', { name: 'Files being sent' })).toBeVisible()
  },
}
