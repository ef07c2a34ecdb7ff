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
  const operation = page.locator('#operations-uploads-getUploadUrl')
  await expect(operation).toContainText('/api/files/get-upload-url')
  const { paths } = await (await page.request.get('/api/openapi.json')).json()
  const operations = Object.values<object>(paths).flatMap(Object.keys)
  await expect(page.locator('.opblock')).toHaveCount(operations.length)

  await operation.getByRole('button').first().click()
  await expect(operation).toContainText('idempotencyKey')
  await expect(operation).toContainText('TIER_FILE_COUNT')

  const getColorScheme = () =>
    page
      .locator('.swagger-ui')
      .first()
      .evaluate((element) => getComputedStyle(element).colorScheme)
  expect(await getColorScheme()).not.toBe('dark')
  await page.getByRole('button', { name: 'Switch to dark theme' }).click()
  await expect.poll(getColorScheme).toBe('dark')
  expect(externalUrls).toEqual([])
})
