import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { AppError } from '../errors.ts'

/** How a session notices that its connection was lost although nothing has closed it. */
export interface SessionLimits {
  /**
   * How long connecting may take, and how long the answer to a statement. That is enough, because
   * no statement of a session waits for a lock.
   */
  answerMs: number
  /** How often the session asks Postgres for an answer. */
  askMs: number
}

const sessionLimits: SessionLimits = { answerMs: 10_000, askMs: 15_000 }
const keepAliveMs = 10_000
const firstPauseMs = 50
const longestPauseMs = 2_000

/**
 * After the first four settings, Postgres ends a session within about 30 s when the machine of its
 * server is gone, and with it the locks. By default that can take hours. Over a Unix socket,
 * Postgres ignores these four. The last two switch off time-outs that are set for the role or the
 * database. A session has its own, `answerMs`.
 */
const sessionSettings = `
  set tcp_keepalives_idle = 10;
  set tcp_keepalives_interval = 5;
  set tcp_keepalives_count = 3;
  set tcp_user_timeout = 30000;
  set statement_timeout = 0;
  set lock_timeout = 0`

/** A connection of the session, with a number that no later connection has. */
interface Connection {
  client: pg.Client
  number: number
  /** The statement that was sent last. The next statement waits for its answer. */
  last: Promise<unknown>
}

/**
 * One connection to the database that stays open, for what lasts longer than a statement: locks
 * that end with the connection, and messages between the servers that use this database. When the
 * connection ends, it is opened again. The network may lose a connection without closing it, and
 * Postgres then keeps it, with its locks. So the session asks for an answer from time to time, and
 * a new connection ends the earlier ones. If a PgBouncer is in between, it must pool sessions, not
 * transactions.
 */
export class SharedSession {
  readonly #config: pg.ClientConfig
  readonly #log: Pick<Logger, 'warn'>
  readonly #limits: SessionLimits
  /** Each connection of this session, and no other, has a shared lock with this name. */
  readonly #name = randomBytes(8).readBigInt64BE().toString()
  readonly #closing = new AbortController()
  readonly #listeners = new Map<string, (payload: string) => void>()
  readonly #lostListeners: (() => void)[] = []
  readonly #reopenedListeners: (() => void)[] = []
  #current: Connection | null = null
  #count = 0
  #opening: Promise<void> = Promise.resolve()

  private constructor(config: pg.ClientConfig, log: Pick<Logger, 'warn'>, limits: SessionLimits) {
    this.#config = config
    this.#log = log
    this.#limits = limits
  }

  /** Opens the session. @throws when the database cannot be reached. */
  static async open(
    config: pg.ClientConfig,
    log: Pick<Logger, 'warn'>,
    limits: SessionLimits = sessionLimits,
  ): Promise<SharedSession> {
    const session = new SharedSession(config, log, limits)
    await session.#connect()
    const asking = setInterval(() => void session.check().catch(() => {}), limits.askMs)
    asking.unref()
    session.#closing.signal.addEventListener('abort', () => clearInterval(asking))
    return session
  }

  /**
   * The number of the current connection; null while there is none. Once the number changes, the
   * locks of the earlier connection are free.
   */
  get connection(): number | null {
    return this.#current?.number ?? null
  }

  /**
   * Runs a statement on the session's connection. Statements run in the order of the calls.
   * @throws {AppError} UNAVAILABLE while there is no connection, or if the statement fails.
   */
  async query<Row extends pg.QueryResultRow>(question: pg.QueryConfig): Promise<Row[]> {
    const current = this.#current
    if (!current) throw new AppError('UNAVAILABLE')
    const { client } = current
    const ask = () => client.query<Row>(question)
    const answer = current.last.then(ask, ask)
    current.last = answer
    try {
      return (await answer).rows
    } catch (cause) {
      // Nobody knows whether the statement ran and took a lock. Closing the connection frees all
      // its locks.
      this.#drop(client, cause)
      throw new AppError('UNAVAILABLE', { cause })
    }
  }

  /**
   * Asks the database for an answer.
   * @throws {AppError} UNAVAILABLE when there is no connection, or it gives no answer.
   */
  async check(): Promise<void> {
    await this.query({ name: 'ping', text: 'select 1' })
  }

  /**
   * Calls `listener` with each message that another server sends on a channel. Messages that were
   * sent while the connection was lost are missing: see `onReopened`.
   */
  async listen(channel: string, listener: (payload: string) => void): Promise<void> {
    this.#listeners.set(channel, listener)
    await this.query({ text: `listen ${pg.escapeIdentifier(channel)}` })
  }

  /** Calls `listener` whenever the connection is lost. All its locks are lost with it. */
  onLost(listener: () => void): void {
    this.#lostListeners.push(listener)
  }

  /**
   * Calls `listener` whenever the connection is open again. Messages that were sent in between are
   * missing.
   */
  onReopened(listener: () => void): void {
    this.#reopenedListeners.push(listener)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#opening
    const { client } = this.#current ?? {}
    this.#current = null
    await client?.end().catch(() => {})
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      ...this.#config,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
      connectionTimeoutMillis: this.#limits.answerMs,
      query_timeout: this.#limits.answerMs,
    })
    client.on('error', (error) => this.#drop(client, error))
    client.on('end', () => this.#drop(client, new Error('the connection ended')))
    client.on('notification', ({ channel, payload = '', processId }) => {
      if (processId !== processIdOf(client)) this.#listeners.get(channel)?.(payload)
    })
    try {
      await client.connect()
      await this.#replaceEarlier(client)
      for (const channel of this.#listeners.keys()) {
        await client.query(`listen ${pg.escapeIdentifier(channel)}`)
      }
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
    this.#count += 1
    this.#current = { client, number: this.#count, last: Promise.resolve() }
  }

  /**
   * Ends the connections of this session that Postgres has kept because nobody told it that they
   * are lost. With them, their locks end.
   */
  async #replaceEarlier(client: pg.Client): Promise<void> {
    await client.query(sessionSettings)
    // The lock shows what still belongs to this session. A process id would not: Postgres may have
    // given it to another connection, and a PgBouncer its connection to another server.
    await client.query({ text: endEarlier, values: [this.#name] })
    await client.query({ text: 'select pg_advisory_lock_shared($1)', values: [this.#name] })
  }

  #drop(client: pg.Client, error: unknown): void {
    if (this.#current?.client !== client) return
    this.#current = null
    client.end().catch(() => {})
    if (this.#closing.signal.aborted) return
    const reason = error instanceof Error ? error.message : String(error)
    this.#log.warn({ reason }, 'The connection to the other servers was lost; it is opened again')
    for (const listener of this.#lostListeners) listener()
    this.#opening = this.#connectAgain()
  }

  async #connectAgain(): Promise<void> {
    const { signal } = this.#closing
    for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs *= 2) {
      try {
        await this.#connect()
        for (const listener of this.#reopenedListeners) listener()
        return
      } catch {
        const pause = wait(Math.min(pauseMs, longestPauseMs), undefined, { signal, ref: false })
        await pause.catch(() => {})
      }
    }
  }
}

/** `pg_locks` shows the name of a lock, 64 bits, in two halves. */
const endEarlier = `
  select pg_terminate_backend(pid) from pg_locks
  where locktype = 'advisory' and objsubid = 1 and granted
    and database = (select oid from pg_database where datname = current_database())
    and classid::bigint << 32 | objid::bigint = $1::bigint`

/** The types of the driver lack this field. */
function processIdOf(client: pg.Client & { processID?: number | null }): number | undefined {
  return client.processID ?? undefined
}
