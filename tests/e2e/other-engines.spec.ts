import { readFile } from 'node:fs/promises'
import { type EngineName, hasEngine, otherEngines } from '../../scripts/engines.mjs'
import type { File as StoredFile } from '../../src/shared/contract/files.ts'
import { signUp } from '../support/make.ts'
import { writeRandomFile } from './support/files.ts'
import { expect, test as onNetwork, stallAfter } from './support/network.ts'
import { type EnginePage, openEngine } from './support/other-engines.ts'
import { hashDownload } from './support/uploads.ts'

const mebibyte = 1024 ** 2

const test = onNetwork.extend<{ openPage: (engine: EngineName) => Promise<EnginePage> }>({
  openPage: async ({ folder }, use, testInfo) => {
    const pages: EnginePage[] = []
    await use(async (engine) => {
      const { packages } = otherEngines[engine]
      testInfo.skip(!hasEngine(engine), `not installed: ${packages.join(', ')}`)
      const page = await openEngine(engine, folder)
      pages.push(page)
      return page
    })
    for (const page of pages) await page.close()
  },
})

function expectText(page: EnginePage, text: string): Promise<void> {
  return expect.poll(() => page.evaluate('document.body.innerText')).toContain(text)
}

async function chooseFile(page: EnginePage, path: string): Promise<void> {
  await expectText(page, 'Choose files')
  await page.chooseFile('//input[@aria-label="Files to upload"]', path)
}

/** Fills in a form field in a way that React notices. */
function fill(page: EnginePage, label: string, value: string): Promise<void> {
  return page.evaluate(`(() => {
    const label = [...document.querySelectorAll('label')].find(
      ({ textContent }) => textContent === ${JSON.stringify(label)},
    )
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')
    set.call(label.control, ${JSON.stringify(value)})
    label.control.dispatchEvent(new Event('input', { bubbles: true }))
  })()`)
}

/** Downloads the file from the open link page. Returns its bytes as base64. */
function download(page: EnginePage): Promise<string> {
  return page.evaluate(`(async () => {
    const links = [...document.links]
    const { href } = links.find(({ textContent }) => textContent.includes('Download File'))
    const blob = await (await fetch(href)).blob()
    return new Promise((resolve) => {
      const reader = new FileReader()
      reader.onload = () => resolve(reader.result.split(',')[1])
      reader.readAsDataURL(blob)
    })
  })()`)
}

for (const engine of ['firefox', 'webkit'] as const) {
  test(`${engine}: a file is shared, and an upload survives a reload`, async ({
    app,
    videoFile,
    folder,
    network,
    openPage,
  }) => {
    const page = await openPage(engine)
    const person = await signUp(app)
    await page.goto(`${app.url}/login`)
    await expectText(page, 'Forgot password?')
    await fill(page, 'Email', person.email)
    await fill(page, 'Password', person.password)
    await page.click('//button[normalize-space()="Sign In"]')
    await expectText(page, 'Welcome back, ')

    const photo = await writeRandomFile(folder, 'photo.png', 123_457)
    await chooseFile(page, photo.path)
    await expectText(page, 'Upload completed successfully!')
    await expectText(page, 'Copy')
    await page.click('//button[starts-with(normalize-space(), "Copy")]')
    await expectText(page, 'Link copied')
    const listScript = "fetch('/api/files').then((response) => response.json())"
    const [storedFile] = await page.evaluate<StoredFile[]>(listScript)
    await page.goto(`${app.url}/s/${storedFile?.shortCode}`)
    await expectText(page, photo.name)
    const bytes = Buffer.from(await download(page), 'base64')
    expect(bytes.equals(await readFile(photo.path))).toBe(true)

    await page.goto(app.url)
    await expectText(page, photo.name)
    await stallAfter(network, mebibyte, () => chooseFile(page, videoFile.path))
    await page.reload()
    network.reset()
    await expectText(page, 'Upload paused')
    network.restore()
    await chooseFile(page, videoFile.path)
    await expectText(page, '2 active links')
    const files = await page.evaluate<StoredFile[]>(listScript)
    const resumedFile = files.find(({ originalName }) => originalName === videoFile.name)
    expect(await hashDownload(app.url, resumedFile?.shortCode ?? '')).toBe(videoFile.sha256)
  })
}
