import { settings } from '../../src/server/db/schema.ts'
import { makeFile, makePerson } from '../support/make.ts'
import { fileRow, openDashboard } from './support/dashboard.ts'
import { expect, test } from './support/test.ts'

test("a share email contains the link and the administrator's signature", async ({ app, page }) => {
  const signature = 'Kind regards & see you,\nthe people of "Mayfly"? 100% #1'
  await app.deps.db
    .insert(settings)
    .values({ key: 'email_signature', value: signature, updatedAt: app.clock() })
  const person = await makePerson(app)
  const file = await makeFile(person, { name: 'minutes & more.pdf', type: 'application/pdf' })
  await openDashboard(page, app, person)

  const link = fileRow(page, file.originalName).getByRole('link', { name: 'Email link' })
  await expect(link).toHaveAttribute('href', /Mayfly/)
  const mailtoUrl = new URL((await link.getAttribute('href')) ?? '')
  expect(mailtoUrl.protocol).toBe('mailto:')
  expect(mailtoUrl.pathname).toBe('')
  expect([...mailtoUrl.searchParams.keys()]).toEqual(['subject', 'body'])
  expect(mailtoUrl.searchParams.get('subject')).toBe('A file for you: minutes & more.pdf')
  const body = mailtoUrl.searchParams.get('body')?.split('\r\n') ?? []
  expect(body).toContain('minutes & more.pdf (1000 Bytes)')
  expect(body).toContain(`${app.url}/s/${file.shortCode}`)
  expect(body.join('\n')).toMatch(/\nThe link works until \w+, \w+ \d+, \d{4} at /)
  expect(body.join('\n')).toContain(`\n\n${signature}`)
})
