import { json, makeClient, makePerson } from '../support/make.ts'
import { openDashboard } from './support/dashboard.ts'
import { expect, test } from './support/test.ts'

test('feedback: errors are explained, a failure keeps the input, success clears it', async ({
  app,
  errors,
  page,
}) => {
  errors.expect(/500 \(Internal Server Error\).*\/api\/feedback$/)
  const person = await makePerson(app)
  await openDashboard(page, app, person)
  await page.goto('/feedback')
  await page.clock.install()
  const sendButton = page.getByRole('button', { name: 'Send Feedback' })
  const toast = page.locator('#toast')
  const nameField = page.getByLabel('Name*')
  const emailField = page.getByLabel('Email*')
  const messageField = page.getByLabel('Message*')

  // The name and the address are those of the account. Submit by keyboard only; the focus moves to
  // the first invalid field.
  await expect(nameField).toHaveValue('Ada Lovelace')
  await expect(emailField).toHaveValue(person.email)
  await emailField.fill('ada')
  await sendButton.focus()
  await page.keyboard.press('Enter')
  await expect(toast).toContainText('Missing information')
  await expect(toast).toContainText('Please fill in all required fields.')
  await expect(messageField).toBeFocused()
  await page.keyboard.type('A bell.')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(toast).toContainText('Invalid email')
  await expect(toast).toContainText('Please enter a valid email address.')
  await expect(emailField).toBeFocused()
  await expect(emailField).toHaveAccessibleDescription('Please enter a valid email address.')
  await emailField.fill('ada@example.org')
  await page.getByLabel('Category').selectOption({ label: 'Feature Request' })

  await page.route('**/api/feedback', (route) => route.fulfill({ status: 500, body: 'no JSON' }))
  await sendButton.click()
  await expect(toast).toContainText('Failed to send feedback')
  await expect(toast).toContainText('Something went wrong. Please try again.')
  await expect(messageField).toHaveValue('A bell.')
  await expect(emailField).toHaveValue('ada@example.org')

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
  for (const field of [messageField, page.getByLabel('Category')]) {
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
    { name: 'Ada Lovelace', email: 'ada@example.org', category: 'feature', message: 'A bell.' },
  ])
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
