import { expect, type Page } from '@playwright/test'
import type { DiskFile } from './files.ts'

/** Removes the browser's file picker, as in browsers that choose files only by an input. */
export async function withoutPicker(page: Page): Promise<void> {
  await page.addInitScript(() => void Reflect.deleteProperty(window, 'showOpenFilePicker'))
}

/** Makes the browser's file picker refuse to open. */
export async function withPickerRefused(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const showOpenFilePicker = () => Promise.reject(new DOMException('no', 'SecurityError'))
    Object.assign(window, { showOpenFilePicker })
  })
}

/**
 * From now on the browser's file picker returns this file in every tab. A test cannot use the real
 * dialog, because it belongs to the system. The file lies in the page's private file system (OPFS),
 * and the picker returns a real handle to it. So the file can be read, and IndexedDB and other tabs
 * accept the handle. The browser never asks for permission to read such a file. This imitates the
 * question: after a choice, the page may read the file until it is closed or reloaded. If `asks` is
 * true, the page then needs a click to be allowed again.
 */
export async function answerPicker(
  page: Page,
  { name, path }: DiskFile,
  { asks }: { asks: boolean },
): Promise<void> {
  const play = ({ name, asks }: { name: string; asks: boolean }) => {
    // Each tab begins with an empty page, which has no private file system.
    if (!isSecureContext) return
    let isAllowed = !asks
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
  await page.context().addInitScript(play, { name, asks })
  await page.evaluate(play, { name, asks })

  const input = await page.evaluateHandle(() =>
    Object.assign(document.createElement('input'), { type: 'file' }),
  )
  await input.setInputFiles(path)
  await input.evaluate(async ({ files }) => {
    const [file] = files ?? []
    if (!file) throw new Error('no file')
    const folder = await navigator.storage.getDirectory()
    const handle = await folder.getFileHandle(file.name, { create: true })
    await file.stream().pipeTo(await handle.createWritable())
  })
}

/**
 * Waits until the browser's database has the handle of a chosen file. The page saves it beside the
 * upload, and a reload that comes earlier loses it.
 */
export async function expectHandleSaved(page: Page): Promise<void> {
  const countHandles = () =>
    page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const opened = indexedDB.open('mayfly-uploads')
          opened.onsuccess = () => {
            const database = opened.result
            const counted = database.transaction('file-handles').objectStore('file-handles').count()
            counted.onsuccess = () => {
              database.close()
              resolve(counted.result)
            }
          }
        }),
    )
  await expect.poll(countHandles).toBe(1)
}
