/** The code of the thread that `PasswordHashing` starts. */
import { scryptSync } from 'node:crypto'
import { getPriority, platform, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'

/** How much work and memory a hash takes. The names are those of scrypt. */
export interface HashCost {
  N: number
  r: number
  p: number
}

/**
 * A request to the thread. The thread answers with the key, a Uint8Array, before it takes the next
 * request.
 */
export interface PasswordOrder {
  password: string
  salt: string
  cost: HashCost
}

const keyBytes = 64

/**
 * Hashing gets a lower priority. So downloads go first when all cores are busy. Only Linux has
 * priorities for threads.
 */
const nicerBy = 5
const nicest = 19
if (platform() === 'linux') setPriority(0, Math.min(nicest, getPriority() + nicerBy))

parentPort?.on('message', ({ password, salt, cost }: PasswordOrder) => {
  // Twice the memory that this cost needs. Without this value, Node refuses more than 32 MiB.
  const maxmem = 2 * 128 * cost.N * cost.r
  const key = scryptSync(password.normalize('NFKC'), salt, keyBytes, { ...cost, maxmem })
  parentPort?.postMessage(key)
})
