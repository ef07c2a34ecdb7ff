import { AsyncLocalStorage } from 'node:async_hooks'
import type { BetterAuthOptions, DBAdapter } from 'better-auth'
import { isDatabaseAway } from '../db/away.ts'

type OpenAdapter = (options: BetterAuthOptions) => DBAdapter

/** Makes calls of Better Auth fail visibly when the database was away during the call. */
export interface DatabaseWatch {
  /** Returns the same adapter, which now notes every fault it meets. */
  watched(open: OpenAdapter): OpenAdapter
  /**
   * Returns the same calls. Each throws the fault noted during the call, even if Better Auth
   * swallowed it.
   */
  faithful<Api extends object>(api: Api): Api
}

/**
 * Creates the watch. Better Auth logs most errors of its database. Then it throws an error without
 * the cause, or none, so that a sign-out seems done while the session still exists. So the watch
 * notes the faults of the adapter itself.
 */
export function watchDatabase(): DatabaseWatch {
  const calls = new AsyncLocalStorage<{ fault: unknown }>()

  async function noting(ask: Ask): Promise<unknown> {
    try {
      return await ask()
    } catch (error) {
      const call = calls.getStore()
      if (call && isDatabaseAway(error)) call.fault ??= error
      throw error
    }
  }

  async function tellingFaults(ask: Ask): Promise<unknown> {
    const call: { fault: unknown } = { fault: null }
    const [answer] = await Promise.allSettled([calls.run(call, ask)])
    if (call.fault !== null) throw call.fault
    if (answer.status === 'rejected') throw answer.reason
    return answer.value
  }

  return {
    watched: (open) => (options) => {
      const adapter = open(options)
      const { transaction } = adapter
      // The functions are replaced in place, because Better Auth keeps knowledge about this very
      // object.
      Object.assign(adapter, wrapped(adapter, noting))
      adapter.transaction = (work) =>
        transaction((tx) => work(Object.assign(tx, wrapped(tx, noting))))
      return adapter
    },
    faithful: (api) => ({ ...api, ...wrapped(api, tellingFaults) }),
  }
}

type Ask = () => Promise<unknown>

/** Returns the functions of an object. `through` calls each of them. */
function wrapped(functions: object, through: (ask: Ask) => Promise<unknown>) {
  const entries = Object.entries(functions).filter(([, member]) => typeof member === 'function')
  return Object.fromEntries(
    entries.map(([name, call]) => [
      name,
      (...args: unknown[]) => through(async () => call(...args)),
    ]),
  )
}
