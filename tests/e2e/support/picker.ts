import type { Page } from '@playwright/test'
import type { DiskFile } from './files.ts'

/** As a browser other than Chromium: files are chosen in an input alone. */
export async function withoutPicker(page: Page): Promise<void> {
  await page.addInitScript(() => void Reflect.deleteProperty(window, 'showOpenFilePicker'))
}

/** As a browser that has a picker and does not let this page open it. */
export async function withPickerRefused(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const showOpenFilePicker = () => Promise.reject(new DOMException('no', 'SecurityError'))
    Object.assign(window, { showOpenFilePicker })
  })
}

/**
 * Has the browser's picker answer a file, whenever a tab asks it from now on. No driver can work the
 * dialog, which belongs to the system; what it answers here is a handle of the browser's own, to a
 * file in the page's private file system (OPFS): its bytes are read, and IndexedDB and other tabs take
 * it, as those of the handle of any file. The browser never asks before it reads one of these, so that
 * part is played as well: who has chosen a file may read it until the page is left, and from then on a
 * click has to allow it, if `asks`.
 */
export async function answerPicker(
  page: Page,
  { name, path }: DiskFile,
  { asks }: { asks: boolean },
): Promise<void> {
  const play = ({ name, asks }: { name: string; asks: boolean }) => {
    // A tab begins with an empty page, which has no files.
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
