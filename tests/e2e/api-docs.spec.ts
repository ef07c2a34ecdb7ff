import { expect, test } from './support/test.ts'

test('the API reference explains an endpoint and loads only our own files', async ({
  app,
  page,
}) => {
  const externalUrls: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== app.url) externalUrls.push(request.url())
  })
  // Swagger UI needs seconds to render all endpoints.
  await page.route('/api/openapi.json', async (route) => {
    const response = await route.fetch()
    const document = await response.json()
    const path = '/api/files/get-upload-url'
    document.paths = { [path]: document.paths[path] }
    await route.fulfill({ response, json: document })
  })
  await page.goto('/api/docs')
  await expect(page).toHaveTitle('API reference · Mayfly')
  const operation = page.locator('#operations-uploads-getUploadUrl')
  await expect(operation).toContainText('/api/files/get-upload-url')

  await operation.getByRole('button').first().click()
  await expect(operation).toContainText('idempotencyKey')
  await expect(operation).toContainText('TIER_FILE_COUNT')
  expect(externalUrls).toEqual([])
})
