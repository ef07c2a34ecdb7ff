/**
 * This file is the code of the worker thread that `DigestWorker` starts to compute SHA-256 digests.
 */
import { createHash, type Hash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { ProcessorPace } from './processor-pace.ts'

export interface DigestThreadData {
  /**
   * The thread counts as slow if it computes the SHA-256 of fewer bytes than this in a microsecond
   * of processor time.
   */
  quickBytes: number
  /**
   * While more bytes than this of a file wait to be read, a slow thread does not follow the file.
   */
  lagBytes: number
  /** True if the thread may use only what others leave of the processor. */
  isUnhurried: boolean
}

/** All `bytes` are written, and the thread must answer with their SHA-256. */
export interface Question {
  order: 'finish'
  key: string
  path: string
  bytes: number
  question: number
  /**
   * If more than `lagBytes` wait to be read, a slow thread answers that instead of reading them.
   */
  onlyIfNear: boolean
}

/**
 * The messages that the thread gets. `follow`: the first `bytes` bytes of the file are written, and
 * the thread can read them. Orders for one key are carried out in the order of their arrival.
 */
export type DigestOrder =
  | { order: 'follow'; key: string; path: string; bytes: number }
  | Question
  /**
   * The bytes change, or nobody needs the SHA-256 any more. The thread must forget what it has read
   * of this key. If it was asked for the SHA-256, it answers that it has forgotten the key.
   */
  | { order: 'forget'; key: string }

export interface DigestAnswer {
  question: number
  sha256?: string
  isFar?: boolean
  isForgotten?: boolean
  /** The reason why there is no SHA-256. */
  error?: string
}

interface Progress {
  path: string
  hash: Hash
  done: number
  goal: number
  question: number | undefined
}

/** The block is small, so its bytes are still in the processor's cache when they are hashed. */
const block = Buffer.allocUnsafe(256 * 1024)
/**
 * After this many bytes of one file, the thread reads new orders and goes on with the next file.
 */
const turnBytes = 8 * 1024 * 1024

const underWay = new Map<string, Progress>()
let working = false

const { quickBytes, lagBytes, isUnhurried } = workerData as DigestThreadData
const pace = new ProcessorPace(quickBytes)
// On Linux each thread has a priority of its own. Elsewhere this call would lower the priority of
// the whole server.
if (isUnhurried && process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)

parentPort?.on('message', (order: DigestOrder) => {
  const { key } = order
  if (order.order === 'forget') {
    const question = underWay.get(key)?.question
    underWay.delete(key)
    if (question !== undefined) answer({ question, isForgotten: true })
    return
  }
  const { path, bytes: goal } = order
  const known = underWay.get(key)
  const before = known && known.done <= goal ? known : { hash: createHash('sha256'), done: 0 }
  const asked = order.order === 'finish' ? order : undefined
  if (asked?.onlyIfNear && isFar(goal - before.done)) {
    answer({ question: asked.question, isFar: true })
    return
  }
  underWay.set(key, { ...before, path, goal, question: asked?.question })
  if (!working) work()
})

/**
 * Reads and hashes some bytes of one file. Repeats this until no file has bytes left to read. A
 * file that a slow thread does not follow is left out until its SHA-256 is asked for. Between two
 * repetitions, the thread receives new orders.
 */
function work(): void {
  working = false
  for (const [key, progress] of underWay) {
    const left = progress.goal - progress.done
    if (progress.question === undefined && (left === 0 || isFar(left))) continue
    working = true
    // The file becomes the last one in the list, so that all files are read in turn.
    underWay.delete(key)
    if (takeTurn(progress)) underWay.set(key, progress)
    setImmediate(work)
    return
  }
}

/** Tells whether it would take long to read this many bytes. */
function isFar(bytes: number): boolean {
  return bytes > lagBytes && pace.isSlow()
}

/** Reads and hashes some bytes of one file. Returns whether the thread must remember the file. */
function takeTurn(progress: Progress): boolean {
  const { hash, goal, question } = progress
  try {
    if (progress.done < goal) readOn(progress, Math.min(goal, progress.done + turnBytes))
    if (progress.done < goal || question === undefined) return true
    answer({ question, sha256: hash.digest('hex') })
  } catch (error) {
    // The file may have been removed. The error is sent only if `FileDigests` has asked for the
    // SHA-256. If more bytes of the file are announced later, it is read from its beginning.
    if (question !== undefined) answer({ question, error: String(error) })
  }
  return false
}

function readOn(progress: Progress, until: number): void {
  const from = progress.done
  const usage = process.threadCpuUsage()
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
  const { user, system } = process.threadCpuUsage(usage)
  pace.add(until - from, user + system)
}

function answer(message: DigestAnswer): void {
  parentPort?.postMessage(message)
}
