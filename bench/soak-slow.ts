import { connectionLimits } from '../src/server/http/limits.ts'
import {
  createGetRequest,
  createPostRequest,
  createPutRequest,
  exchange,
  type ReceivedData,
} from './exchange.ts'
import { uploadCalls } from './mayfly.ts'
import { type ActionContext, sharedBytes } from './soak-actions.ts'

/** A client that sends some text and then stalls until the server closes its connection. */
export interface SlowClient {
  /** Returns the text to send before stalling. */
  start(context: ActionContext): string | Promise<string>
  /** The server must close the connection between `minMs` and `maxMs` after the stall began. */
  minMs: number
  maxMs: number
  /** How long the client waits before it reads anything. */
  unreadMs?: number
  isExpected(received: string): boolean
}

/** Timers may be this late on a busy machine. */
const toleranceMs = 15_000
const { headersMs, bodyMs, stalledMs } = connectionLimits

export const slowClients: readonly [name: string, SlowClient][] = [
  [
    'slow headers',
    {
      start: ({ mayfly }) => `${createGetRequest(mayfly.url).slice(0, -2)}X-Slow: `,
      minMs: headersMs,
      // The server checks for timeouts every `headersMs / 2`.
      maxMs: 1.5 * headersMs + toleranceMs,
      isExpected: (received) => received.startsWith('HTTP/1.1 408 '),
    },
  ],
  [
    'slow body',
    {
      start: ({ mayfly }) => createPostRequest(`${mayfly.url}/api/auth/login`, 60_000, '{'),
      minMs: bodyMs,
      maxMs: bodyMs + toleranceMs,
      isExpected: (received) => received === '',
    },
  ],
  [
    'slow upload',
    {
      async start({ mayfly, http, cookie }) {
        const { uploadUrl } = await uploadCalls(mayfly, http, cookie).start('slow.bin', 5000)
        return createPutRequest(uploadUrl, 5000, 2000)
      },
      minMs: stalledMs,
      maxMs: stalledMs + toleranceMs,
      isExpected: (received) => received === '',
    },
  ],
  [
    'unread download',
    {
      start: ({ mayfly, code }) => createGetRequest(`${mayfly.url}/api/download/${code}`),
      minMs: stalledMs,
      maxMs: stalledMs + 2 * toleranceMs,
      // A client notices only when reading that its connection has been closed.
      unreadMs: stalledMs + toleranceMs,
      isExpected: (received) => received.length < sharedBytes,
    },
  ],
]

/**
 * Stalls until the server closes the connection. Returns false if the signal aborts first.
 * @throws {Error} if the server closes it too early or too late, or sends an unexpected response.
 */
export async function stallUntilClosed(
  context: ActionContext,
  { start, minMs, maxMs, unreadMs = 0, isExpected }: SlowClient,
  signal: AbortSignal,
): Promise<boolean> {
  const requestText = await start(context)
  const startedAt = performance.now()
  const receivedData: ReceivedData = await exchange(context.mayfly, requestText, {
    maxMs,
    unreadMs,
    signal,
  })
  const elapsedMs = performance.now() - startedAt
  if (!receivedData.isClosed && signal.aborted) return false
  const secondsText = (elapsedMs / 1000).toFixed(0)
  if (!receivedData.isClosed) throw new Error(`connection still open after ${secondsText} s`)
  if (elapsedMs < minMs) throw new Error(`connection closed too early, after ${secondsText} s`)
  if (!isExpected(receivedData.text))
    throw new Error(`received '${receivedData.text.slice(0, 40)}'`)
  return true
}
