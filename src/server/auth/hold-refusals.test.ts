import { beforeEach, expect, it } from 'vitest'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { refusalHolder } from './hold-refusals.ts'

/** The delays that are running now. Each has its length, and a function that ends it. */
let delays: { ms: number; end: () => void }[]
let holding: ReturnType<typeof refusalHolder>
beforeEach(() => {
  delays = []
  const hold = (ms: number) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    delays.push({ ms, end: resolve })
    return promise
  }
  holding = refusalHolder({ rateLimits: { hold } as Deps['rateLimits'] })
})

const tooMany = new AppError('TOO_MANY_REQUESTS')

/** Does work that fails with `error`. Resolves with the error when the caller gets it. */
function refused(error: unknown = tooMany): Promise<unknown> {
  return holding(() => Promise.reject(error)).catch((told: unknown) => told)
}

async function turn() {
  await new Promise(setImmediate)
}

it('what goes well is answered at once', async () => {
  expect(await holding(async () => 'done')).toBe('done')
  expect(delays).toEqual([])
})

it.each(['TOO_MANY_REQUESTS', 'PASSWORDS_BUSY'] as const)(
  '%s is told after a second',
  async (code) => {
    const error = new AppError(code)
    let told: unknown = null
    void refused(error).then((refusal) => {
      told = refusal
    })
    await turn()
    expect(delays.map(({ ms }) => ms)).toEqual([1000])
    expect(told).toBeNull()
    delays[0]?.end()
    await turn()
    expect(told).toBe(error)
  },
)

it.each([
  new AppError('INVALID_CREDENTIALS'),
  new AppError('UNAVAILABLE'),
  new Error('a fault'),
  { code: 'TOO_MANY_REQUESTS' },
])('anything else is told at once: %s', async (error) => {
  expect(await refused(error)).toBe(error)
  expect(delays).toEqual([])
})

it('a thousand refusals are delayed at the same time, and further ones are not', async () => {
  const waiting = Array.from({ length: 1000 }, () => refused())
  await turn()
  expect(delays).toHaveLength(1000)
  expect(await refused()).toBe(tooMany)
  expect(delays).toHaveLength(1000)

  delays[0]?.end()
  await waiting[0]
  waiting.push(refused())
  await turn()
  expect(delays).toHaveLength(1001)
  for (const { end } of delays) end()
  expect(await Promise.all(waiting)).toEqual(Array(1001).fill(tooMany))
})

it('a delay that fails makes room for another one all the same', async () => {
  const hold = () => Promise.reject(new Error('no timer'))
  holding = refusalHolder({ rateLimits: { hold } as unknown as Deps['rateLimits'] })
  for (let count = 0; count < 1001; count += 1) {
    expect(await refused()).toEqual(new Error('no timer'))
  }
})
