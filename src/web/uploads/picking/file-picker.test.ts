import { expect, test } from 'vitest'
import { createFilePicker } from './file-picker.ts'

function handleOf(name: string, isThere = true) {
  const getFile = async () => {
    if (!isThere) throw new DOMException('not there', 'NotFoundError')
    return new File([name], name)
  }
  return { kind: 'file', name, getFile } as unknown as FileSystemFileHandle
}

type Answer = () => Promise<FileSystemFileHandle[]>

function withMouse() {
  return { matches: true }
}

/** Makes a page whose file dialog gives these answers, one after the other. */
function pageOf(...answers: Answer[]) {
  const asked: object[] = []
  const clock = { now: 0 }
  const showOpenFilePicker = (of: object) => {
    asked.push(of)
    return answers[asked.length - 1]?.() ?? Promise.reject(new Error('asked too often'))
  }
  const page = { matchMedia: withMouse, showOpenFilePicker }
  return { pick: createFilePicker(page, () => clock.now), asked, clock }
}

function refusal(name: string): Answer {
  return () => Promise.reject(new DOMException('no', name))
}

const nothing = { files: [], unreadable: [] }

test('where the browser has no picker the answer comes at once', () => {
  expect(createFilePicker({ matchMedia: withMouse }, () => 0)({ multiple: true })).toBeNull()
})

test('where nothing but fingers points, the input offers more, and the picker is left alone', () => {
  const queries: string[] = []
  const page = {
    matchMedia: (query: string) => {
      queries.push(query)
      return { matches: false }
    },
    showOpenFilePicker: () => Promise.reject(new Error('asked on a phone')),
  }
  expect(createFilePicker(page, () => 0)({ multiple: true })).toBeNull()
  expect(queries).toEqual(['(any-pointer: fine)'])
})

test.each([true, false])('files come with their handles; multiple: %s', async (multiple) => {
  const handle = handleOf('a.txt')
  const { pick, asked } = pageOf(async () => [handle])
  expect(await pick({ multiple })).toEqual({
    files: [{ file: expect.any(File), handle }],
    unreadable: [],
  })
  expect(asked).toEqual([{ multiple }])
})

test('what cannot be read is named, and the others are taken', async () => {
  const { pick } = pageOf(async () => [handleOf('a.txt'), handleOf('b.txt', false)])
  const chosen = await pick({ multiple: true })
  expect(chosen?.files.map(({ file }) => file.name)).toEqual(['a.txt'])
  expect(chosen?.unreadable).toEqual(['b.txt'])
})

test('who closes the dialog has chosen nothing, and may ask again', async () => {
  const { pick } = pageOf(refusal('AbortError'), async () => [handleOf('a.txt')])
  expect(await pick({ multiple: true })).toEqual(nothing)
  expect((await pick({ multiple: true }))?.files).toHaveLength(1)
})

test.each(['SecurityError', 'NotAllowedError', 'TypeError'])(
  'a browser that refuses it with %s is not asked again',
  async (name) => {
    const { pick, asked } = pageOf(refusal(name))
    expect(await pick({ multiple: true })).toBeNull()
    expect(pick({ multiple: true })).toBeNull()
    expect(asked).toHaveLength(1)
  },
)

test('a second click while the dialog is open asks for nothing', async () => {
  const dialog = Promise.withResolvers<FileSystemFileHandle[]>()
  const { pick, asked } = pageOf(
    () => dialog.promise,
    async () => [handleOf('b.txt')],
  )
  const first = pick({ multiple: true })
  expect(await pick({ multiple: true })).toEqual(nothing)
  dialog.resolve([handleOf('a.txt')])
  expect((await first)?.files).toHaveLength(1)
  expect((await pick({ multiple: true }))?.files).toHaveLength(1)
  expect(asked).toHaveLength(2)
})

test('a dialog whose end is never told does not keep the next from opening', async () => {
  const never = () => new Promise<FileSystemFileHandle[]>(() => undefined)
  const { pick, asked, clock } = pageOf(never, refusal('NotAllowedError'), async () => [
    handleOf('a.txt'),
  ])
  void pick({ multiple: true })
  clock.now = 4999
  expect(await pick({ multiple: true })).toEqual(nothing)
  clock.now = 5000
  // The browser believes that the first dialog is still open and refuses a second one. So null is
  // returned, and a file input can open its own dialog.
  expect(await pick({ multiple: true })).toBeNull()
  clock.now = 10_000
  // That refusal does not switch the picker off.
  expect((await pick({ multiple: true }))?.files).toHaveLength(1)
  expect(asked).toHaveLength(3)
})

test('a dialog is over when it has answered, however long its file takes to open', async () => {
  const file = Promise.withResolvers<File>()
  const slow = { kind: 'file', name: 'far.txt', getFile: () => file.promise }
  const { pick } = pageOf(
    async () => [slow as unknown as FileSystemFileHandle],
    async () => [handleOf('near.txt')],
  )
  const first = pick({ multiple: true })
  await Promise.resolve()
  await Promise.resolve()
  expect((await pick({ multiple: true }))?.files[0]?.file.name).toBe('near.txt')
  file.resolve(new File(['far'], 'far.txt'))
  expect((await first)?.files[0]?.file.name).toBe('far.txt')
})
