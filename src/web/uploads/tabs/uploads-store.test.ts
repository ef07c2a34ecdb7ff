import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { storedFile } from '../../../../tests/support/upload-facts.ts'
import { browserTimers } from '../timers.ts'
import { wait } from '../transfer/connection.ts'
import type { Outcome } from '../upload-failure.ts'
import { TransferFailed, type TransferJob } from '../upload-ports.ts'
import { createUploads, type Uploads, type UploadsEnv } from './uploads-store.ts'

const file = (name: string, bytes = 10) =>
  new File([new Uint8Array(bytes)], name, { type: 'text/plain', lastModified: 0 })

interface Tab extends Uploads {
  toasts: string[]
  refreshes: number
  awake: number
  close: () => void
  show: () => void
  /** It hears no message any more, as where a debugger stops it. */
  stop: () => void
}

/** One browser: its storage, its tabs, and the server that they talk to. */
const makeBrowser = () => {
  const values = new Map<string, string>()
  const handles = new Map<string, FileSystemFileHandle>()
  const listeners = new Set<(message: unknown) => void>()
  const queue: (() => void)[] = []
  /** What tells a tab that it was robbed of the lead. */
  const robbers = new Map<() => void, () => void>()
  const tabs: Tab[] = []
  let ids = 0
  const browser = {
    values,
    handles,
    log: [] as string[],
    session: 'ada' as string | null,
    /** What kinds of wishes the tabs sent each other. */
    wishes: [] as string[],
    onSample: async (of: Blob): Promise<string | null> => `${of.size}`,
    onSend: (_: TransferJob): void | Promise<void> => undefined,
    openTab,
  }
  const answer = <T>(value: T): Outcome<T> =>
    browser.session === null
      ? { ok: false, refusal: { status: 401, code: 'UNAUTHORIZED', message: null } }
      : { ok: true, value }

  function openTab(user: string | null, isAlone = false): Tab {
    const gone = new AbortController()
    let isStopped = false
    const storageListeners: ((key: string | null, value: string | null) => void)[] = []
    const visible: (() => void)[] = []
    const tellTabs = (key: string, value: string | null) => {
      for (const tab of tabs) if (tab !== self) storageOf.get(tab)?.(key, value)
    }
    const counted = { toasts: [] as string[], refreshes: 0, awake: 0 }
    const env: UploadsEnv = {
      calls: {
        getUploadUrl: async ({ fileName }) => {
          browser.log.push(`start ${fileName}`)
          return answer({
            uploadUrl: '/storage',
            cloudKey: fileName,
            metadata: { mimeType: 'text/plain' },
            checksum: 'crc32' as const,
          })
        },
        listParts: async () => answer({ parts: [] }),
        confirmUpload: async ({ cloudKey }) =>
          answer(storedFile({ id: cloudKey, originalName: cloudKey, size: 10 })),
        abortUpload: async (cloudKey) => {
          browser.log.push(`abort ${cloudKey}`)
          return answer(null)
        },
        currentUser: async () => ({ ok: true, value: browser.session }),
      },
      sendFile: async (job) => {
        browser.log.push(`send ${job.ticket.cloudKey}`)
        await browser.onSend(job)
        // A tab that is closed finishes nothing.
        if (gone.signal.aborted) await new Promise(() => undefined)
        job.signal.throwIfAborted()
      },
      sha256: async () => null,
      sample: (of) => browser.onSample(of),
      connection: { isOnline: () => true, untilOnline: async () => undefined },
      timers: {
        ...browserTimers,
        after: (ms, task) =>
          browserTimers.after(ms, () => {
            if (!gone.signal.aborted) task()
          }),
      },
      wait,
      random: () => 0,
      holdPage: () => () => undefined,
      keepAwake: () => {
        counted.awake += 1
        return () => {
          counted.awake -= 1
        }
      },
      handles: {
        save: async (id, handle) => void handles.set(id, handle),
        get: async (id) => handles.get(id),
        remove: async (id) => void handles.delete(id),
        removeAllBut: async (kept) => {
          for (const id of handles.keys()) if (!kept.includes(id)) handles.delete(id)
        },
      },
      storage: () => ({
        get length() {
          return values.size
        },
        key: (index) => [...values.keys()][index] ?? null,
        getItem: (key) => values.get(key) ?? null,
        setItem: (key, value) => {
          values.set(key, value)
          tellTabs(key, value)
        },
        removeItem: (key) => {
          values.delete(key)
          tellTabs(key, null)
        },
      }),
      onStorage: (listener) => storageListeners.push(listener),
      onVisible: (listener) => visible.push(listener),
      onHidden: () => undefined,
      openChannel: (onMessage) => {
        const hear = (message: unknown) => {
          if (!gone.signal.aborted && !isStopped) onMessage(message as never)
        }
        listeners.add(hear)
        gone.signal.addEventListener('abort', () => listeners.delete(hear))
        return {
          post: (message) => {
            if (message.type === 'command') browser.wishes.push(message.command.wish.type)
            for (const other of listeners) {
              if (other !== hear) setTimeout(() => other(message))
            }
          },
          close: () => listeners.delete(hear),
        }
      },
      electLeader: (onLead, onFollow) => {
        const lead = () => {
          if (!gone.signal.aborted) onLead()
        }
        if (isAlone) {
          lead()
          return { takeOver: () => undefined }
        }
        queue.push(lead)
        robbers.set(lead, onFollow)
        if (queue[0] === lead) lead()
        else onFollow()
        gone.signal.addEventListener('abort', () => {
          const led = queue[0] === lead
          queue.splice(queue.indexOf(lead), 1)
          if (led) queue[0]?.()
        })
        return {
          takeOver: () => {
            const [robbed] = queue.splice(0, 1)
            queue.splice(queue.indexOf(lead), 1)
            queue.unshift(lead)
            lead()
            if (robbed) robbers.get(robbed)?.()
          },
        }
      },
      isAlone,
      userAgent: 'Desktop',
      newId: () => {
        ids += 1
        return `id${ids}`
      },
    }
    const uploads = createUploads(env, {
      onStored: () => {
        counted.refreshes += 1
      },
      onNotice: ({ title }) => counted.toasts.push(title),
    })
    const self: Tab = Object.assign(counted, uploads, {
      close: () => {
        tabs.splice(tabs.indexOf(self), 1)
        gone.abort()
      },
      stop: () => {
        isStopped = true
      },
      show: () => {
        for (const listener of visible) listener()
      },
    })
    storageOf.set(self, (key, value) => {
      for (const listener of storageListeners) listener(key, value)
    })
    tabs.push(self)
    self.setUser(user)
    return self
  }
  return browser
}

const storageOf = new WeakMap<Tab, (key: string, value: string | null) => void>()

let browser: ReturnType<typeof makeBrowser>

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2025-07-12T10:00:00Z') })
  browser = makeBrowser()
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms = 1000) => vi.advanceTimersByTimeAsync(ms)
const shown = ({ store }: Tab) =>
  store
    .getState()
    .records.map(({ fileName, status, need }) => [fileName, status, need].filter(Boolean).join(' '))
const never = ({ signal }: TransferJob) =>
  new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

describe('two tabs', () => {
  test('show the same, and either commands', async () => {
    browser.onSend = never
    const [one, two] = [browser.openTab('ada'), browser.openTab('ada')]
    two.store.getState().add([{ file: file('a.txt') }], 3)
    await pass()
    expect(shown(one)).toEqual(['a.txt uploading'])
    expect(shown(two)).toEqual(['a.txt uploading'])
    expect(browser.log).toEqual(['start a.txt', 'send a.txt'])
    two.store.getState().cancelForeground()
    await pass()
    for (const tab of [one, two]) expect(shown(tab)).toEqual(['a.txt failed'])
    expect(two.store.getState().outcome).toBe('Cancelled by user')
    expect(browser.log.at(-1)).toBe('abort a.txt')
    await pass(2000)
    for (const tab of [one, two]) expect(shown(tab)).toEqual([])
  })

  test('both tell of what was stored, and refresh their lists', async () => {
    const [one, two] = [browser.openTab('ada'), browser.openTab('ada')]
    await pass()
    two.store.getState().add([{ file: file('a.txt') }], 3)
    await pass()
    for (const tab of [one, two]) {
      expect(tab.toasts).toEqual(['Upload Complete'])
      expect(tab.refreshes).toBe(1)
    }
  })

  test('the leader is closed: the next one goes on with what it has after 5 s', async () => {
    browser.onSend = never
    const [one, two] = [browser.openTab('ada'), browser.openTab('ada')]
    one.store.getState().add([{ file: file('one.txt') }], 3)
    two.store.getState().add([{ file: file('two.txt') }], 3)
    await pass()
    expect(shown(two)).toEqual(['one.txt uploading', 'two.txt pending'])
    one.close()
    browser.onSend = () => undefined
    await pass(1)
    expect(shown(two)).toEqual(['one.txt paused file', 'two.txt paused'])
    await pass(7000)
    expect(shown(two)).toEqual(['one.txt paused file', 'two.txt completed'])
  })

  test('a third tab has the bytes that the new leader wants', async () => {
    browser.onSend = never
    const [one, two, three] = [
      browser.openTab('ada'),
      browser.openTab('ada'),
      browser.openTab('ada'),
    ]
    three.store.getState().add([{ file: file('a.txt') }], 3)
    await pass()
    one.close()
    browser.onSend = () => undefined
    await pass(7000)
    expect(shown(two)).toEqual(['a.txt completed'])
    expect(shown(three)).toEqual(['a.txt completed'])
  })

  test('a leader that is gone right after it took a command has written what it took', async () => {
    browser.onSend = never
    const [one, two] = [browser.openTab('ada'), browser.openTab('ada')]
    await pass()
    two.store.getState().add([{ file: file('a.txt') }], 3)
    await pass(10)
    expect(browser.log).toContain('send a.txt')
    one.close()
    browser.onSend = () => undefined
    await pass(7000)
    expect(shown(two)).toEqual(['a.txt completed'])
  })

  test('a leader that goes while it recognises a file leaves that to the next', async () => {
    browser.onSend = never
    const one = browser.openTab('ada')
    one.store.getState().add([{ file: file('a.txt') }], 3)
    await pass()
    one.close()
    const two = browser.openTab('ada')
    await pass()
    expect(shown(two)).toEqual(['a.txt paused file'])
    const three = browser.openTab('ada')
    browser.onSample = () => new Promise(() => undefined)
    three.store.getState().add([{ file: file('a.txt') }], 3)
    await pass()
    browser.onSample = async (of) => `${of.size}`
    browser.onSend = () => undefined
    two.close()
    await pass(7000)
    expect(shown(three)).toEqual(['a.txt completed'])
    expect(three.store.getState().records).toHaveLength(1)
  })

  test('a follower that takes over runs what nobody took', async () => {
    const [one, two] = [browser.openTab('ada'), browser.openTab('ada')]
    two.store.getState().add([{ file: file('a.txt') }], 3)
    one.close()
    await pass()
    expect(shown(two)).toEqual(['a.txt completed'])
  })
})

describe('a leader that does not answer', () => {
  test('is robbed after 10 s; it follows, and what it ran goes on', async () => {
    let signal: AbortSignal | undefined
    browser.onSend = (job) => {
      signal = job.signal
      return never(job)
    }
    const [one, two] = [browser.openTab('ada'), browser.openTab('ada')]
    two.store.getState().add([{ file: file('a.txt') }], 3)
    await pass()
    one.stop()
    let stolen = false
    signal?.addEventListener('abort', () => {
      stolen = true
    })
    browser.onSend = () => undefined
    two.store.getState().add([{ file: file('b.txt') }], 3)
    await pass(8000)
    expect(browser.log).toEqual(['start a.txt', 'send a.txt'])
    await pass(10_000)
    expect(stolen).toBe(true)
    expect(shown(two)).toEqual(['a.txt completed', 'b.txt completed'])
    expect(shown(one)).toEqual(['a.txt completed', 'b.txt completed'])
    expect(browser.log.filter((line) => line.startsWith('start'))).toHaveLength(2)
  })
})

describe('a tab that follows', () => {
  test('keeps the device awake while uploads run', async () => {
    browser.onSend = never
    const [one, two] = [browser.openTab('ada'), browser.openTab('ada')]
    two.store.getState().add([{ file: file('a.txt') }], 3)
    await pass()
    expect([one.awake, two.awake]).toEqual([1, 1])
    two.store.getState().cancel(two.store.getState().records[0]?.id ?? '')
    await pass()
    expect([one.awake, two.awake]).toEqual([0, 0])
  })

  test('lets go of the bytes of uploads that are gone', async () => {
    browser.onSend = never
    const [, two] = [browser.openTab('ada'), browser.openTab('ada')]
    two.store.getState().add([{ file: file('a.txt') }, { file: file('b.txt') }], 3)
    await pass()
    const [a = '', b = ''] = two.store.getState().records.map(({ id }) => id)
    two.store.getState().cancel(a)
    await pass(180_000)
    browser.wishes.length = 0
    for (const id of [a, b]) two.store.getState().resume(id)
    await pass()
    // Of what it still has it gives the bytes.
    expect(browser.wishes.toSorted()).toEqual(['provide', 'resume'])
  })

  test('asks for a file anew that can no longer be read', async () => {
    browser.onSend = () => {
      throw new TransferFailed('unreadable')
    }
    const [, two] = [browser.openTab('ada'), browser.openTab('ada')]
    const dead = file('a.txt')
    const arrayBuffer = () => Promise.reject(new DOMException('', 'NotReadableError'))
    dead.slice = () => Object.assign(new Blob(), { arrayBuffer })
    two.store.getState().add([{ file: dead }], 3)
    await pass()
    expect(shown(two)).toEqual(['a.txt failed'])
    two.store.getState().resume(two.store.getState().records[0]?.id ?? '')
    await pass()
    expect(shown(two)).toEqual(['a.txt paused file'])
  })
})

test('without an election, what a page left behind is taken up when it is old enough', async () => {
  browser.onSend = never
  const one = browser.openTab('ada', true)
  one.store.getState().add([{ file: file('a.txt') }], 3)
  await pass()
  one.close()
  const again = browser.openTab('ada', true)
  await pass(50_000)
  expect(shown(again)).toEqual([])
  await pass(15_000)
  expect(shown(again)).toEqual(['a.txt paused file'])
})

describe('whose uploads', () => {
  test('a page hears nothing of those of another user that it runs', async () => {
    const one = browser.openTab('ada')
    browser.session = 'bob'
    const two = browser.openTab('bob')
    await pass()
    two.store.getState().add([{ file: file('b.txt') }], 3)
    await pass()
    expect(shown(two)).toEqual(['b.txt completed'])
    expect([one.toasts, one.refreshes]).toEqual([[], 0])
    expect([two.toasts, two.refreshes]).toEqual([['Upload Complete'], 1])
    // Nor does a page that follows of those that were run right before its own.
    browser.session = 'ada'
    one.store.getState().add([{ file: file('a.txt') }], 3)
    await pass(100)
    expect(one.toasts).toEqual(['Upload Complete'])
    browser.session = 'bob'
    browser.onSend = never
    two.store.getState().add([{ file: file('c.txt') }], 3)
    await pass()
    expect(shown(two)).toEqual(['b.txt completed', 'c.txt uploading'])
    expect(two.toasts).toEqual(['Upload Complete'])
  })

  test('another user neither sees nor resumes them; they pause', async () => {
    browser.onSend = never
    const one = browser.openTab('ada')
    one.store.getState().add([{ file: file('a.txt') }], 3)
    await pass()
    browser.session = 'bob'
    const two = browser.openTab('bob')
    await pass()
    expect(shown(two)).toEqual([])
    expect(shown(one)).toEqual([])
    two.store.getState().add([{ file: file('b.txt') }], 3)
    await pass()
    expect(shown(two)).toEqual(['b.txt uploading'])
    expect([...browser.values.values()].map((text) => JSON.parse(text).status).sort()).toEqual([
      'paused',
      'uploading',
    ])
  })

  test('nobody signed in: nothing is shown, and nothing can be added', async () => {
    const tab = browser.openTab(null)
    tab.store.getState().add([{ file: file('a.txt') }], 3)
    await pass()
    expect(shown(tab)).toEqual([])
    expect(browser.log).toEqual([])
  })

  test('a lapsed session goes on when another tab signs in, or this one is looked at again', async () => {
    browser.session = null
    const one = browser.openTab('ada')
    one.store.getState().add([{ file: file('a.txt') }], 3)
    await pass()
    expect(shown(one)).toEqual(['a.txt paused sign-in'])
    const login = browser.openTab(null)
    browser.session = 'ada'
    login.setUser('ada')
    await pass()
    expect(shown(one)).toEqual(['a.txt completed'])

    browser.session = null
    one.store.getState().add([{ file: file('b.txt') }], 3)
    await pass()
    browser.session = 'ada'
    login.show()
    await pass()
    expect(shown(login)).toEqual(['a.txt completed', 'b.txt completed'])
  })
})

test('a permission is asked for in the tab of the click', async () => {
  browser.onSend = never
  const one = browser.openTab('ada')
  let isAllowed = false
  const handle = {
    getFile: async () => {
      if (!isAllowed) throw new DOMException('', 'NotAllowedError')
      return file('a.txt')
    },
    requestPermission: async () => {
      isAllowed = true
      return 'granted'
    },
  } as unknown as FileSystemFileHandle
  one.store.getState().add([{ file: file('a.txt'), handle }], 3)
  await pass()
  one.close()
  const [two, three] = [browser.openTab('ada'), browser.openTab('ada')]
  browser.onSend = () => undefined
  await pass()
  expect(shown(three)).toEqual(['a.txt paused permission'])
  three.store.getState().resume(three.store.getState().records[0]?.id ?? '')
  await pass()
  expect(shown(two)).toEqual(['a.txt completed'])
})
