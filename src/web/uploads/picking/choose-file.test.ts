// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const file = new File(['a'], 'a.txt')

/** Loads the module again, because it remembers the dialogs of its page. */
async function loadChooseFile() {
  vi.resetModules()
  return (await import('./choose-file.ts')).chooseFile
}

/** Gives the page a file picker that answers like this function. */
function withPicker(showOpenFilePicker: () => Promise<unknown>) {
  vi.stubGlobal('showOpenFilePicker', showOpenFilePicker)
}

function refuse(): Promise<never> {
  return Promise.reject(new DOMException('no', 'SecurityError'))
}

/** Sets whether the browser still allows a dialog, as it does shortly after a click. */
function clickIsActive(isActive: boolean) {
  vi.stubGlobal('navigator', { userActivation: { isActive } })
}

/** The inputs that have opened a dialog. */
const opened: HTMLInputElement[] = []

function inputsOfPage() {
  return [...document.querySelectorAll('input')]
}

beforeEach(() => {
  opened.length = 0
  vi.spyOn(HTMLInputElement.prototype, 'click').mockImplementation(function (
    this: HTMLInputElement,
  ) {
    opened.push(this)
  })
  vi.stubGlobal('matchMedia', () => ({ matches: true }))
  clickIsActive(true)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

/**
 * Answers the dialog that was opened last, as a person would. No files means that the person closes
 * it.
 */
function answer(files: File[]) {
  const input = opened.at(-1)
  if (!input) throw new Error('No dialog is open.')
  Object.defineProperty(input, 'files', { value: files })
  input.dispatchEvent(new Event(files.length > 0 ? 'change' : 'cancel'))
}

test('a file chosen in the picker has its handle, and no input opens', async () => {
  const handle = { kind: 'file', name: 'a.txt', getFile: async () => file }
  withPicker(async () => [handle])
  const chooseFile = await loadChooseFile()
  expect(await chooseFile()).toEqual({ files: [{ file, handle }], unreadable: [] })
  expect(opened).toEqual([])
})

test('who closes the picker has chosen nothing', async () => {
  withPicker(() => Promise.reject(new DOMException('closed', 'AbortError')))
  const chooseFile = await loadChooseFile()
  expect(await chooseFile()).toBeNull()
  expect(opened).toEqual([])
})

test('a file that cannot be read is told', async () => {
  const getFile = () => Promise.reject(new DOMException('gone', 'NotFoundError'))
  withPicker(async () => [{ kind: 'file', name: 'a.txt', getFile }])
  const chooseFile = await loadChooseFile()
  expect(await chooseFile()).toEqual({ files: [], unreadable: ['a.txt'] })
})

test('without a picker an input of the page asks for one file, and is gone afterwards', async () => {
  const chooseFile = await loadChooseFile()
  const chosen = chooseFile()
  expect(inputsOfPage()).toEqual(opened)
  expect(opened[0]).toMatchObject({ type: 'file', multiple: false, hidden: true })
  answer([file])
  expect(await chosen).toEqual({ files: [{ file }], unreadable: [] })
  expect(inputsOfPage()).toEqual([])
})

test('who closes the dialog of the input has chosen nothing', async () => {
  const chooseFile = await loadChooseFile()
  const chosen = chooseFile()
  answer([])
  expect(await chosen).toBeNull()
  expect(inputsOfPage()).toEqual([])
})

test('a dialog whose end was never told ends with the next one', async () => {
  const chooseFile = await loadChooseFile()
  const first = chooseFile()
  const second = chooseFile()
  expect(await first).toBeNull()
  expect(inputsOfPage()).toEqual([opened[1]])
  answer([file])
  expect((await second)?.files).toEqual([{ file }])
})

test('where the picker is refused, the input opens by the same click', async () => {
  withPicker(refuse)
  const chooseFile = await loadChooseFile()
  const chosen = chooseFile()
  await expect.poll(() => opened).toHaveLength(1)
  answer([file])
  expect((await chosen)?.files).toEqual([{ file }])
})

test('long after the click no input is made, since it would open no dialog', async () => {
  withPicker(refuse)
  clickIsActive(false)
  const chooseFile = await loadChooseFile()
  expect(await chooseFile()).toBeNull()
  expect(inputsOfPage()).toEqual([])
})
