import { type CallInput, call } from '../../api/call.ts'
import { blockUnload } from '../block-unload.ts'
import { keepScreenOn } from '../keep-screen-on.ts'
import { createBrowserHandleStore } from '../picking/handle-store.ts'
import { createRecordLocks } from '../records/record-locks.ts'
import { createRecordStore } from '../records/upload-records.ts'
import { browserTimers } from '../timers.ts'
import { batchCalls } from '../transfer/batch-calls.ts'
import { createChecksums, startChecksumWorker } from '../transfer/checksums.ts'
import { waitOrReconnect, watchUnload } from '../transfer/connection.ts'
import { type IsServerReady, isServerUp } from '../transfer/retry-policy.ts'
import { createSendFile } from '../transfer/send-file.ts'
import { callTimeoutMs, sendByXhr } from '../transfer/storage-request.ts'
import type { SignParts, StartLink, UploadCalls } from '../transfer/upload-calls.ts'
import { type Outcome, toOutcome } from '../upload-errors.ts'
import type { PageCallbacks } from '../uploads-state.ts'
import { type EngineDeps, UploadEngine } from './upload-engine.ts'

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

export interface BrowserEngineOptions extends PageCallbacks {
  /** Starts files that share a link. By default, a link of the signed-in user. */
  startLink?: StartLink | undefined
  /** Called when the uploads to show have changed. */
  onChange: () => void
  /** Called when a record has been written or removed. */
  onWrite: () => void
}

/** Creates the engine that runs one owner's uploads in this tab. */
export function createBrowserEngine(
  ownerId: string,
  { startLink = startOwnLink, onWrite, ...callbacks }: BrowserEngineOptions,
): UploadEngine {
  const records = createRecordStore(() => localStorage, browserTimers.now, onWrite)
  return new UploadEngine(ownerId, { ...createEngineDeps(startLink), ...callbacks, records })
}
