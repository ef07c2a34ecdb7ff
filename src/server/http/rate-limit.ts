import type pg from 'pg'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { AppError } from '../errors.ts'

/** Attempts allowed in a window of seconds. A window counts from its first attempt. */
const limits = {
  loginByAccountAndAddress: { points: 10, duration: 15 * 60 },
  loginByAccount: { points: 100, duration: 60 * 60 },
  loginByAddress: { points: 100, duration: 15 * 60 },
  signupByAddress: { points: 30, duration: 60 * 60 },
} as const

type LimitName = keyof typeof limits

/** Counts attempts in the database, so that every server counts together. */
export interface RateLimits {
  /**
   * Counts one attempt by `key`.
   * @throws {AppError} TOO_MANY_REQUESTS with `Retry-After` when the window's attempts are used up.
   */
  spend(name: LimitName, key: string): Promise<void>
  /** Takes back one attempt of `key`. */
  refund(name: LimitName, key: string): Promise<void>
  /** Forgets the attempts of `key`: a success shows that they were honest. */
  forgive(name: LimitName, key: string): Promise<void>
}

/** Rate limits kept in the table `rate_limits`; with `enabled: false` nothing is counted. */
export const createRateLimits = (pool: pg.Pool, options: { enabled: boolean }): RateLimits => {
  if (!options.enabled)
    return { spend: async () => {}, refund: async () => {}, forgive: async () => {} }

  const limiter = (name: LimitName) =>
    new RateLimiterPostgres({
      storeClient: pool,
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false, // a job clears the table; a timer would keep the process alive
      keyPrefix: name,
      ...limits[name],
    })
  const limiters = {
    loginByAccountAndAddress: limiter('loginByAccountAndAddress'),
    loginByAccount: limiter('loginByAccount'),
    loginByAddress: limiter('loginByAddress'),
    signupByAddress: limiter('signupByAddress'),
  } satisfies Record<LimitName, RateLimiterPostgres>

  return {
    async spend(name, key) {
      try {
        await limiters[name].consume(key)
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal
        const seconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000))
        throw new AppError('TOO_MANY_REQUESTS', { headers: { 'retry-after': String(seconds) } })
      }
    },
    async refund(name, key) {
      await limiters[name].reward(key)
    },
    async forgive(name, key) {
      await limiters[name].delete(key)
    },
  }
}
