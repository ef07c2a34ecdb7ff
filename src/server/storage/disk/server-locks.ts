import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { type ErrorCode, errorTable } from '../../../shared/contract/errors.ts'
import type { SharedSession } from '../../db/shared-session.ts'
import { AppError } from '../../errors.ts'
import { parseJson } from './parse-json.ts'

const channel = 'mayfly_write_locks'
const firstPauseMs = 5
const longestPauseMs = 100
/**
 * After this many tries, the other servers are asked again to stop: a newer request on one of them
 * may have got the lock in the meantime.
 */
const askAgainAfter = 8
/**
 * How long a caller waits for a lock before it fails. A server that keeps the lock for longer
 * probably hangs. Its lock is not taken away, because its client may still be sending bytes.
 */
const patienceMs = 30_000

/** Which bytes to lock. Requests that are asked to stop answer with the error `code`. */
export interface LockRequest {
  key: string
  /** The number of the part; undefined for all bytes of the key. */
  part: number | undefined
  code: ErrorCode
}

/** The names of what to lock: a part of a whole, or a whole with all its parts. */
interface LockNames {
  whole: string
  part?: string | undefined
}

interface Waiting {
  /**
   * Aborts when the caller must no longer wait for the lock. undefined: nothing ends the wait
   * early.
   */
  signal: AbortSignal | undefined
  /**
   * Is called at most once, before other servers are asked to stop. If it rejects, they are not
   * asked.
   */
  beforeStopping?: (() => Promise<void>) | undefined
}

/**
 * A lock in the database. It belongs to the connection that got it, and ends with that connection.
 */
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
 * Write locks between the servers that share a folder. Each lock is an advisory lock of Postgres.
 * It ends with the connection of its server, so a killed server leaves no lock. A request for a
 * part also takes a shared lock on the whole key. Other parts can share this lock. A server that
 * wants a lock asks the servers that have it to stop, and tries again until the lock is free.
 */
export class ServerLocks {
  readonly #session: SharedSession

  constructor(session: SharedSession) {
    this.#session = session
  }

  /**
   * Calls `onStop` when another server wants a lock, and `onLost` when every lock of this server is
   * lost. In both cases this server must stop writing.
   */
  async open(listeners: { onStop: (request: LockRequest) => void; onLost: () => void }) {
    this.#session.onLost(listeners.onLost)
    await this.#session.listen(channel, (payload) => {
      const wanted = message.safeParse(parseJson(payload)).data
      if (wanted) listeners.onStop({ ...wanted, part: wanted.part })
    })
  }

  /** @throws {AppError} UNAVAILABLE when no lock can be taken, because the database is away. */
  check(): Promise<void> {
    return this.#session.check()
  }

  /**
   * Locks bytes against the other servers. The caller must make sure that no other request of this
   * server has a lock on the same bytes.
   * @throws the reason of `signal`, or the error of `beforeStopping`. @throws {AppError}
   * UNAVAILABLE when the database is away, or another server does not release the lock in time.
   */
  async take(request: LockRequest, { signal, beforeStopping }: Waiting): Promise<ServerLock> {
    const { key, part } = request
    const names = { whole: key, part: part === undefined ? undefined : `${key} ${part}` }
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

  /**
   * Calls `work` while no other server works under the same name.
   * @throws the error of `work`. @throws {AppError} UNAVAILABLE when the database is away, or
   * another server does not end its work in time.
   */
  async alone<T>(name: string, work: () => Promise<T>): Promise<T> {
    const deadline = AbortSignal.timeout(patienceMs)
    for (let tries = 0; ; tries += 1) {
      const lock = await this.#try({ whole: name })
      if (lock) return work().finally(() => lock.release())
      if (deadline.aborted) throw new AppError('UNAVAILABLE')
      await wait(Math.min(longestPauseMs, firstPauseMs * 2 ** tries))
    }
  }

  /**
   * Tries to get an exclusive lock on the part, and a shared lock on the whole. Without a part, it
   * tries to get an exclusive lock on the whole. Returns null when it cannot get every lock.
   */
  async #try({ whole, part }: LockNames): Promise<ServerLock | null> {
    const { connection } = this.#session
    const values = part === undefined ? [whole] : [whole, part]
    const question = part === undefined ? statements.takeWhole : statements.takePart
    const [row] = await this.#session.query<{ whole: boolean; part: boolean }>({
      ...question,
      values,
    })
    const release = (statement: Statement) => {
      // If the connection is a new one, this lock has ended with the old one. The new connection
      // may hold the same lock for another request, and must not release that.
      if (this.#session.connection !== connection) return
      // If the statement fails, the session drops the connection, which frees the lock.
      this.#session.query({ ...statement, values }).catch(() => {})
    }
    const isHeld = async () => {
      if (this.#session.connection !== connection) return false
      // The connection may be broken although no error has shown it yet, for instance when the
      // network was cut. A statement shows it.
      await this.#session.check().catch(() => {})
      return this.#session.connection === connection
    }
    const lockTo = (leave: Statement) => ({ isHeld, release: () => release(leave) })
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

interface Statement {
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
  ask: { name: 'ask_for_lock', text: 'select pg_notify($1, $2)' },
} as const satisfies Record<string, Statement>
