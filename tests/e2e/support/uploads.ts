import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { expect, type Locator, type Page } from '@playwright/test'
import { dropFiles, fileRow } from './dashboard.ts'
import type { DiskFile } from './files.ts'

export function uploadsPanel(page: Page): Locator {
  return page.getByRole('region', { name: 'Background uploads' })
}

export function uploadItem(page: Page, name: string): Locator {
  return uploadsPanel(page)
    .getByRole('listitem')
    .filter({ has: page.getByText(name, { exact: true }) })
}

/** Waits until a paused upload asks for its file, then drops the file onto its list item. */
export async function dropOnUpload(page: Page, path: string, name: string): Promise<void> {
  const item = uploadItem(page, name)
  await expect(item.getByText(/Choose the same file again/)).toBeVisible()
  await dropFiles(page, [path], item)
}

export function pressResume(page: Page, name: string): Promise<void> {
  return uploadItem(page, name)
    .getByRole('button', { name: `Resume: ${name}` })
    .click()
}

export function pressCancel(page: Page, name: string): Promise<void> {
  return uploadItem(page, name)
    .getByRole('button', { name: `Cancel ${name}` })
    .click()
}

/** Waits until the panel shows this state for the upload, opening the panel if needed. */
export function expectUpload(
  page: Page,
  name: string,
  badge: 'Pending' | 'Uploading' | 'Finalizing' | 'Paused' | 'Completed' | 'Failed',
): Promise<void> {
  const uploadBadge = uploadItem(page, name).getByText(badge, { exact: true })
  return expect(async () => {
    await openPanel(page)
    await expect(uploadBadge).toBeVisible({ timeout: 1000 })
  }).toPass()
}

export async function openPanel(page: Page): Promise<void> {
  const collapsedButton = uploadsPanel(page).getByRole('button', { expanded: false })
  if (await collapsedButton.isVisible()) await collapsedButton.press('Enter')
}

export async function readShortCode(page: Page, name: string): Promise<string> {
  const link = fileRow(page, name).getByRole('link', { name: /^\/s\// })
  const href = await link.getAttribute('href')
  return new URL(href ?? '', page.url()).pathname.split('/').at(-1) ?? ''
}

/** Downloads a link's file and returns its SHA-256 in hexadecimal. */
export async function hashDownload(origin: string, code: string): Promise<string> {
  const response = await fetch(`${origin}/api/download/${code}`)
  if (!response.ok || !response.body) throw new Error(`Download failed: ${response.status}`)
  const hash = createHash('sha256')
  await pipeline(response.body, hash)
  return hash.digest('hex')
}

/** Waits until the page lists the file. Checks that its link serves the file's bytes. */
export async function expectArrived(
  page: Page,
  server: { url: string },
  file: DiskFile,
): Promise<void> {
  await expect(fileRow(page, file.name).getByText(/ days left$/)).toBeVisible()
  expect(await hashDownload(server.url, await readShortCode(page, file.name))).toBe(file.sha256)
}
