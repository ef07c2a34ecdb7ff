import { json, makeClient, makePerson } from '../support/make.ts'
import { openDashboard } from './support/dashboard.ts'
import {
  clearPageTexts,
  expectPageTexts,
  expectShown,
  expectToast,
  recordPageTexts,
} from './support/page-texts.ts'
import { expect, test } from './support/test.ts'
import { administratorWalk } from './support/texts/administrator-walk.ts'
import { freeUserWalk } from './support/texts/free-user-walk.ts'
import { premiumUserWalk } from './support/texts/premium-user-walk.ts'
import { visitorWalk } from './support/texts/visitor-walk.ts'

/** The screens in spec §2, for each role in spec §6. */
const walks = {
  visitor: visitorWalk,
  'free user': freeUserWalk,
  'premium user': premiumUserWalk,
  administrator: administratorWalk,
}

for (const [person, stops] of Object.entries(walks)) {
  test(`${person}: every screen shows the specification's literal texts`, async ({
    app,
    folder,
    errors,
    page,
  }) => {
    await recordPageTexts(page)
    for (const { at, perform, expectedTexts = [], toast, otherTexts = [] } of stops) {
      await test.step(at, async () => {
        await clearPageTexts(page)
        await perform({ app, folder, errors, page })
        if (toast) await expectToast(page, toast)
        await expectPageTexts(page, otherTexts)
        for (const [findRegion, texts] of expectedTexts) await expectShown(findRegion(page), texts)
      })
    }
  })
}

test('feedback: errors are explained, a failure keeps the input, success clears it', async ({
  app,
  errors,
  page,
}) => {
  errors.expect(/500 \(Internal Server Error\).*\/api\/feedback$/)
  await page.goto('/feedback')
  await page.clock.install()
  const sendButton = page.getByRole('button', { name: 'Send Feedback' })
  const toast = page.locator('#toast')
  const nameField = page.getByLabel('Name*')
  const emailField = page.getByLabel('Email*')
  const messageField = page.getByLabel('Message*')

  // Submit by keyboard only. The focus moves to the first invalid field.
  await sendButton.focus()
  await page.keyboard.press('Enter')
  await expect(toast).toContainText('Missing information')
  await expect(toast).toContainText('Please fill in all required fields.')
  await expect(nameField).toBeFocused()
  await page.keyboard.type('Ada')
  await page.keyboard.press('Tab')
  await page.keyboard.type('ada')
  await page.keyboard.press('Tab')
  await page.getByLabel('Category').selectOption({ label: 'Feature Request' })
  await page.keyboard.press('Tab')
  await page.keyboard.type('A bell.')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(toast).toContainText('Invalid email')
  await expect(toast).toContainText('Please enter a valid email address.')
  await expect(emailField).toBeFocused()
  await expect(emailField).toHaveAccessibleDescription('Please enter a valid email address.')
  await emailField.fill('ada@example.org')

  await page.route('**/api/feedback', (route) => route.fulfill({ status: 500, body: 'no JSON' }))
  await sendButton.click()
  await expect(toast).toContainText('Failed to send feedback')
  await expect(toast).toContainText('Something went wrong. Please try again.')
  await expect(messageField).toHaveValue('A bell.')
  await expect(nameField).toHaveValue('Ada')
  // The toast is below the header, which wraps to two lines on a phone.
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await toast.boundingBox()).toMatchObject({ x: 12, y: 116, width: 366 })
  await page.setViewportSize({ width: 1280, height: 800 })

  // A second click while the response is pending sends nothing.
  await page.unroute('**/api/feedback')
  let releaseRequest = () => {}
  const requestReleased = new Promise<void>((resolve) => {
    releaseRequest = resolve
  })
  let requestCount = 0
  await page.route('**/api/feedback', async (route) => {
    requestCount += 1
    await requestReleased
    await route.continue()
  })
  await sendButton.click()
  const sendingButton = page.getByRole('button', { name: 'Sending...' })
  await expect(sendingButton).toBeVisible()
  await sendingButton.click()
  releaseRequest()
  await expect(toast).toContainText('Feedback sent successfully!')
  await expect(sendButton).toBeVisible()
  for (const field of [nameField, emailField, messageField, page.getByLabel('Category')]) {
    await expect(field).toHaveValue('')
  }
  expect(requestCount).toBe(1)
  // This toast stays for 8 s instead of the usual 5 s. Real time passes too, so check well before 8
  // s.
  await page.clock.runFor(5500)
  await expect(toast).toContainText('Feedback sent successfully!')
  await page.clock.runFor(2500)
  await expect(toast).toBeEmpty()

  const admin = await makePerson(app, { role: 'admin' })
  expect(await json(await admin.fetch('/api/admin/feedback'))).toMatchObject([
    { name: 'Ada', email: 'ada@example.org', category: 'feature', message: 'A bell.' },
  ])
})

test('feedback: name and email are prefilled for a signed-in user', async ({ app, page }) => {
  const person = await makePerson(app)
  await openDashboard(page, app, person)
  await page.goto('/feedback')
  await expect(page.getByLabel('Email*')).toHaveValue(person.email)
  await expect(page.getByLabel('Name*')).toHaveValue('Ada Lovelace')
})

test('without scripts, feedback works and one FAQ answer is open at a time', async ({
  app,
  visitor,
}) => {
  const page = await visitor({ javaScriptEnabled: false })
  await page.goto('/faq')
  const firstAnswer = page.getByText('A way to share files for a limited time')
  const secondAnswer = page.getByText('Links expire to the second.')
  await expect(firstAnswer).toBeHidden()
  await page.getByText('What is Mayfly?').click()
  await expect(firstAnswer).toBeVisible()
  await page.getByText('How long does a link work?').click()
  await expect(secondAnswer).toBeVisible()
  await expect(firstAnswer).toBeHidden()
  await page.getByText('How long does a link work?').click()
  await expect(secondAnswer).toBeHidden()

  await page.getByRole('link', { name: 'Feedback' }).first().click()
  await page.getByLabel('Name*').fill('Ada')
  await page.getByLabel('Email*').fill('ada@example.org')
  await page.getByLabel('Message*').fill('It works without.')
  await page.getByRole('button', { name: 'Send Feedback' }).click()
  await expect(page.getByRole('heading', { name: 'Feedback sent successfully!' })).toBeVisible()
  expect((await makeClient(app).fetch('/feedback')).status).toBe(200)
  expect((await app.sendQueuedEmails())[0]?.content.text).toContain('It works without.')
})
