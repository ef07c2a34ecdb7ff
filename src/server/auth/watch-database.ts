import { AsyncLocalStorage } from 'node:async_hooks'
import type { BetterAuthOptions, DBAdapter } from 'better-auth'
import { isDatabaseAway } from '../db/away.ts'
import { isUserGone } from '../db/user-gone.ts'

type OpenAdapter = (options: BetterAuthOptions) => DBAdapter

/**
 * Better Auth hides some errors of the database. This watch makes a call of Better Auth fail if the
 * database could not be used during the call, or if the user was deleted.
 */
export interface DatabaseWatch {
  /**
   * Returns a function that opens the same adapter. That adapter also records when the database
   * cannot be used or the user was deleted.
   */
  watched(open: OpenAdapter): OpenAdapter
  /**
   * Returns the same calls of Better Auth. If an error was recorded during a call, the call throws
   * it, even if Better Auth did not.
   */
  faithful<Api extends object>(api: Api): Api
}

/**
 * Better Auth logs most errors of its database. Then it throws an error without the cause, or none
 * at all. For example, its own sign-out would seem to succeed while the session still exists. So
 * these functions record the errors that `DatabaseWatch` names, and throw them at the end of the
 * call.
 */
export function watchDatabase(): DatabaseWatch {
  const calls = new AsyncLocalStorage<{ fault: unknown }>()

  const noting = async (ask: Ask): Promise<unknown> => {
    try {
      return await ask()
    } catch (error) {
      const call = calls.getStore()
      if (call && (isDatabaseAway(error) || isUserGone(error))) call.fault ??= error
      throw error
    }
  }

  const tellingFaults = async (ask: Ask): Promise<unknown> => {
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
      // The functions are replaced in the object itself, because Better Auth recognises this very
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

/** Returns the functions of an object. Each of them now runs inside `through`. */
function wrapped(functions: object, through: (ask: Ask) => Promise<unknown>) {
  const entries = Object.entries(functions).filter(([, member]) => typeof member === 'function')
  return Object.fromEntries(
    entries.map(([name, call]) => [
      name,
      (...args: unknown[]) => through(async () => call(...args)),
    ]),
  )
}
