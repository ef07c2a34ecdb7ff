import { eq } from 'drizzle-orm'
import { sessions } from '../../src/server/db/schema.ts'
import { initialSignedParts } from '../../src/shared/rules/files/part-plan.ts'
import { makePerson } from '../support/make.ts'
import { dropFiles, fillLogin, openDashboard } from './support/dashboard.ts'
import { writeRandomFile } from './support/files.ts'
import { countSentBytes, expect, stallAfter, test } from './support/network.ts'
import { expectArrived, expectUpload, uploadItem } from './support/uploads.ts'

const mebibyte = 1024 ** 2

test('an upload whose session ends resumes after a sign-in in another tab', async ({
  app,
  context,
  folder,
  errors,
  page,
  network,
}) => {
  errors.expect(/401 \(Unauthorized\)/)
  const person = await makePerson(app)
  // The upload needs one more part URL than the response that starts it contains.
  const file = await writeRandomFile(folder, 'footage.mov', (initialSignedParts + 1) * 8 * mebibyte)
  await openDashboard(page, app, person)

  await stallAfter(network, 20 * mebibyte, () => dropFiles(page, [file.path]))
  await app.deps.db.delete(sessions).where(eq(sessions.userId, person.id))
  network.restore()

  await expectUpload(page, file.name, 'Paused')
  const pagePromise = context.waitForEvent('page')
  await uploadItem(page, file.name).getByRole('link', { name: 'Sign in' }).click()
  const loginPage = await pagePromise
  await fillLogin(loginPage, person)

  // The first tab still has the file, so the user doesn't have to choose it again.
  await expectArrived(page, app, file, loginPage)
  expect(countSentBytes(network)).toBeLessThanOrEqual(file.size + 5 * 8 * mebibyte)
})
