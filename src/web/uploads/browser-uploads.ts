import { createStore } from 'zustand/vanilla'
import { uploadPath } from '../../shared/rules/files/upload-path.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { type CallInput, call } from '../api/call.ts'
import { blockUnload } from './block-unload.ts'
import { type EngineDeps, UploadEngine } from './engine/upload-engine.ts'
import { keepScreenOn } from './keep-screen-on.ts'
import { createBrowserHandleStore } from './picking/handle-store.ts'
import { createRecordLocks } from './records/record-locks.ts'
import { createRecordStore } from './records/upload-records.ts'
import { browserTimers } from './timers.ts'
import { batchCalls } from './transfer/batch-calls.ts'
import { createChecksums, startChecksumWorker } from './transfer/checksums.ts'
import { waitOrReconnect, watchUnload } from './transfer/connection.ts'
import { type IsServerReady, isServerUp } from './transfer/retry-policy.ts'
import { createSendFile } from './transfer/send-file.ts'
import { callTimeoutMs, sendByXhr } from './transfer/storage-request.ts'
import type { SignParts, StartLink, UploadCalls } from './transfer/upload-calls.ts'
import { type Outcome, toOutcome } from './upload-errors.ts'
import type { PageCallbacks, ShownUploads, UploadsState, UploadsStore } from './uploads-state.ts'

const readyTimeoutMs = 10_000

const timeout = (ms: number) => AbortSignal.timeout(ms)

const isServerReady: IsServerReady = async (signal) => {
  const limit = AbortSignal.any([signal, timeout(readyTimeoutMs)])
  return isServerUp(await toOutcome(call('GET /api/ready', { signal: limit })))
}

/** Starts a link of the signed-in user, or adds files to one. */
const startOwnLink: StartLink = async ({ link, expirationDays, ...body }, signal) => {
  const { shortCode, ...options } = link
  const outcome = await toOutcome(
    shortCode === undefined
      ? call('POST /api/links', { body: { ...body, ...options, expirationDays }, signal })
      : call('POST /api/links/{code}/files', { params: { code: shortCode }, body, signal }),
  )
  if (!outcome.ok) return outcome
  const { link: startedLink, uploads } = outcome.value
  return { ok: true, value: { link: { shortCode: startedLink.shortCode }, uploads } }
}

/**
 * Resolves to the outcome of a call about a started upload. A rejected token means that the
 * delivery has ended, so its uploads count as unknown. Signing in wouldn't help.
 */
async function outcomeOf<T>(
  uploadToken: string | undefined,
  call: Promise<T>,
): Promise<Outcome<T>> {
  const outcome = await toOutcome(call)
  if (outcome.ok || outcome.error.status !== 401 || uploadToken === undefined) return outcome
  return { ok: false, error: { ...outcome.error, status: 404 } }
}

const signParts: SignParts = ({ uploadToken, ...body }, signal) =>
  outcomeOf(uploadToken, call('POST /api/files/upload-parts', { body, uploadToken, signal }))

const confirmInBatch = batchCalls(
  (uploads: CallInput<'POST /api/files/confirm-uploads'>['body']['uploads'], signal) =>
    toOutcome(call('POST /api/files/confirm-uploads', { body: { uploads }, signal })),
)

const calls: Omit<UploadCalls, 'startLink'> = {
  getUploadUrl: (body, signal) =>
    toOutcome(call('POST /api/files/get-upload-url', { body, signal })),
  confirmUpload: ({ uploadToken, ...body }, signal) =>
    uploadToken === undefined
      ? confirmInBatch(body, signal)
      : outcomeOf(
          uploadToken,
          call('POST /api/files/confirm-upload', { body, uploadToken, signal }),
        ),
  listParts: ({ cloudKey, uploadToken }, signal) =>
    outcomeOf(
      uploadToken,
      call('GET /api/files/upload-parts', { query: { cloudKey }, uploadToken, signal }),
    ),
  abortUpload: ({ cloudKey, uploadToken }) => {
    const input = { body: { cloudKey }, uploadToken, signal: timeout(callTimeoutMs) }
    return outcomeOf(uploadToken, call('POST /api/files/abort-upload', input))
  },
  currentUser: () => toOutcome(call('GET /api/auth/user', { signal: timeout(callTimeoutMs) })),
}

/** Doesn't use `crypto.randomUUID`, which requires a secure context. */
function createRandomId(): string {
  return crypto.getRandomValues(new BigUint64Array(1)).join()
}

/** Returns a generator of unique IDs that sort by creation time. */
function createIdGenerator(): () => string {
  const encode = (value: number, digits: number) => value.toString(36).padStart(digits, '0')
  let sequence = 0
  return () => {
    sequence += 1
    return `${encode(Date.now(), 9)}-${encode(sequence, 5)}-${createRandomId()}`
  }
}

/**
 * Calls `onChange` when another tab reports a change. Returns a function that reports a change to
 * the other tabs.
 */
function openChannel(onChange: () => void): () => void {
  const channel = new BroadcastChannel('mayfly-uploads')
  channel.addEventListener('message', onChange)
  return () => channel.postMessage(null)
}

function createEngineDeps(
  startLink: StartLink,
): Omit<EngineDeps, 'records' | 'onChange' | keyof PageCallbacks> {
  const retryDeps = {
    wait: waitOrReconnect,
    random: Math.random,
    isServerReady,
    timers: browserTimers,
  }
  // Hashing a whole file takes seconds, so it gets a worker separate from the one for parts.
  const wholeFileChecksums = createChecksums(startChecksumWorker)
  return {
    ...retryDeps,
    calls: { ...calls, startLink },
    sendFile: createSendFile({
      ...retryDeps,
      send: sendByXhr,
      checksums: createChecksums(startChecksumWorker),
      waitWhileUnloading: watchUnload(),
      signParts,
    }),
    checksumsOf: wholeFileChecksums.file,
    locks: createRecordLocks(navigator.locks),
    handles: createBrowserHandleStore(),
    blockUnload,
    keepScreenOn: () => keepScreenOn({ wakeLock: navigator.wakeLock, document }),
    reportError: (error) => reportError(error),
  }
}

/** This browser's uploads, as shown in one tab. */
export interface Uploads {
  store: UploadsStore
  /**
   * Sets whose uploads are shown and run: the signed-in user's, or those of a request's page. Null
   * if nobody is signed in. Call on load and whenever the user changes.
   */
  setOwner: (id: string | null) => void
  /** Call when the signed-in user's tier changes. */
  handleTierChange: (oldTier: Tier, newTier: Tier) => void
  /**
   * Removes the user's upload records, file handles and presigned URLs from the browser. Resolves
   * when done.
   */
  signOut: () => Promise<void>
}

const noUploads: ShownUploads = {
  records: [],
  otherTabIds: new Set(),
  activity: {},
  inlineError: null,
  outcome: null,
}

/**
 * Creates this tab's upload state. Call once per page load.
 * @param startLink starts files that share a link. By default, a link of the signed-in user.
 */
export function createBrowserUploads(
  callbacks: PageCallbacks,
  startLink: StartLink = startOwnLink,
): Uploads {
  const deps = createEngineDeps(startLink)
  const nextId = createIdGenerator()
  let currentRun: { ownerId: string; engine: UploadEngine } | null = null
  let owner: string | null = null

  const getEngine = () => (currentRun?.ownerId === owner ? currentRun?.engine : undefined)
  const reloadRecords = () => getEngine()?.reloadSoon()
  const notifyOtherTabs = openChannel(reloadRecords)
  const records = createRecordStore(() => localStorage, browserTimers.now, notifyOtherTabs)

  const startEngine = (ownerId: string) => {
    currentRun?.engine.close()
    const engine = new UploadEngine(ownerId, { ...deps, ...callbacks, records, onChange: update })
    currentRun = { ownerId, engine }
  }

  const update = () => store.setState(getEngine()?.shownUploads() ?? noUploads)

  const store: UploadsStore = createStore<UploadsState>()(() => ({
    ...noUploads,
    add: (picked, expirationDays, link) => {
      if (picked.length === 0) return
      const pickedFiles = picked.map(({ file }) => file)
      // Files are added to a link from any list, where only the panel shows them.
      const isAdded = link?.shortCode !== undefined
      const path = isAdded ? 'background' : uploadPath(pickedFiles, navigator.userAgent)
      const files = picked.map((file) => ({ id: nextId(), picked: file }))
      void getEngine()?.add({ batch: createRandomId(), path, expirationDays, link, files })
    },
    cancel: (id) => void getEngine()?.cancel(id),
    cancelForeground: () => getEngine()?.cancelForeground(),
    resume: (id) => void getEngine()?.resume(id),
    provideFile: (id, picked) => void getEngine()?.provideFile(id, picked),
    clear: () => getEngine()?.clear(),
    dismissInlineError: () => getEngine()?.dismissInlineError(),
  }))

  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') reloadRecords()
  })
  window.addEventListener('pageshow', ({ persisted }) => {
    // The browser released this page's locks while it was frozen, so other tabs may have taken
    // them.
    if (persisted && getEngine()?.isRunning) location.reload()
  })

  return {
    store,
    setOwner: (id) => {
      if (id === owner) return
      owner = id
      if (id !== null && currentRun?.ownerId !== id) startEngine(id)
      update()
      // Other tabs may have uploads waiting for this sign-in.
      notifyOtherTabs()
    },
    handleTierChange: (before, after) => void getEngine()?.handleTierChange(before, after),
    signOut: async () => {
      const oldEngine = getEngine()
      currentRun = null
      update()
      await oldEngine?.signOut()
    },
  }
}
