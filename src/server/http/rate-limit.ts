import type pg from 'pg'
import {
  maxFeedbackEmailsPerHour,
  maxFeedbackPerHour,
} from '../../shared/rules/accounts/feedback.ts'
import { googleRateWindowMs } from '../../shared/rules/accounts/sign-in-error.ts'
import { hourInMs, minuteInMs } from '../../shared/rules/format/units.ts'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'

const unlimited = 2 ** 31 - 1

/**
 * How many attempts are allowed in a window, which starts with the first attempt. An `unlimited`
 * counter counts attempts but never refuses any.
 */
const limits = {
  wrongLoginsByAddress: { max: 100, windowMs: 15 * minuteInMs },
  wrongLoginsByAccountAndAddress: { max: 10, windowMs: 15 * minuteInMs },
  wrongLoginsByAccount: { max: unlimited, windowMs: hourInMs },
  wrongLoginsByKnownBrowser: { max: 10, windowMs: 15 * minuteInMs },
  loginsByAddress: { max: 600, windowMs: 15 * minuteInMs },
  loginsByAccount: { max: 120, windowMs: 15 * minuteInMs },
  wrongUnlocksByAddress: { max: 60, windowMs: 15 * minuteInMs },
  wrongUnlocksByLink: { max: 200, windowMs: hourInMs },
  signupsByAddress: { max: 30, windowMs: hourInMs },
  signupEmailsByAccountAndAddress: { max: 3, windowMs: 15 * minuteInMs },
  googleStartsByAddress: { max: 300, windowMs: googleRateWindowMs },
  googleAnswersByAddress: { max: 300, windowMs: googleRateWindowMs },
  emailsByAddress: { max: 20, windowMs: 15 * minuteInMs },
  resetsByAddress: { max: 20, windowMs: 15 * minuteInMs },
  resetChecksByAddress: { max: 20, windowMs: 15 * minuteInMs },
  passwordChangesByUser: { max: 20, windowMs: hourInMs },
  keysByUser: { max: 100, windowMs: hourInMs },
  googleChangesByUser: { max: 20, windowMs: hourInMs },
  testMailsByUser: { max: 20, windowMs: hourInMs },
  testUploadsByUser: { max: 20, windowMs: hourInMs },
  feedbackByAddress: { max: 10, windowMs: hourInMs },
  feedbackFromAll: { max: maxFeedbackPerHour, windowMs: hourInMs },
  feedbackEmails: { max: maxFeedbackEmailsPerHour, windowMs: hourInMs },
  reportsByAddress: { max: 10, windowMs: hourInMs },
  reportsByAddressAndFile: { max: 2, windowMs: hourInMs },
  tierChangesByUser: { max: 60, windowMs: hourInMs },
  renewalsByCaller: { max: 300, windowMs: hourInMs },
  requestsByCaller: { max: 60, windowMs: hourInMs },
  deliveriesByAddress: { max: 120, windowMs: hourInMs },
  deliveriesByRequest: { max: 600, windowMs: hourInMs },
  storageTestsByUser: { max: 60, windowMs: hourInMs },
  logosByUser: { max: 30, windowMs: hourInMs },
} as const

/** The privacy policy states this as `maxRateWindowMs`. A test compares the two. */
export const longestWindowMs = Math.max(...Object.values(limits).map(({ windowMs }) => windowMs))

/** A counter, stored as a row in `rate_limits`. */
export interface Counter {
  key: string
  max: number
  windowMs: number
}

/** The counters that an attempt incremented. Maps each counter's key to the end of its window. */
export type SpentCounters = ReadonlyMap<string, number>

/** Counts attempts in the database, shared by all servers. */
export interface RateLimits {
  /**
   * Returns the counts by key. Ignores windows that have ended, and windows that end too late to be
   * valid: those were written while a clock was ahead, and would lock users out once the clock is
   * corrected.
   * @throws {AppError} TOO_MANY_REQUESTS with `Retry-After` if a counter is full.
   */
  check(counters: readonly Counter[]): Promise<ReadonlyMap<string, number>>
  /**
   * Increments every counter, or none if one is full.
   * @throws {AppError} see `check`.
   */
  spend(counters: readonly Counter[]): Promise<SpentCounters>
  /** Increments every counter, even one that is full. */
  add(counters: readonly Counter[]): Promise<void>
  /** Undoes `spend` for these keys. Without `keys`, undoes it for all counters. */
  refund(spent: SpentCounters, keys?: readonly string[]): Promise<void>
  /** Resets counters after a success, which shows that the earlier attempts were legitimate. */
  forget(keys: readonly string[]): Promise<void>
}

/** Returns the counter for a key, with the limit called `name`. */
export function counter(name: keyof typeof limits, key: string): Counter {
  return { key: `${name}:${key}`, ...limits[name] }
}

interface RateLimitOptions {
  pool: Pick<pg.Pool, 'query'>
  clock: Clock
  enabled: boolean
}

/** Creates the rate limits. Unless `enabled`, they count nothing and refuse nothing. */
export function createRateLimits(options: RateLimitOptions): RateLimits {
  if (options.enabled) return new CountingLimits(options)
  return {
    check: async () => new Map(),
    spend: async () => new Map(),
    add: async () => {},
    refund: async () => {},
    forget: async () => {},
  }
}

/** Returns the error for a client that may retry after `retryAfterMs`. */
function createRateLimitError(retryAfterMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  const minutes = Math.ceil(seconds / 60)
  const waitText = seconds < 60 ? `${seconds} s` : minutes === 1 ? 'a minute' : `${minutes} minutes`
  return new AppError('TOO_MANY_REQUESTS', {
    message: `Too many attempts. Please wait ${waitText} and try again.`,
    headers: { 'retry-after': String(seconds) },
  })
}

class CountingLimits implements RateLimits {
  readonly #pool: Pick<pg.Pool, 'query'>
  readonly #clock: Clock

  constructor({ pool, clock }: RateLimitOptions) {
    this.#pool = pool
    this.#clock = clock
  }

  async check(counters: readonly Counter[]): Promise<Map<string, number>> {
    const now = this.#now()
    const { rows } = await this.#pool.query<{ key: string; points: number; until: string }>({
      name: 'check_rate_limits',
      text: `select key, points, expire as until from rate_limits
        where key = any($1) and expire > $2 and expire <= $3`,
      values: [counters.map(({ key }) => key), now, now + longestWindowMs],
    })
    const maxByKey = new Map(counters.map((counter) => [counter.key, counter.max]))
    const fullCounters = rows.filter(
      ({ key, points }) => points >= (maxByKey.get(key) ?? unlimited),
    )
    if (fullCounters.length > 0)
      throw createRateLimitError(Math.max(...fullCounters.map(getWindowEnd)) - now)
    return new Map(rows.map(({ key, points }) => [key, points]))
  }

  async spend(counters: readonly Counter[]): Promise<SpentCounters> {
    const now = this.#now()
    const { rows } = await this.#pool.query<{ key: string; until: string }>({
      name: 'spend_rate_limits',
      // Locks rows in key order to prevent deadlocks.
      text: `insert into rate_limits as kept (key, points, expire)
        select key, 1, expire from unnest($1::text[], $2::bigint[]) as wanted (key, expire) order by key
        on conflict (key) do update set
          points = case when kept.expire > $4 and kept.expire <= $5 then kept.points + 1 else 1 end,
          expire = case when kept.expire > $4 and kept.expire <= $5 then kept.expire else excluded.expire end
        where kept.expire <= $4 or kept.expire > $5
          or kept.points < ($3::int[])[array_position($1::text[], kept.key)]
        returning key, expire as until`,
      values: [
        counters.map(({ key }) => key),
        counters.map(({ windowMs }) => now + windowMs),
        counters.map(({ max }) => max),
        now,
        now + longestWindowMs,
      ],
    })
    const spentCounters = new Map(rows.map((row) => [row.key, getWindowEnd(row)]))
    if (spentCounters.size === counters.length) return spentCounters
    await this.refund(spentCounters)
    await this.check(counters.filter(({ key }) => !spentCounters.has(key)))
    throw createRateLimitError(0) // The counter was full a moment ago, and now it is not.
  }

  async add(counters: readonly Counter[]): Promise<void> {
    await this.spend(counters.map((counter) => ({ ...counter, max: unlimited })))
  }

  async refund(
    spentCounters: SpentCounters,
    keys: readonly string[] = [...spentCounters.keys()],
  ): Promise<void> {
    const spentKeys = keys.filter((key) => spentCounters.has(key))
    if (spentKeys.length === 0) return
    await this.#pool.query({
      name: 'refund_rate_limits',
      // Locks in the same order as `spend`. If the window has changed, there is nothing to refund.
      text: `with kept as materialized
          (select key from rate_limits where key = any($1) order by key for update)
        update rate_limits set points = points - 1
        from kept, unnest($1::text[], $2::bigint[]) as spent (key, expire)
        where rate_limits.key = kept.key and spent.key = kept.key
          and rate_limits.expire = spent.expire and points > 0`,
      values: [spentKeys, spentKeys.map((key) => spentCounters.get(key))],
    })
    // Without this deletion, logins with made-up email addresses would fill the table.
    await this.#pool.query({
      name: 'remove_empty_rate_limits',
      text: `delete from rate_limits where key in
        (select key from rate_limits where key = any($1) and points <= 0 for update skip locked)`,
      values: [spentKeys],
    })
  }

  async forget(keys: readonly string[]): Promise<void> {
    await this.#pool.query({
      name: 'forget_rate_limits',
      text: `with kept as materialized
          (select key from rate_limits where key = any($1) order by key for update)
        delete from rate_limits using kept where rate_limits.key = kept.key`,
      values: [keys],
    })
  }

  #now(): number {
    return this.#clock().getTime()
  }
}

/** The Postgres driver returns bigint as a string. */
function getWindowEnd({ until }: { until: string }): number {
  return Number(until)
}
