import { ApiError, call } from '../api/call.ts'
import { createChecksums, startChecksumWorker } from './checksums.ts'
import { browserConnection, waitOrReconnect } from './connection.ts'
import { guardPage } from './guard-page.ts'
import { createBrowserHandleStore } from './handle-store.ts'
import { keepAwake } from './keep-awake.ts'
import { sendByXhr } from './send.ts'
import { createSendFile } from './send-file.ts'
import { openBroadcast } from './tab-channel.ts'
import { electLeader } from './tab-leader.ts'
import { browserTimers } from './timers.ts'
import type { UploadCalls } from './upload-calls.ts'
import type { Outcome, Refusal } from './upload-failure.ts'
import { createUploads, type Uploads, type UploadsPage } from './uploads-store.ts'

const refusalOf = (error: unknown): Refusal => {
  if (!(error instanceof ApiError)) return { status: null, code: null, message: null }
  const { status, code = null, publicMessage: message = null } = error
  const body = error.message.slice(`${status}: `.length)
  return { status, code, message, ...(message === null && { body }) }
}

/**
 * Calls go past the query client: a lapsed session pauses uploads, and must not make the page leave.
 * Rejects only with the reason of the signal.
 */
const attempt = async <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<Outcome<T>> => {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    signal?.throwIfAborted()
    return { ok: false, refusal: refusalOf(error) }
  }
}

const calls: UploadCalls = {
  getUploadUrl: (body) => attempt(() => call('getUploadUrl', { body })),
  listParts: (query, signal) => attempt(() => call('listParts', { query, signal }), signal),
  confirmUpload: (body) => attempt(() => call('confirmUpload', { body })),
  abortUpload: async (cloudKey) => {
    await attempt(() => call('abortUpload', { body: { cloudKey } }))
  },
  currentUser: async () => {
    const user = await attempt(() => call('currentUser'))
    if (user.ok) return { ok: true, value: user.value.id }
    return user.refusal.status === 401 ? { ok: true, value: null } : user
  },
}

/** Random; also on an origin that is not secure, where browsers have no `randomUUID`. */
const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(8))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')

const holdPage = () => {
  const ends = [guardPage(), keepAwake()]
  return () => {
    for (const end of ends) end()
  }
}

/** The uploads of this browser; once for each page that is loaded. */
export const createBrowserUploads = (page: UploadsPage): Uploads => {
  const checksums = createChecksums(startChecksumWorker)
  const sendFile = createSendFile({
    send: sendByXhr,
    connection: browserConnection,
    wait: waitOrReconnect,
    random: Math.random,
    checksums,
    signParts: (body, signal) => attempt(() => call('signParts', { body, signal }), signal),
    listParts: calls.listParts,
    now: () => performance.now(),
  })
  return createUploads(
    {
      calls,
      sendFile,
      sha256: checksums.sha256,
      sample: checksums.sample,
      connection: browserConnection,
      timers: browserTimers,
      random: Math.random,
      holdPage,
      handles: createBrowserHandleStore(),
      storage: () => localStorage,
      onStorage: (listener) =>
        window.addEventListener('storage', ({ key, newValue, storageArea }) => {
          if (storageArea === localStorage) listener(key, newValue)
        }),
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
      openChannel: openBroadcast(),
      electLeader,
      isAlone: navigator.locks === undefined,
      userAgent: navigator.userAgent,
      newId,
    },
    page,
  )
}
