import { expect, test } from './support/test.ts'

test('the API reference lists every endpoint in both themes and loads only our own files', async ({
  app,
  page,
}) => {
  const externalUrls: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== app.url) externalUrls.push(request.url())
  })
  await page.goto('/api/docs')
  await expect(page).toHaveTitle('API reference · Mayfly')
  const call = page.locator('#operations-uploads-getUploadUrl')
  await expect(call).toContainText('/api/files/get-upload-url')
  const { paths } = await (await page.request.get('/api/openapi.json')).json()
  const calls = Object.values<object>(paths).flatMap(Object.keys)
  await expect(page.locator('.opblock')).toHaveCount(calls.length)

  await call.getByRole('button').first().click()
  await expect(call).toContainText('idempotencyKey')
  await expect(call).toContainText('TIER_FILE_COUNT')

  const backgroundColor = () =>
    page
      .locator('.swagger-ui')
      .first()
      .evaluate((element) => getComputedStyle(element).colorScheme)
  expect(await backgroundColor()).not.toBe('dark')
  await page.getByRole('button', { name: 'Switch to dark theme' }).click()
  await expect.poll(backgroundColor).toBe('dark')
  expect(externalUrls).toEqual([])
})
