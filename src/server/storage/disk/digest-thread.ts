/** The thread of `FileDigests`, which starts it with this file. */
import { createHash, type Hash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'

/** What the thread is told; orders for one key are obeyed in their order. */
export type DigestOrder =
  | { order: 'follow'; key: string; path: string; bytes: number }
  /** All `bytes` are there: answer. */
  | { order: 'finish'; key: string; path: string; bytes: number; question: number }
  /** What was reckoned of this key so far is worth nothing. */
  | { order: 'forget'; key: string }

export interface DigestAnswer {
  question: number
  sha256?: string
  /** Why there is none. */
  error?: string
}

interface Progress {
  path: string
  hash: Hash
  done: number
  goal: number
  question: number | undefined
}

/** Small enough to stay in the processor's own cache between the reading and the reckoning. */
const block = Buffer.allocUnsafe(256 * 1024)
/** After so many bytes of one file the next has its turn, and orders are heard. */
const turnBytes = 8 * 1024 * 1024

const underWay = new Map<string, Progress>()
let working = false

parentPort?.on('message', (order: DigestOrder) => {
  const { key } = order
  if (order.order === 'forget') {
    underWay.delete(key)
    return
  }
  const { path, bytes: goal } = order
  const known = underWay.get(key)
  const before = known && known.done <= goal ? known : { hash: createHash('sha256'), done: 0 }
  const question = order.order === 'finish' ? order.question : undefined
  underWay.set(key, { ...before, path, goal, question })
  if (!working) work()
})

/** Takes a turn at one file that has something left, then lets orders in, until none has. */
function work(): void {
  working = false
  for (const [key, progress] of underWay) {
    if (progress.done >= progress.goal && progress.question === undefined) continue
    working = true
    // To the end of the row, so that all have their turns.
    underWay.delete(key)
    if (takeTurn(progress)) underWay.set(key, progress)
    setImmediate(work)
    return
  }
}

/** Whether there is anything to remember of the file afterwards. */
function takeTurn(progress: Progress): boolean {
  const { hash, goal, question } = progress
  try {
    if (progress.done < goal) readOn(progress, Math.min(goal, progress.done + turnBytes))
    if (progress.done < goal || question === undefined) return true
    answer({ question, sha256: hash.digest('hex') })
  } catch (error) {
    // It may have been removed meanwhile. Who asks is told; who only follows begins anew.
    if (question !== undefined) answer({ question, error: String(error) })
  }
  return false
}

function readOn(progress: Progress, until: number): void {
  const file = openSync(progress.path, 'r')
  try {
    while (progress.done < until) {
      const length = Math.min(block.length, until - progress.done)
      const read = readSync(file, block, 0, length, progress.done)
      if (read === 0) throw new Error('the file is shorter than was told')
      progress.hash.update(block.subarray(0, read))
      progress.done += read
    }
  } finally {
    closeSync(file)
  }
}

function answer(message: DigestAnswer): void {
  parentPort?.postMessage(message)
}
