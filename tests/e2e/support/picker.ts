import { expect, type Page } from '@playwright/test'
import type { DiskFile } from './files.ts'

/** Removes the file picker API, as in browsers that support only file inputs. */
export async function removePicker(page: Page): Promise<void> {
  await page.addInitScript(() => void Reflect.deleteProperty(window, 'showOpenFilePicker'))
}

/**
 * Stubs the file picker in every tab to return this file, because the native dialog can't be
 * automated. The file is in OPFS, so its handle is real and shared between tabs. OPFS never prompts
 * for permission, so the prompt is simulated: a reload revokes access, and with `asksPermission` a
 * click is needed to regain it.
 */
export async function mockPicker(
  page: Page,
  { name, path }: DiskFile,
  { asks: asksPermission }: { asks: boolean },
): Promise<void> {
  const installMock = ({ name, asks: asksPermission }: { name: string; asks: boolean }) => {
    // Blank pages aren't secure contexts, so they can't use OPFS.
    if (!isSecureContext) return
    let isAllowed = !asksPermission
    const { prototype } = FileSystemFileHandle
    const { getFile } = prototype
    Object.assign(prototype, {
      async getFile(this: FileSystemFileHandle) {
        if (!isAllowed) throw new DOMException('not allowed', 'NotAllowedError')
        return getFile.call(this)
      },
      async requestPermission() {
        if (!navigator.userActivation.isActive) throw new DOMException('no click', 'SecurityError')
        isAllowed = true
        return 'granted'
      },
    })
    const showOpenFilePicker = async () => {
      const folder = await navigator.storage.getDirectory()
      isAllowed = true
      return [await folder.getFileHandle(name)]
    }
    Object.assign(window, { showOpenFilePicker })
  }
  await page.context().addInitScript(installMock, { name, asks: asksPermission })
  await page.evaluate(installMock, { name, asks: asksPermission })

  const inputHandle = await page.evaluateHandle(() =>
    Object.assign(document.createElement('input'), { type: 'file' }),
  )
  await inputHandle.setInputFiles(path)
  await inputHandle.evaluate(async ({ files }) => {
    const [file] = files ?? []
    if (!file) throw new Error('no file')
    const folder = await navigator.storage.getDirectory()
    const handle = await folder.getFileHandle(file.name, { create: true })
    await file.stream().pipeTo(await handle.createWritable())
  })
}

export function countHandles(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const openRequest = indexedDB.open('mayfly-uploads')
        openRequest.onsuccess = () => {
          const database = openRequest.result
          const countRequest = database
            .transaction('file-handles')
            .objectStore('file-handles')
            .count()
          countRequest.onsuccess = () => {
            database.close()
            resolve(countRequest.result)
          }
        }
      }),
  )
}

/**
 * Waits until IndexedDB contains the chosen file's handle, because a reload before then would lose
 * it.
 */
export async function expectHandleSaved(page: Page): Promise<void> {
  await expect.poll(() => countHandles(page)).toBe(1)
}
