import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { type ErrorCode, errorTable } from '../../../shared/contract/errors.ts'
import type { SharedSession } from '../../db/shared-session.ts'
import { AppError } from '../../errors.ts'

const channel = 'mayfly_write_locks'
const firstPauseMs = 5
const longestPauseMs = 100
/** After this many tries the other servers are asked again: one may have begun anew meanwhile. */
const askAgainAfter = 8
/** A server that does not let go in this time hangs, and its client may still be sending. */
const patienceMs = 30_000

/** The bytes to be locked, and the error for those who are asked to stop. */
export interface LockRequest {
  key: string
  /** The number of the part; undefined for all bytes of the key. */
  part: number | undefined
  code: ErrorCode
}

interface Waiting {
  /** Aborts when the caller must not get the lock any more; undefined where that cannot be. */
  signal: AbortSignal | undefined
  /** Is called once before other servers are asked to stop. If it rejects, they are not. */
  beforeStopping?: (() => Promise<void>) | undefined
}

/** A lock that the session's connection at that time got. */
export interface ServerLock {
  /** Asks the database whether the connection that got the lock is still there. */
  isHeld(): Promise<boolean>
  /** Gives the lock back. */
  release(): void
}

const message = z.object({
  key: z.string(),
  part: z.int().optional(),
  code: z.string().refine((code): code is ErrorCode => Object.hasOwn(errorTable, code)),
})

/**
 * Write locks between the servers that share a folder. Each lock is an advisory lock of Postgres,
 * which ends with the connection of the server that holds it, so a killed server leaves none. For a
 * part the whole key is locked too, shared with the other parts. A server that wants a lock asks
 * those that have it to stop, and then tries until they have.
 */
export class ServerLocks {
  readonly #session: SharedSession

  constructor(session: SharedSession) {
    this.#session = session
  }

  /**
   * Calls `onStop` when another server wants a lock, and `onLost` when every lock of this server is
   * lost. In both cases this server must stop to write.
   */
  async open(listeners: { onStop: (request: LockRequest) => void; onLost: () => void }) {
    this.#session.onLost(listeners.onLost)
    await this.#session.listen(channel, (payload) => {
      const wanted = message.safeParse(parseJson(payload)).data
      if (wanted) listeners.onStop({ ...wanted, part: wanted.part })
    })
  }

  /**
   * Locks bytes against the other servers. Within this server the caller must have them alone.
   * @throws the reason of `signal`. @throws {AppError} UNAVAILABLE when the database is away, or
   * another server does not let go.
   */
  async take(request: LockRequest, { signal, beforeStopping }: Waiting): Promise<ServerLock> {
    const { key, part } = request
    const names = part === undefined ? [key] : [key, `${key} ${part}`]
    const deadline = AbortSignal.timeout(patienceMs)
    for (let tries = 0; ; tries += 1) {
      signal?.throwIfAborted()
      const lock = await this.#try(names)
      if (lock) {
        if (!signal?.aborted) return lock
        lock.release()
        continue
      }
      if (deadline.aborted) throw new AppError('UNAVAILABLE')
      if (tries === 0) await beforeStopping?.()
      if (tries % askAgainAfter === 0) await this.#ask(request)
      await wait(Math.min(longestPauseMs, firstPauseMs * 2 ** tries))
    }
  }

  /** Does work that no other server does at the same time under this name. */
  async alone<T>(name: string, work: () => Promise<T>): Promise<T> {
    const deadline = AbortSignal.timeout(patienceMs)
    for (let tries = 0; ; tries += 1) {
      const lock = await this.#try([name])
      if (lock) return work().finally(() => lock.release())
      if (deadline.aborted) throw new AppError('UNAVAILABLE')
      await wait(Math.min(longestPauseMs, firstPauseMs * 2 ** tries))
    }
  }

  /** Tries to lock the last name alone, and one before it together with others. */
  async #try(names: string[]): Promise<ServerLock | null> {
    const { connection } = this.#session
    const [whole, part] = names
    const question = part === undefined ? statements.takeWhole : statements.takePart
    const [row] = await this.#session.query<{ whole: boolean; part: boolean }>({
      ...question,
      values: names,
    })
    const release = (statement: pgStatement) => {
      // Another connection never had this lock, and must not give back one that it has itself.
      if (this.#session.connection !== connection) return
      // Where this fails the connection is dropped, and the lock is free.
      this.#session.query({ ...statement, values: names }).catch(() => {})
    }
    const isHeld = async () => {
      if (this.#session.connection !== connection) return false
      // The connection may have ended without a word, for instance where a network was cut.
      await this.#session.query(statements.ping).catch(() => {})
      return this.#session.connection === connection
    }
    const lockTo = (leave: pgStatement) => ({ isHeld, release: () => release(leave) })
    if (part === undefined) return row?.whole ? lockTo(statements.leaveWhole) : null
    if (row?.part) return lockTo(statements.leavePart)
    if (row?.whole)
      this.#session.query({ ...statements.leaveShared, values: [whole] }).catch(() => {})
    return null
  }

  #ask(request: LockRequest): Promise<unknown> {
    return this.#session.query({ ...statements.ask, values: [channel, JSON.stringify(request)] })
  }
}

interface pgStatement {
  name: string
  text: string
}

function lockOf(parameter: string): string {
  return `hashtextextended('mayfly: bytes of ' || ${parameter}::text, 0)`
}

const statements = {
  takeWhole: {
    name: 'take_whole',
    text: `select pg_try_advisory_lock(${lockOf('$1')}) as whole`,
  },
  takePart: {
    name: 'take_part',
    text: `with whole as materialized (select pg_try_advisory_lock_shared(${lockOf('$1')}) as got)
      select got as whole,
        case when got then pg_try_advisory_lock(${lockOf('$2')}) else false end as part
      from whole`,
  },
  leaveWhole: { name: 'leave_whole', text: `select pg_advisory_unlock(${lockOf('$1')})` },
  leaveShared: { name: 'leave_shared', text: `select pg_advisory_unlock_shared(${lockOf('$1')})` },
  leavePart: {
    name: 'leave_part',
    text: `select pg_advisory_unlock_shared(${lockOf('$1')}), pg_advisory_unlock(${lockOf('$2')})`,
  },
  ping: { name: 'ping', text: 'select 1' },
  ask: { name: 'ask_for_lock', text: 'select pg_notify($1, $2)' },
} as const satisfies Record<string, pgStatement>

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
