import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { File } from '../../src/shared/contract/files.ts'
import { json, makePerson } from '../support/make.ts'
import { dropFiles, openDashboard } from './support/dashboard.ts'
import { generateRandomBytes } from './support/files.ts'
import { expect, isPut, test } from './support/network.ts'

/**
 * Many more files than the page uploads in parallel. `npm run bench -- large-drop` measures the
 * throughput.
 */
const fileCount = 120
const fileSize = 100 * 1024

test('all files of a large folder are uploaded, and the page stays responsive', async ({
  app,
  folder,
  network,
  page,
}) => {
  const person = await makePerson(app, { tier: 'premium' })
  const hashesByName = new Map<string, string>()
  const photosFolder = join(folder, 'photos')
  await mkdir(join(photosFolder, 'more'), { recursive: true })
  const [bytes = Buffer.alloc(0)] = generateRandomBytes(fileSize)
  for (let index = 0; index < fileCount; index += 1) {
    bytes.writeUInt32BE(index)
    const name = `photo-${index}.raw`
    await writeFile(join(photosFolder, index % 2 ? 'more' : '', name), bytes)
    hashesByName.set(name, createHash('sha256').update(bytes).digest('hex'))
  }
  await openDashboard(page, app, person)
  await page.getByRole('radio', { name: 'A link each' }).click()
  const listFiles = async () => json<File[]>(await person.fetch('/api/files'))

  let putCount = 0
  network.stall((exchange) => {
    if (isPut(exchange)) putCount += 1
    return isPut(exchange) && putCount > fileCount / 2
  })
  await dropFiles(page, [photosFolder])
  await expect.poll(async () => (await listFiles()).length).toBe(fileCount / 2)
  await page.getByRole('tab', { name: 'My Files' }).click()
  await expect(page.getByText(`${fileCount / 2} active links`)).toBeVisible()
  await page.getByRole('tab', { name: 'Upload' }).click()
  network.restore()
  await expect.poll(async () => (await listFiles()).length).toBe(fileCount)

  const files = await listFiles()
  expect(new Map(files.map(({ originalName, sha256 }) => [originalName, sha256]))).toEqual(
    hashesByName,
  )
  await expect(page.getByText(`${fileCount} active links`)).toBeVisible()
})
