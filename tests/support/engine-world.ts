import { vi } from 'vitest'
import type { ListedError } from '../../src/shared/contract/errors.ts'
import { uploadPath } from '../../src/shared/rules/files/upload-path.ts'
import { type EngineDeps, UploadEngine } from '../../src/web/uploads/engine/upload-engine.ts'
import type { PickedFile } from '../../src/web/uploads/picking/picked-file.ts'
import {
  parseRecord,
  type RecordLink,
  type UploadRecord,
} from '../../src/web/uploads/records/upload-record.ts'
import { createRecordStore } from '../../src/web/uploads/records/upload-records.ts'
import { browserTimers } from '../../src/web/uploads/timers.ts'
import type { FileChecksums } from '../../src/web/uploads/transfer/checksums.ts'
import { wait } from '../../src/web/uploads/transfer/connection.ts'
import type { Outcome } from '../../src/web/uploads/upload-errors.ts'
import type { StoredPart, TransferJob } from '../../src/web/uploads/upload-ports.ts'
import {
  createMemoryHandleStore,
  createMemoryLocks,
  createMemoryStorage,
  type HeldLocks,
} from './browser-memory.ts'
import { callError, sharedLink, storedFile, uploadTicket } from './upload-fixtures.ts'

export function failedOutcome(...args: Parameters<typeof callError>): Outcome<never> {
  return {
    ok: false,
    error: callError(...args),
  }
}

/** Advances the simulated time by `ms` milliseconds and runs all timers that are due by then. */
export function advanceTime(ms: number): Promise<unknown> {
  return vi.advanceTimersByTimeAsync(ms)
}

/**
 * Creates the default behavior of the simulated server, browser and network. Tests can override it.
 */
function makeResponses() {
  return {
    /** The signed-in user, or null for a visitor. */
    user: 'ada' as string | null,
    isServerReady: true,
    /**
     * Called with the file name when an upload starts. Returns an error to make the start fail, or
     * null.
     */
    onStart: (_: string): Outcome<never> | null | Promise<Outcome<never> | null> => null,
    /**
     * Called with the number of confirms so far. Returns an error to make the confirm fail, or
     * null.
     */
    onConfirm: (_: number): Outcome<never> | null => null,
    onList: (): Outcome<{ parts: StoredPart[] }> => ({ ok: true, value: { parts: [] } }),
    onAbort: (_: string): Outcome<unknown> => ({ ok: true, value: null }),
    onSend: (_: TransferJob): void | Promise<void> => undefined,
  }
}

/** Creates empty records of the engine's actions, for tests to read. */
function makeTraces() {
  return {
    /**
     * The engine's calls and transfers, in order, such as 'start a.txt', 'send key of a.txt' and
     * 'confirm key of a.txt'.
     */
    log: [] as string[],
    toasts: [] as { title: string; description?: string | undefined }[],
    requests: [] as Parameters<EngineDeps['calls']['getUploadUrl']>[0][],
    /** The bodies of calls that start a link or add files to it, the latter with their `code`. */
    linkCalls: [] as object[],
    confirmations: [] as Parameters<EngineDeps['calls']['confirmUpload']>[0][],
    /** The contents of the simulated browser's storage, shared by all tabs. */
    values: new Map<string, string>(),
    handles: new Map<string, FileSystemFileHandle>(),
    locks: new Map() as HeldLocks,
    /** How many uploads the server has started. */
    tickets: 0,
    listRefetches: 0,
    /** How many times the engine has reported a change. */
    changes: 0,
    /**
     * How many requests to the browser are in effect: to confirm before leaving the page
     * (`pageBlocks`), and to keep the screen on (`wakeLocks`).
     */
    pageBlocks: 0,
    wakeLocks: 0,
  }
}
type World = ReturnType<typeof makeResponses> & ReturnType<typeof makeTraces>

function makeCalls(world: World): EngineDeps['calls'] {
  const single: Pick<EngineDeps['calls'], 'getUploadUrl' | 'confirmUpload'> = {
    getUploadUrl: async (request) => {
      const { fileName: name, fileSize: size } = request
      world.requests.push(request)
      world.log.push(`start ${name}`)
      if (request.ownerId !== world.user) return failedOutcome(401, 'UNAUTHORIZED')
      const response = await world.onStart(name)
      if (response) return response
      world.tickets += 1
      const metadata = {
        ...uploadTicket().metadata,
        originalName: name,
        mimeType: 'signed/type',
        size,
      }
      return { ok: true, value: uploadTicket({ cloudKey: `key of ${name}`, metadata }) }
    },
    confirmUpload: async (request) => {
      world.confirmations.push(request)
      world.log.push(`confirm ${request.cloudKey}`)
      const response = world.onConfirm(world.confirmations.length)
      if (response) return response
      const [name, size] = [String(request.metadata?.originalName), Number(request.metadata?.size)]
      return { ok: true, value: storedFile({ id: `file of ${name}`, originalName: name, size }) }
    },
  }
  const startAll = async (
    files: readonly { fileName: string; fileSize: number; fileType: string }[],
    { ownerId, expirationDays = '3' }: { ownerId?: string; expirationDays?: string | number },
  ): ReturnType<EngineDeps['calls']['startLink']> => {
    const starts = []
    const errors: ListedError[] = []
    const ticketsBefore = world.tickets
    for (const [index, file] of files.entries()) {
      const start = await single.getUploadUrl(
        { ...file, ownerId, expirationDays },
        AbortSignal.any([]),
      )
      if (start.ok) starts.push(start.value)
      else if ([null, 401, 404].includes(start.error.status)) return start
      else {
        const { code, message } = start.error
        errors.push({ index, code: code as ListedError['code'], message: message ?? '' })
      }
    }
    const { shortCode } = sharedLink()
    if (errors.length === 0) return { ok: true, value: { link: { shortCode }, uploads: starts } }
    world.tickets = ticketsBefore
    const { code = null, message = null } = errors[0] ?? {}
    return { ok: false, error: { ...callError(409, code, message), errors } }
  }
  return {
    ...single,
    startLink: async (start) => {
      world.linkCalls.push(start)
      return startAll(start.files, start)
    },
    listParts: async ({ cloudKey }) => {
      world.log.push(`list ${cloudKey}`)
      return world.onList()
    },
    abortUpload: async ({ cloudKey }) => {
      world.log.push(`abort ${cloudKey}`)
      return world.onAbort(cloudKey)
    },
    currentUser: async () =>
      world.user === null ? failedOutcome(401) : { ok: true, value: { id: world.user } },
  }
}

interface Tab {
  engine: UploadEngine
  /**
   * Closes the tab as a browser does: the page receives `pagehide`, and then none of its code runs
   * anymore.
   */
  close: () => void
}

/**
 * Runs the upload engine for the user ada, with a simulated browser and server. Tests set the
 * responses and read what the engine did. Time stands still until a test advances it. The test must
 * close the world.
 */
export function openEngineWorld() {
  vi.useFakeTimers({ now: new Date('2025-07-12T10:00:00Z') })
  const world = { ...makeResponses(), ...makeTraces() }
  /** Dependencies that the engines in all tabs share. */
  const deps = {
    calls: makeCalls(world),
    sendFile: async (job: TransferJob) => {
      world.log.push(`send ${job.ticket.cloudKey}${job.isResumed ? ' again' : ''}`)
      await world.onSend(job)
      job.signal.throwIfAborted()
      job.onProgress(job.file.size)
    },
    checksumsOf: async (): Promise<FileChecksums | null> => ({ sha256: 'a'.repeat(64), crc32: 7 }),
    timers: browserTimers,
    wait,
    random: () => 0,
    isServerReady: async () => world.isServerReady,
    handles: createMemoryHandleStore(world.handles),
    locks: createMemoryLocks(world.locks),
    onStored: () => {
      world.listRefetches += 1
    },
    onNotice: ({ title, description }) => void world.toasts.push({ title, description }),
    reportError: (error) => {
      throw error
    },
    onChange: () => {
      world.changes += 1
    },
    blockUnload: () => {
      world.pageBlocks += 1
      return () => {
        world.pageBlocks -= 1
      }
    },
    keepScreenOn: () => {
      world.wakeLocks += 1
      return () => {
        world.wakeLocks -= 1
      }
    },
  } satisfies Omit<EngineDeps, 'records'>
  const tabs = new Set<Tab>()
  let idCount = 0

  const openTab = (ownerId = 'ada'): Tab => {
    let isOpen = true
    const timers: EngineDeps['timers'] = {
      ...deps.timers,
      runAfter: (ms, task) => deps.timers.runAfter(ms, () => isOpen && task()),
      runEvery: (ms, task) => deps.timers.runEvery(ms, () => isOpen && task()),
    }
    const claimedIds: string[] = []
    const records = createRecordStore(
      () => createMemoryStorage(world.values),
      timers.now,
      () => {
        for (const other of tabs) if (other !== tab) setTimeout(other.engine.reloadSoon)
      },
    )
    const engine = new UploadEngine(ownerId, {
      ...deps,
      timers,
      records,
      wait: async (ms, signal) => {
        await deps.wait(ms, signal)
        if (!isOpen) await new Promise(() => undefined)
      },
      locks: {
        ...deps.locks,
        claim: async (id, options) => {
          const lock = await deps.locks.claim(id, options)
          if (lock) claimedIds.push(id)
          return lock
        },
      },
      sendFile: async (job) => {
        await deps.sendFile(job)
        if (!isOpen) await new Promise(() => undefined)
      },
    })
    const tab: Tab = {
      engine,
      close: () => {
        isOpen = false
        tabs.delete(tab)
        for (const id of claimedIds) world.locks.delete(id)
      },
    }
    tabs.add(tab)
    return tab
  }

  let tab = openTab()
  const engineWorld = Object.assign(world, {
    deps,
    openTab,
    engine: tab.engine,
  })
  const open = (ownerId: string) => {
    tab = openTab(ownerId)
    engineWorld.engine = tab.engine
  }
  const getState = () => engineWorld.engine.shownUploads()
  /**
   * Adds files to the engine as if the user had dropped them on the page. Returns their record ids.
   */
  const add = (
    picked: readonly (File | PickedFile)[],
    userAgent = 'Desktop',
    link?: RecordLink,
  ): string[] => {
    const files = picked.map((file) => {
      idCount += 1
      const id = String(idCount).padStart(6, '0')
      return { id, picked: file instanceof File ? { file } : file }
    })
    const sizes = files.map(({ picked: { file } }) => file)
    const path = uploadPath(sizes, userAgent)
    void engineWorld.engine.add({ batch: `drop ${idCount}`, path, expirationDays: 3, link, files })
    return files.map(({ id }) => id)
  }
  /** Stalls all transfers. Returns a function that completes them. */
  const stallTransfers = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    world.onSend = ({ signal }) =>
      Promise.race([
        promise,
        new Promise<void>((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        ),
      ])
    return resolve
  }

  return Object.assign(engineWorld, {
    /** Replaces the current engine with one for another user. */
    openAsUser: (userId: string) => {
      engineWorld.engine.close()
      open(userId)
    },
    closeTab: () => tab.close(),
    /** Reloads the page. The engine loses everything that it kept only in memory. */
    reload: () => {
      tab.close()
      open('ada')
    },
    add,
    stallTransfers,
    /** Adds files and starts to upload them, but stalls the transfers. */
    addStalled: async (picked: readonly (File | PickedFile)[]): Promise<string[]> => {
      stallTransfers()
      const ids = add(picked)
      await advanceTime(0)
      return ids
    },
    state: getState,
    /** Returns each upload with its status, such as 'a.txt completed'. */
    statuses: (engine = engineWorld.engine) =>
      engine.shownUploads().records.map(({ fileName, status }) => `${fileName} ${status}`),
    savedRecords: (): UploadRecord[] =>
      [...world.values.values()].flatMap((json) => parseRecord(json) ?? []),
    close: () => {
      for (const { engine } of tabs) engine.close()
      vi.useRealTimers()
    },
  })
}

export type EngineWorld = ReturnType<typeof openEngineWorld>
