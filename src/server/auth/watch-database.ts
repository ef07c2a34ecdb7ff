import { AsyncLocalStorage } from 'node:async_hooks'
import type { BetterAuthOptions, DBAdapter } from 'better-auth'
import { isDatabaseAway } from '../db/away.ts'

type OpenAdapter = (options: BetterAuthOptions) => DBAdapter

/** Sees to it that a call of Better Auth tells when the database was away during it. */
export interface DatabaseWatch {
  /** The same adapter, with every fault noted that it meets. */
  watched(open: OpenAdapter): OpenAdapter
  /** The same calls; each throws the fault that was noted during it, whatever became of it inside. */
  faithful<Api extends object>(api: Api): Api
}

/**
 * Better Auth logs most errors of its database and goes on with one of its own that names no cause, or
 * with none at all: a sign-out counts as done while the session is still there. So what its adapter
 * meets is noted beside it.
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
      // In place: Better Auth knows things about this very object.
      Object.assign(adapter, wrapped(adapter, noting))
      adapter.transaction = (work) =>
        transaction((tx) => work(Object.assign(tx, wrapped(tx, noting))))
      return adapter
    },
    faithful: (api) => ({ ...api, ...wrapped(api, tellingFaults) }),
  }
}

type Ask = () => Promise<unknown>

/** The functions of an object, each called through `through`. */
function wrapped(functions: object, through: (ask: Ask) => Promise<unknown>) {
  const entries = Object.entries(functions).filter(([, member]) => typeof member === 'function')
  return Object.fromEntries(
    entries.map(([name, call]) => [
      name,
      (...args: unknown[]) => through(async () => call(...args)),
    ]),
  )
}
