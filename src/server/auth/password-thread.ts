/** The thread of `PasswordHashing`, which starts it with this file. */
import { scryptSync } from 'node:crypto'
import { getPriority, platform, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'

/** How much work and memory a hash takes: scrypt's own names. */
export interface HashCost {
  N: number
  r: number
  p: number
}

/** What the thread is told; it answers with the key, a Uint8Array, before it hears the next. */
export interface PasswordOrder {
  password: string
  salt: string
  cost: HashCost
}

const keyBytes = 64

/** Where cores are short, whoever fetches a file goes first. Only Linux knows priorities of threads. */
const nicerBy = 5
const nicest = 19
if (platform() === 'linux') setPriority(0, Math.min(nicest, getPriority() + nicerBy))

parentPort?.on('message', ({ password, salt, cost }: PasswordOrder) => {
  // Twice what the cost needs; without it Node refuses more than 32 MiB.
  const maxmem = 2 * 128 * cost.N * cost.r
  const key = scryptSync(password.normalize('NFKC'), salt, keyBytes, { ...cost, maxmem })
  parentPort?.postMessage(key)
})
