import { browserTimers } from '../web/uploads/timers.ts'
import { wait } from '../web/uploads/transfer/connection.ts'
import { isServerUp } from '../web/uploads/transfer/retry-policy.ts'
import type { CallDeps } from '../web/uploads/transfer/upload-calls.ts'
import type { Call } from './api.ts'

const readyTimeoutMs = 10_000

/** Returns what the upload engine needs to retry. */
export function createRetryDeps(call: Call): CallDeps {
  return {
    wait,
    random: Math.random,
    timers: browserTimers,
    isServerReady: async (signal) => {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(readyTimeoutMs)])
      return isServerUp(await call('ready', { signal: limit }))
    },
  }
}
