import { expect, it } from 'vitest'
import { LargeBodies } from './large-bodies.ts'

const usual = 1000
const large = { 'content-length': '1001' }

/** Begins calls that go on until the test ends them. Returns how many of them were let in. */
function beginner(bodies: LargeBodies) {
  const ends: (() => void)[] = []
  const begin = async (count: number, headers: object, address: string) => {
    const before = ends.length
    const calls = Array.from({ length: count }, () =>
      bodies.hold(headers, address, () => new Promise<void>((end) => ends.push(end))),
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

it('are bounded for one client, and together', async () => {
  const { begin } = beginner(new LargeBodies(usual))
  const first = await begin(100, large, '198.51.100.1')
  expect(first).toBeLessThanOrEqual(16)
  expect(await begin(1, large, '198.51.100.2')).toBe(1)
  let all = first + 1
  for (let n = 3; n < 100; n += 1) all += await begin(100, large, `198.51.100.${n}`)
  expect(all).toBe(32)
})

it('count until their call has ended, however it ends', async () => {
  const bodies = new LargeBodies(usual)
  const { begin, endOne } = beginner(bodies)
  for (let n = 1; n < 100; n += 1) await begin(100, large, `198.51.100.${n}`)
  await endOne()
  const failing = () => Promise.reject(new Error('the handler failed'))
  for (let n = 0; n < 3; n += 1) {
    await expect(bodies.hold(large, '203.0.113.1', failing)).rejects.toThrow('the handler failed')
  }
  expect(await begin(2, large, '203.0.113.1')).toBe(1)
})

it('are those of an unknown length too, and none that is as small as others', async () => {
  const { begin } = beginner(new LargeBodies(usual))
  const chunked = { 'transfer-encoding': 'chunked' }
  expect(await begin(100, chunked, '198.51.100.1')).toBeLessThanOrEqual(16)
  expect(await begin(100, { 'content-length': '1000' }, '198.51.100.1')).toBe(100)
  expect(await begin(100, {}, '198.51.100.1')).toBe(100)
})
