import { vi } from 'vitest'
import type { PickedFile } from '../../src/web/uploads/picking/picked-file.ts'
import {
  createUploads,
  type Uploads,
  type UploadsEnv,
} from '../../src/web/uploads/tabs/uploads-store.ts'
import { browserTimers } from '../../src/web/uploads/timers.ts'
import { wait } from '../../src/web/uploads/transfer/connection.ts'
import type { Outcome } from '../../src/web/uploads/upload-errors.ts'
import type { ElectLeader, TransferJob } from '../../src/web/uploads/upload-ports.ts'
import type { UploadsState } from '../../src/web/uploads/uploads-state.ts'
import { memoryHandles, memoryStorage } from './browser-memory.ts'
import { refusal, storedFile, uploadTicket } from './upload-facts.ts'

/** A tab of the browser: what it showed, and what a person can do in it. */
export interface Tab extends Uploads {
  toasts: string[]
  /** How many times the tab has read the list of files again. */
  refreshes: number
  /** How many locks the tab has now that keep the screen on. */
  awake: number
  /** Adds files as a person does who drops them on the tab. */
  add(...picked: (File | PickedFile)[]): void
  state(): UploadsState
  /** Returns each upload with its status and what it needs, such as 'a.txt paused file'. */
  shown(): string[]
  close(): void
  /** Makes the tab visible, as when a person returns to it. */
  look(): void
  /** Hides the tab, as when a person looks at another tab or leaves. */
  hide(): void
  /** Lets the tab receive no more messages, as when a debugger has stopped it. */
  stop(): void
}

/** Advances the simulated time by `ms` milliseconds, and runs everything that becomes due. */
export function pass(ms = 1000): Promise<unknown> {
  return vi.advanceTimersByTimeAsync(ms)
}

/** A transfer that never ends by itself. It rejects when its signal aborts. */
export function never({ signal }: TransferJob): Promise<void> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

/**
 * What the simulated browser must know of a tab: whether it is closed, and whether it is stopped.
 */
interface Wire {
  gone: AbortSignal
  isStopped: () => boolean
}

/** Makes the channels between tabs. A message reaches all tabs except its sender. */
function makeChannels(onCommand: (type: string) => void) {
  const hearers = new Set<(message: unknown) => void>()
  return ({ gone, isStopped }: Wire): UploadsEnv['openChannel'] =>
    (onMessage) => {
      const hear = (message: unknown) => {
        if (!gone.aborted && !isStopped()) onMessage(message as never)
      }
      hearers.add(hear)
      gone.addEventListener('abort', () => hearers.delete(hear))
      return {
        post: (message) => {
          if (message.type === 'command') onCommand(message.command.name)
          for (const other of hearers) if (other !== hear) setTimeout(() => other(message))
        },
        close: () => hearers.delete(hear),
      }
    }
}

/**
 * Makes the election of the leading tab, as a Web Lock does it: the tab that was opened first
 * leads. A tab that takes over becomes the first.
 */
function makeElection() {
  const queue: { lead: () => void; follow: () => void }[] = []
  return ({ gone }: Wire): ElectLeader =>
    (onLead, onFollow) => {
      const lead = () => {
        if (!gone.aborted) onLead()
      }
      const me = { lead, follow: onFollow }
      queue.push(me)
      if (queue[0] === me) lead()
      else onFollow()
      gone.addEventListener('abort', () => {
        const led = queue[0] === me
        queue.splice(queue.indexOf(me), 1)
        if (led) queue[0]?.lead()
      })
      return {
        takeOver: () => {
          const [robbed] = queue.splice(0, 1)
          queue.splice(queue.indexOf(me), 1)
          queue.unshift(me)
          lead()
          robbed?.follow()
        },
      }
    }
}

/**
 * Takes the place of the election in a browser that cannot elect a leading tab: each tab leads
 * itself.
 */
const leadAlone: ElectLeader = (onLead) => {
  onLead()
  return { takeOver: () => undefined }
}

/** Makes the values that a test can set, and those that tell it what the tabs did. */
function makeWorld() {
  return {
    /** The browser's storage, which all tabs share. */
    values: new Map<string, string>(),
    handles: new Map<string, FileSystemFileHandle>(),
    /**
     * What the tabs asked of the server or sent to it, in order, such as 'start a.txt' and 'send
     * a.txt'.
     */
    log: [] as string[],
    /** The names of the commands that the tabs sent each other. */
    commands: [] as string[],
    /** The user who is signed in; null for a visitor. */
    session: 'ada' as string | null,
    onSample: async (of: Blob): Promise<string | null> => `${of.size}`,
    onSend: (_: TransferJob): void | Promise<void> => undefined,
  }
}
type World = ReturnType<typeof makeWorld>

function makeServer(world: World): UploadsEnv['calls'] {
  const answer = <T>(value: T): Outcome<T> =>
    world.session === null
      ? { ok: false, refusal: refusal(401, 'UNAUTHORIZED') }
      : { ok: true, value }
  const gathered: UploadsEnv['calls']['gathered'] = {
    getUploadUrl: async ({ fileName }) => {
      world.log.push(`start ${fileName}`)
      return answer(uploadTicket({ cloudKey: fileName }))
    },
    confirmUpload: async ({ cloudKey }) =>
      answer(storedFile({ id: cloudKey, originalName: cloudKey, size: 10 })),
  }
  return {
    ...gathered,
    gathered,
    listParts: async () => answer({ parts: [] }),
    abortUpload: async (cloudKey) => {
      world.log.push(`abort ${cloudKey}`)
      return answer(null)
    },
    currentUser: async () => ({ ok: true, value: world.session }),
  }
}

/**
 * Opens a simulated browser with its storage and tabs, and a server that accepts everything from
 * the user who is signed in. Time stands still until the test advances it. The test must close the
 * browser at its end.
 */
export function openBrowser() {
  vi.useFakeTimers({ now: new Date('2025-07-12T10:00:00Z') })
  const world = makeWorld()
  const calls = makeServer(world)
  const channelFor = makeChannels((type) => world.commands.push(type))
  const electionFor = makeElection()
  /** These functions tell a tab that another tab has written to the storage. */
  const onWrite = new Map<AbortSignal, (key: string, value: string | null) => void>()
  let ids = 0

  /**
   * Opens a tab in which this user is signed in. With `isAlone` the browser elects no leader, so
   * the tab leads itself.
   */
  const openTab = (user: string | null, isAlone = false): Tab => {
    const closing = new AbortController()
    const gone = closing.signal
    let isStopped = false
    const wire = { gone, isStopped: () => isStopped }
    let look = () => {}
    let hide = () => {}
    const counted = { toasts: [] as string[], refreshes: 0, awake: 0 }
    const env: UploadsEnv = {
      calls,
      sendFile: async (job) => {
        world.log.push(`send ${job.ticket.cloudKey}`)
        await world.onSend(job)
        // After a tab is closed, its transfers never end.
        if (gone.aborted) await new Promise(() => undefined)
        job.signal.throwIfAborted()
      },
      sha256: async () => null,
      sample: (of) => world.onSample(of),
      connection: { isOnline: () => true, untilOnline: async () => undefined },
      timers: {
        ...browserTimers,
        after: (ms, task) =>
          browserTimers.after(ms, () => {
            if (!gone.aborted) task()
          }),
      },
      wait,
      random: () => 0,
      isServerReady: async () => true,
      holdPage: () => () => undefined,
      keepAwake: () => {
        counted.awake += 1
        return () => {
          counted.awake -= 1
        }
      },
      handles: memoryHandles(world.handles),
      storage: () =>
        memoryStorage(world.values, (key, value) => {
          for (const [other, tell] of onWrite) if (other !== gone) tell(key, value)
        }),
      onStorage: (listener) => onWrite.set(gone, listener),
      onVisible: (listener) => {
        look = listener
      },
      onHidden: (listener) => {
        hide = listener
      },
      openChannel: channelFor(wire),
      electLeader: isAlone ? leadAlone : electionFor(wire),
      isAlone,
      userAgent: 'Desktop',
      newId: () => {
        ids += 1
        return `id${ids}`
      },
      reportError: (error) => {
        throw error
      },
    }
    const uploads = createUploads(env, {
      onStored: () => {
        counted.refreshes += 1
      },
      onNotice: ({ title }) => counted.toasts.push(title),
      mostSlots: () => 3,
    })
    const state = () => uploads.store.getState()
    uploads.setUser(user)
    return Object.assign(counted, uploads, {
      add: (...picked: (File | PickedFile)[]) =>
        state().add(
          picked.map((one) => (one instanceof File ? { file: one } : one)),
          3,
        ),
      state,
      shown: () =>
        state().records.map(({ fileName, status, need }) =>
          [fileName, status, need].filter(Boolean).join(' '),
        ),
      close: () => {
        onWrite.delete(gone)
        closing.abort()
      },
      look: () => look(),
      hide: () => hide(),
      stop: () => {
        isStopped = true
      },
    })
  }

  return Object.assign(world, {
    openTab,
    /** Opens two tabs of the user ada. The first one leads. */
    openTwo: (): [Tab, Tab] => [openTab('ada'), openTab('ada')],
    close: () => vi.useRealTimers(),
  })
}

export type Browser = ReturnType<typeof openBrowser>
