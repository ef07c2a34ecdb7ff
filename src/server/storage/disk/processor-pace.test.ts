import { expect, it } from 'vitest'
import { ProcessorPace } from './processor-pace.ts'

const MiB = 1024 * 1024
const quickBytes = 700

/** Adds turns that together read `bytes` bytes, each microsecond `bytesInMicro` of them. */
function readMuch(pace: ProcessorPace, bytes: number, bytesInMicro: number): void {
  for (let read = 0; read < bytes; read += 8 * MiB) pace.add(8 * MiB, (8 * MiB) / bytesInMicro)
}

it.each([
  [1_400, false],
  [701, false],
  [699, true],
  [300, true],
])('a processor that computes %i bytes in a microsecond: is it slow? %s', (bytes, isSlow) => {
  const pace = new ProcessorPace(quickBytes)
  readMuch(pace, 64 * MiB, bytes)
  expect(pace.isSlow()).toBe(isSlow)
})

it.each([
  ['to open the file takes longer than to read it', 100, 30],
  ['the system counts a whole step of its clock', 100, 4_000],
  ['the system counts two steps for one', MiB, 2_000],
  ['the system has not counted yet', MiB, 0],
])('short turns decide nothing: %s', (_, bytes, micros) => {
  const quick = new ProcessorPace(quickBytes)
  readMuch(quick, 16 * MiB, 1_400)
  const slow = new ProcessorPace(quickBytes)
  readMuch(slow, 16 * MiB, 300)
  for (const pace of [quick, slow]) pace.add(bytes, micros)
  expect([quick.isSlow(), slow.isSlow()]).toEqual([false, true])
})

it('no processor is slow before much was read', () => {
  const pace = new ProcessorPace(quickBytes)
  expect(pace.isSlow()).toBe(false)
  for (let turn = 0; turn < 15; turn += 1) pace.add(MiB, 4_000)
  expect(pace.isSlow()).toBe(false)
  pace.add(MiB, 4_000)
  expect(pace.isSlow()).toBe(true)
})

it('a processor whose pace has changed is judged anew', () => {
  const pace = new ProcessorPace(quickBytes)
  for (const [bytes, isSlow] of [
    [1_400, false],
    [300, true],
    [1_400, false],
  ] as const) {
    readMuch(pace, 512 * MiB, bytes)
    expect(pace.isSlow()).toBe(isSlow)
  }
})
