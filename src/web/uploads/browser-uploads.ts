import { createStore } from 'zustand/vanilla'
import { uploadPath } from '../../shared/rules/files/upload-path.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { call } from '../api/call.ts'
import { type EngineDeps, UploadEngine } from './engine/upload-engine.ts'
import { blockUnload } from './guard-page.ts'
import { keepScreenOn } from './keep-awake.ts'
import { createBrowserHandleStore } from './picking/handle-store.ts'
import { createRecordLocks } from './records/record-locks.ts'
import { createRecordStore } from './records/upload-records.ts'
import { browserTimers } from './timers.ts'
import { createChecksums, startChecksumWorker } from './transfer/checksums.ts'
import { browserConnection, waitOrReconnect, watchLeaving } from './transfer/connection.ts'
import { gatherCalls } from './transfer/gather-calls.ts'
import { type IsServerReady, showsServer } from './transfer/retry-policy.ts'
import { createSendFile } from './transfer/send-file.ts'
import { callTimeoutMs, requestTimeoutMs, sendByXhr } from './transfer/storage-request.ts'
import type { UploadCalls } from './transfer/upload-calls.ts'
import { outcomeOf } from './upload-errors.ts'
import type { ShownUploads, UploadsPage, UploadsState, UploadsStore } from './uploads-state.ts'

/** Timeout of a readiness check. */
const readyWithinMs = 10_000

const within = (ms: number) => AbortSignal.timeout(ms)

const isServerReady: IsServerReady = async (signal) => {
  const limit = AbortSignal.any([signal, within(readyWithinMs)])
  return showsServer(await outcomeOf(call('ready', { signal: limit })))
}

const calls: UploadCalls = {
  getUploadUrl: (body, signal) => outcomeOf(call('getUploadUrl', { body, signal })),
  confirmUpload: (body, signal) => outcomeOf(call('confirmUpload', { body, signal })),
  batched: {
    getUploadUrl: gatherCalls(browserTimers, (files) =>
      outcomeOf(call('getUploadUrls', { body: { files }, signal: within(callTimeoutMs) })),
    ),
    confirmUpload: gatherCalls(browserTimers, (uploads) =>
      outcomeOf(call('confirmUploads', { body: { uploads }, signal: within(requestTimeoutMs) })),
    ),
  },
  listParts: (query, signal) => outcomeOf(call('listParts', { query, signal })),
  abortUpload: (cloudKey) =>
    outcomeOf(call('abortUpload', { body: { cloudKey }, signal: within(callTimeoutMs) })),
  currentUser: () => outcomeOf(call('currentUser', { signal: within(callTimeoutMs) })),
}

/** Returns a random ID. `crypto.randomUUID` requires a secure context. */
function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(8))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}

/** Returns a generator of unique IDs that sort by creation time. */
function createSortedIds(): () => string {
  const text = (value: number, digits: number) => value.toString(36).padStart(digits, '0')
  let given = 0
  return () => {
    given += 1
    return `${text(Date.now(), 9)}-${text(given, 5)}-${newId()}`
  }
}

/** Returns a function that notifies other tabs of a change. */
function openChannel(onChanged: () => void): () => void {
  const channel = new BroadcastChannel('mayfly-uploads')
  channel.addEventListener('message', onChanged)
  return () => channel.postMessage(null)
}

function createEngineDeps(): Omit<EngineDeps, 'records' | 'onChange' | keyof UploadsPage> {
  const retrying = {
    connection: browserConnection,
    wait: waitOrReconnect,
    random: Math.random,
    isServerReady,
    timers: browserTimers,
  }
  // A separate worker, because hashing a whole file takes seconds.
  const wholeFiles = createChecksums(startChecksumWorker)
  return {
    ...retrying,
    calls,
    sendFile: createSendFile({
      ...retrying,
      send: sendByXhr,
      checksums: createChecksums(startChecksumWorker),
      waitWhileUnloading: watchLeaving(),
      signParts: (body, signal) => outcomeOf(call('signParts', { body, signal })),
    }),
    sha256: wholeFiles.sha256,
    locks: createRecordLocks(navigator.locks),
    handles: createBrowserHandleStore(),
    blockUnload,
    keepAwake: () => keepScreenOn({ wakeLock: navigator.wakeLock, document }),
    reportError: (error) => reportError(error),
  }
}

/** The uploads of this browser, as seen by one tab. */
export interface Uploads {
  store: UploadsStore
  /**
   * Sets the signed-in user, or null when signed out. Call on load and whenever the user changes.
   */
  setUser: (id: string | null) => void
  /** Call when the signed-in user's tier changes. */
  handleTierChange: (before: Tier, after: Tier) => void
  /**
   * Removes the user's upload records, file handles and presigned URLs from the browser. Resolves
   * when done.
   */
  signOut: () => Promise<void>
}

const noUploads: ShownUploads = {
  records: [],
  idsInOtherTabs: new Set(),
  activity: {},
  inlineError: null,
  outcome: null,
}

/** Creates the upload state of this tab. Call once per page load. */
export function createBrowserUploads(page: UploadsPage): Uploads {
  const deps = createEngineDeps()
  const nextId = createSortedIds()
  let running: { ownerId: string; engine: UploadEngine } | null = null
  let user: string | null = null

  const engine = () => (running?.ownerId === user ? running?.engine : undefined)
  const readAgain = () => engine()?.reloadSoon()
  const notifyOtherTabs = openChannel(readAgain)
  const records = createRecordStore(() => localStorage, browserTimers, notifyOtherTabs)

  const startEngine = (ownerId: string) => {
    running?.engine.close()
    const engine = new UploadEngine(ownerId, { ...deps, ...page, records, onChange: show })
    running = { ownerId, engine }
  }

  const show = () => store.setState(engine()?.shownUploads() ?? noUploads)

  const store: UploadsStore = createStore<UploadsState>()(() => ({
    ...noUploads,
    add: (picked, expirationDays) => {
      if (picked.length === 0) return
      const sizes = picked.map(({ file }) => file)
      const path = uploadPath(sizes, navigator.userAgent)
      const files = picked.map((one) => ({ id: nextId(), picked: one }))
      void engine()?.add({ batch: newId(), path, expirationDays, files })
    },
    cancel: (id) => void engine()?.cancel(id),
    cancelForeground: () => engine()?.cancelForeground(),
    resume: (id) => void engine()?.resume(id),
    provideFile: (id, picked) => void engine()?.provideFile(id, picked),
    clear: () => engine()?.clear(),
    dismissInlineError: () => engine()?.dismissInlineError(),
  }))

  document.addEventListener('visibilitychange', () => {
    // The browser may discard a hidden page without further events.
    if (document.visibilityState === 'hidden') records.flush()
    else readAgain()
  })
  window.addEventListener('pagehide', records.flush)
  window.addEventListener('pageshow', ({ persisted }) => {
    // The browser released this page's locks while it was frozen, so other tabs may have taken
    // them.
    if (persisted && engine()?.isRunning) location.reload()
  })

  return {
    store,
    setUser: (id) => {
      if (id === user) return
      user = id
      if (id !== null && running?.ownerId !== id) startEngine(id)
      show()
      // Other tabs may have uploads waiting for this sign-in.
      notifyOtherTabs()
    },
    handleTierChange: (before, after) => void engine()?.handleTierChange(before, after),
    signOut: async () => {
      const ended = engine()
      running = null
      show()
      await ended?.signOut()
    },
  }
}
