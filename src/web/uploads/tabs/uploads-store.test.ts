import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Browser, never, openBrowser, pass } from '../../../../tests/support/browser-tabs.ts'
import { fileNamed } from '../../../../tests/support/upload-facts.ts'
import { recordKeyPrefix } from '../records/record-key.ts'
import { parseRecord } from '../records/upload-record.ts'
import { TransferFailed } from '../upload-ports.ts'

let browser: Browser
beforeEach(() => {
  browser = openBrowser()
})
afterEach(() => browser.close())

describe('the tabs of a browser', () => {
  test('show the same uploads, and each of them commands', async () => {
    browser.onSend = never
    const [one, two] = browser.openTwo()
    two.add(fileNamed('a.txt'))
    await pass()
    expect(one.shown()).toEqual(['a.txt uploading'])
    expect(two.shown()).toEqual(['a.txt uploading'])
    expect(browser.log).toEqual(['start a.txt', 'send a.txt'])
    two.state().cancelForeground()
    await pass()
    for (const tab of [one, two]) expect(tab.shown()).toEqual(['a.txt failed'])
    expect(two.state().outcome).toBe('Cancelled by user')
    expect(browser.log.at(-1)).toBe('abort a.txt')
    await pass(2000)
    for (const tab of [one, two]) expect(tab.shown()).toEqual([])
  })

  test('all tell of what was stored, and refresh their lists', async () => {
    const [one, two] = browser.openTwo()
    await pass()
    two.add(fileNamed('a.txt'))
    await pass()
    for (const tab of [one, two]) {
      expect(tab.toasts).toEqual(['Upload Complete'])
      expect(tab.refreshes).toBe(1)
    }
  })

  test('ask for a permission in the tab of the click', async () => {
    browser.onSend = never
    const one = browser.openTab('ada')
    let isAllowed = false
    const handle = {
      getFile: async () => {
        if (!isAllowed) throw new DOMException('', 'NotAllowedError')
        return fileNamed('a.txt')
      },
      requestPermission: async () => {
        isAllowed = true
        return 'granted'
      },
    } as unknown as FileSystemFileHandle
    one.add({ file: fileNamed('a.txt'), handle })
    await pass()
    one.close()
    const [two, three] = browser.openTwo()
    browser.onSend = () => undefined
    await pass()
    expect(three.shown()).toEqual(['a.txt paused permission'])
    three.state().resume(three.state().records[0]?.id ?? '')
    await pass()
    expect(two.shown()).toEqual(['a.txt completed'])
  })
})

describe('a tab that follows', () => {
  test('keeps the device awake while uploads run', async () => {
    browser.onSend = never
    const [one, two] = browser.openTwo()
    two.add(fileNamed('a.txt'))
    await pass()
    expect([one.awake, two.awake]).toEqual([1, 1])
    two.state().cancel(two.state().records[0]?.id ?? '')
    await pass()
    expect([one.awake, two.awake]).toEqual([0, 0])
  })

  test('keeps the bytes of its uploads no longer than these are there', async () => {
    browser.onSend = never
    const [, two] = browser.openTwo()
    two.add(fileNamed('a.txt'), fileNamed('b.txt'))
    await pass()
    const [a = '', b = ''] = two.state().records.map(({ id }) => id)
    two.state().cancel(a)
    await pass(180_000)
    browser.commands.length = 0
    for (const id of [a, b]) two.state().resume(id)
    await pass()
    // This tab still has the file, so it sends the file with `provideFile`.
    expect(browser.commands.toSorted()).toEqual(['provideFile', 'resume'])
  })

  test('asks for a file again that can no longer be read', async () => {
    browser.onSend = () => {
      throw new TransferFailed('unreadable')
    }
    const [, two] = browser.openTwo()
    const dead = fileNamed('a.txt')
    const arrayBuffer = () => Promise.reject(new DOMException('', 'NotReadableError'))
    dead.slice = () => Object.assign(new Blob(), { arrayBuffer })
    two.add(dead)
    await pass()
    expect(two.shown()).toEqual(['a.txt failed file'])
    two.state().resume(two.state().records[0]?.id ?? '')
    await pass()
    expect(two.shown()).toEqual(['a.txt paused file'])
  })
})

describe('a tab that is hidden or closed', () => {
  test('has written by then what it would have written soon', async () => {
    browser.onSend = (job) => {
      setTimeout(() => job.onProgress(7), 1000)
      return never(job)
    }
    const one = browser.openTab('ada')
    one.add(fileNamed('a.txt'))
    await pass(1100)
    const [shown] = one.state().records
    expect(shown?.uploadedBytes).toBe(7)
    const kept = () => parseRecord(browser.values.get(recordKeyPrefix + shown?.id) ?? '')
    expect(kept()).toMatchObject({ status: 'uploading', uploadedBytes: 0 })
    one.hide()
    expect(kept()).toEqual(shown)
  })
})

describe('what a person adds', () => {
  test('is kept under ids that sort in its order, over the tabs too', async () => {
    browser.onSend = never
    const [one, two] = browser.openTwo()
    two.add(...Array.from({ length: 40 }, (_, index) => fileNamed(`a${index}.txt`)))
    await pass()
    one.add(fileNamed('last.txt'))
    await pass()
    const { records } = one.state()
    expect(records.at(-1)?.fileName).toBe('last.txt')
    const ids = records.map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted())
    expect(records.slice(0, 40).map(({ fileName }) => fileName)).toEqual(
      Array.from({ length: 40 }, (_, index) => `a${index}.txt`),
    )
  })

  test('shares a batch and a path, and nothing comes of no files', async () => {
    browser.onSend = never
    const tab = browser.openTab('ada')
    tab.add()
    await pass()
    expect(tab.shown()).toEqual([])
    const film = fileNamed('film.mkv')
    Object.defineProperty(film, 'size', { value: 51 * 1024 ** 2 })
    tab.add(fileNamed('a.txt'), film)
    tab.add(fileNamed('b.txt'))
    await pass()
    const [a, film2, b] = tab.state().records
    expect([a?.path, film2?.path, b?.path]).toEqual(['background', 'background', 'foreground'])
    expect(a?.batch).toBe(film2?.batch)
    expect(a?.batch).not.toBe(b?.batch)
  })
})

describe('each command of the page', () => {
  test('is obeyed, whichever tab gives it', async () => {
    browser.onSend = never
    const [one, two] = browser.openTwo()
    two.add(fileNamed('a.txt'))
    await pass()
    const [record] = two.state().records
    const id = record?.id ?? ''
    two.state().cancel(id)
    await pass()
    expect(one.shown()).toEqual(['a.txt failed'])
    await pass(2000)
    browser.onSend = () => undefined
    two.add(fileNamed('b.txt'))
    await pass()
    expect(two.shown()).toEqual(['b.txt completed'])
    two.state().clear()
    await pass()
    expect(one.shown()).toEqual([])
    two.state().dismissInlineError()
    two.state().cancelForeground()
    await pass()
    expect(browser.commands).toEqual([
      'resumeSignedIn',
      'add',
      'cancel',
      'add',
      'clear',
      'dismissInlineError',
      'cancelForeground',
    ])
  })
})
