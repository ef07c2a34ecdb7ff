import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { File } from '../../src/shared/contract/files.ts'
import { json, makePerson } from '../support/make.ts'
import { dropFiles, openDashboard } from './support/dashboard.ts'
import { pseudoRandom } from './support/files.ts'
import { expect, isPut, isStart, test } from './support/network.ts'

/**
 * Many more files than the page uploads in parallel. `npm run bench -- large-drop` measures the
 * throughput.
 */
const count = 120
const size = 100 * 1024

test('all files of a large folder are uploaded, and the page stays responsive', async ({
  app,
  folder,
  network,
  page,
}) => {
  const person = await makePerson(app, { tier: 'premium' })
  const hashes = new Map<string, string>()
  const photos = join(folder, 'photos')
  await mkdir(join(photos, 'more'), { recursive: true })
  const [bytes = Buffer.alloc(0)] = pseudoRandom(size)
  for (let index = 0; index < count; index += 1) {
    bytes.writeUInt32BE(index)
    const name = `photo-${index}.raw`
    await writeFile(join(photos, index % 2 ? 'more' : '', name), bytes)
    hashes.set(name, createHash('sha256').update(bytes).digest('hex'))
  }
  await openDashboard(page, app, person)
  const listFiles = async () => json<File[]>(await person.fetch('/api/files'))

  let putCount = 0
  network.stall((exchange) => {
    if (isPut(exchange)) putCount += 1
    return isPut(exchange) && putCount > count / 2
  })
  await dropFiles(page, [photos])
  await expect.poll(async () => (await listFiles()).length).toBe(count / 2)
  await page.getByRole('tab', { name: 'My Files' }).click()
  await expect(page.getByText(`${count / 2} active links`)).toBeVisible()
  await page.getByRole('tab', { name: 'Upload' }).click()
  network.restore()
  await expect.poll(async () => (await listFiles()).length).toBe(count)

  const files = await listFiles()
  expect(new Map(files.map(({ originalName, sha256 }) => [originalName, sha256]))).toEqual(hashes)
  await expect(page.getByText(`${count} active links`)).toBeVisible()
  // Upload starts are batched into fewer requests.
  expect(network.exchanges.filter(isStart).length).toBeLessThan(count)
})
