import { call } from '../api/call.ts'
import { guardPage } from './guard-page.ts'
import { keepAwake } from './keep-awake.ts'
import { createBrowserHandleStore } from './picking/handle-store.ts'
import { createRecordLocks } from './records/record-locks.ts'
import { browserTimers } from './timers.ts'
import { createChecksums, startChecksumWorker } from './transfer/checksums.ts'
import { browserConnection, waitOrReconnect, watchLeaving } from './transfer/connection.ts'
import { gatherCalls } from './transfer/gather-calls.ts'
import { type IsServerReady, showsServer } from './transfer/retry-policy.ts'
import { createSendFile } from './transfer/send-file.ts'
import { callTimeoutMs, requestTimeoutMs, sendByXhr } from './transfer/storage-request.ts'
import type { UploadCalls } from './transfer/upload-calls.ts'
import { outcomeOf } from './upload-errors.ts'
import type { UploadsPage } from './uploads-state.ts'
import { createUploads, type OpenChannel, type Uploads } from './uploads-store.ts'

/** How long a readiness check may take. A healthy server answers in a fraction of this time. */
const readyWithinMs = 10_000

const within = (ms: number) => AbortSignal.timeout(ms)

const isServerReady: IsServerReady = async (signal) => {
  const limit = AbortSignal.any([signal, within(readyWithinMs)])
  return showsServer(await outcomeOf(call('ready', { signal: limit })))
}

const calls: UploadCalls = {
  getUploadUrl: (body, signal) => outcomeOf(call('getUploadUrl', { body, signal })),
  confirmUpload: (body, signal) => outcomeOf(call('confirmUpload', { body, signal })),
  gathered: {
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
  currentUser: async () => {
    const user = await outcomeOf(call('currentUser', { signal: within(callTimeoutMs) }))
    if (user.ok) return { ok: true, value: user.value.id }
    return user.refusal.status === 401 ? { ok: true, value: null } : user
  },
}

/** Returns a random id. It does not use `randomUUID`, which exists only on HTTPS and localhost. */
function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(8))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}

/** The message of this channel has no content: the uploads of the browser have changed. */
const openChannel: OpenChannel = (onChanged) => {
  const channel = new BroadcastChannel('mayfly-uploads')
  channel.addEventListener('message', onChanged)
  return () => channel.postMessage(null)
}

/** Creates the upload state of this browser tab. Call it once each time the page is loaded. */
export function createBrowserUploads(page: UploadsPage): Uploads {
  const checksums = createChecksums(startChecksumWorker)
  // Hashing a whole file takes seconds, so it has a worker of its own.
  const wholeFiles = createChecksums(startChecksumWorker)
  const sendFile = createSendFile({
    send: sendByXhr,
    connection: browserConnection,
    wait: waitOrReconnect,
    random: Math.random,
    isServerReady,
    checksums,
    waitWhileLeaving: watchLeaving(),
    signParts: (body, signal) => outcomeOf(call('signParts', { body, signal })),
    timers: browserTimers,
  })
  return createUploads(
    {
      calls,
      sendFile,
      sha256: wholeFiles.sha256,
      connection: browserConnection,
      timers: browserTimers,
      wait: waitOrReconnect,
      random: Math.random,
      isServerReady,
      holdPage: guardPage,
      keepAwake,
      handles: createBrowserHandleStore(),
      storage: () => localStorage,
      locks: createRecordLocks(navigator.locks),
      openChannel,
      onVisible: (listener) =>
        document.addEventListener('visibilitychange', () => {
          if (document.visibilityState === 'visible') listener()
        }),
      onHidden: (listener) => {
        window.addEventListener('pagehide', listener)
        document.addEventListener('visibilitychange', () => {
          if (document.visibilityState === 'hidden') listener()
        })
      },
      onRestored: (listener) =>
        window.addEventListener('pageshow', ({ persisted }) => {
          if (persisted) listener()
        }),
      reload: () => location.reload(),
      userAgent: navigator.userAgent,
      reportError: (error) => reportError(error),
      newId,
    },
    page,
  )
}
