// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { chooseFile, openFilePicker } from './file-picker.ts'

const file = new File(['a'], 'a.txt')
const handle = { kind: 'file', name: 'a.txt', getFile: async () => file }

function stubPicker(showOpenFilePicker: (options: object) => Promise<unknown>) {
  vi.stubGlobal('showOpenFilePicker', showOpenFilePicker)
}

function rejectWith(errorName: string) {
  return () => Promise.reject(new DOMException('', errorName))
}

let hasMouse: boolean
/** Inputs whose dialogs were opened. */
let openedInputs: HTMLInputElement[]

beforeEach(() => {
  hasMouse = true
  openedInputs = []
  vi.spyOn(HTMLInputElement.prototype, 'click').mockImplementation(function (
    this: HTMLInputElement,
  ) {
    openedInputs.push(this)
  })
  vi.stubGlobal('matchMedia', () => ({ matches: hasMouse }))
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  document.body.replaceChildren()
})

/** Closes an input's dialog with these files chosen. An empty list cancels the dialog. */
function closeDialog(files: File[]) {
  const [input] = openedInputs
  if (!input) throw new Error('No dialog is open.')
  Object.defineProperty(input, 'files', { value: files })
  input.dispatchEvent(new Event(files.length > 0 ? 'change' : 'cancel'))
}

test.each([true, false])('picked files have handles; multiple: %s', async (multiple) => {
  const options: object[] = []
  stubPicker(async (pickerOptions) => {
    options.push(pickerOptions)
    return [handle]
  })
  expect(await openFilePicker({ multiple })).toEqual({ files: [{ file, handle }], unreadable: [] })
  expect(options).toEqual([{ multiple }])
})

test('phones and browsers without support have no picker', () => {
  expect(openFilePicker({ multiple: true })).toBeNull()
  hasMouse = false
  stubPicker(async () => [handle])
  expect(openFilePicker({ multiple: true })).toBeNull()
})

test.each(['AbortError', 'NotAllowedError'])(
  'after %s no file is chosen and no other dialog opens',
  async (name) => {
    stubPicker(rejectWith(name))
    expect(await chooseFile()).toBeNull()
    expect(openedInputs).toEqual([])
  },
)

test('an unreadable file is reported by name', async () => {
  stubPicker(async () => [{ ...handle, getFile: rejectWith('NotFoundError') }])
  expect(await chooseFile()).toEqual({ files: [], unreadable: ['a.txt'] })
})

test('a temporary input asks for one file if there is no picker', async () => {
  const dropPromise = chooseFile()
  await expect.poll(() => openedInputs).toHaveLength(1)
  expect(openedInputs[0]).toMatchObject({ type: 'file', multiple: false, hidden: true })
  closeDialog([file])
  expect(await dropPromise).toEqual({ files: [{ file }], unreadable: [] })
  expect(document.querySelector('input')).toBeNull()
})

test('a temporary input asks for one file if the browser blocks the picker', async () => {
  stubPicker(rejectWith('SecurityError'))
  const dropPromise = chooseFile()
  await expect.poll(() => openedInputs).toHaveLength(1)
  closeDialog([])
  expect(await dropPromise).toBeNull()
})
