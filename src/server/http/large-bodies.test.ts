import { expect, it } from 'vitest'
import { LargeBodies } from './large-bodies.ts'

const KiB = 1024

/** Begins calls that go on until the test ends them. Returns how many of them were let in. */
function beginner(bodies: LargeBodies) {
  const ends: (() => void)[] = []
  const begin = async (count: number, bytes: number, address: string) => {
    const before = ends.length
    const calls = Array.from({ length: count }, () =>
      bodies.hold(bytes, address, () => new Promise<void>((end) => ends.push(end))),
    )
    for (const call of calls) call.catch((error) => expect(error.code).toBe('SERVER_BUSY'))
    await new Promise(setImmediate)
    return ends.length - before
  }
  const endOne = async () => {
    ends.pop()?.()
    await new Promise(setImmediate)
  }
  return { begin, endOne }
}

it.each([
  [512, 32],
  [64, 256],
])('of %i KiB are bounded for one client, and together', async (size, most) => {
  const { begin } = beginner(new LargeBodies())
  const first = await begin(100, size * KiB, '198.51.100.1')
  expect(first).toBe(Math.round(most / 3))
  expect(await begin(1, size * KiB, '198.51.100.2')).toBe(1)
  let all = first + 1
  for (let n = 3; n < 20; n += 1) all += await begin(100, size * KiB, `198.51.100.${n}`)
  expect(all).toBe(most)
})

it('count until their call has ended, however it ends', async () => {
  const bodies = new LargeBodies()
  const { begin, endOne } = beginner(bodies)
  for (let n = 1; n < 20; n += 1) await begin(20, 512 * KiB, `198.51.100.${n}`)
  await endOne()
  const failing = () => Promise.reject(new Error('the handler failed'))
  for (let n = 0; n < 3; n += 1) {
    await expect(bodies.hold(512 * KiB, '203.0.113.1', failing)).rejects.toThrow(
      'the handler failed',
    )
  }
  expect(await begin(2, 512 * KiB, '203.0.113.1')).toBe(1)
})

it('leave room for any number of small ones', async () => {
  const { begin } = beginner(new LargeBodies())
  for (let n = 1; n < 20; n += 1) await begin(100, 64 * KiB, `198.51.100.${n}`)
  expect(await begin(1, 4 * KiB + 1, '203.0.113.1')).toBe(0)
  expect(await begin(5000, 4 * KiB, '203.0.113.1')).toBe(5000)
})
