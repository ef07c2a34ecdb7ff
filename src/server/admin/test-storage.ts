import { type Actor, adminEntry, writeAudit } from '../audit/audit-log.ts'
import type { Config } from '../config/config.ts'
import type { Deps } from '../deps.ts'
import { counter } from '../http/rate-limit.ts'
import type { Storage } from '../storage/storage.ts'
import { withTimeout } from '../timeout.ts'
import { errorName, remedyFor } from './storage-remedies.ts'

/** The steps of the test. `does` describes a step in the message to the administrator. */
const steps: readonly { does: string; run(storage: Storage): Promise<unknown> }[] = [
  { does: 'write to and remove from', run: (storage) => storage.check() },
  { does: 'read from', run: (storage) => storage.installation() },
  { does: 'list', run: listOne },
]

interface Tested {
  connected: boolean
  message: string
}

type StorageDeps = Pick<Deps, 'config' | 'log' | 'stores'>

/**
 * Tests the store for new files by writing, removing, reading and listing objects (spec §7). The
 * message names the test, the bucket or folder and, after a failure, the remedy. It contains no
 * secrets, because it includes only the name of an error. The audit log records the test and its
 * success.
 * @param timeoutMs time limit for storage.
 * @throws {AppError} TOO_MANY_REQUESTS
 */
export async function testStorage(
  deps: StorageDeps & Pick<Deps, 'clock' | 'db' | 'rateLimits'>,
  actor: Actor,
  timeoutMs = 15_000,
): Promise<Tested> {
  await deps.rateLimits.spend([counter('storageTestsByUser', actor.id)])
  const tested = await tryStorage(deps, timeoutMs)
  const details = { store: deps.stores.current.name, connected: tested.connected }
  await writeAudit(deps.db, [
    adminEntry(actor, deps.clock(), { action: 'test-storage', details: details }),
  ])
  return tested
}

async function tryStorage(deps: StorageDeps, timeoutMs: number): Promise<Tested> {
  const storage = deps.stores.current
  let doing = ''
  const tryAll = async () => {
    for (const { does, run } of steps) {
      doing = does
      await run(storage)
    }
  }
  try {
    await withTimeout(tryAll(), timeoutMs)
  } catch (error) {
    return { connected: false, message: describeFailure(deps, error, doing) }
  }
  const place = placeOf(storage, deps.config)
  const message = `Mayfly wrote and removed a test object in ${place}, read from it and listed it.`
  return { connected: true, message }
}

/**
 * Describes a failed test of the store for new files, with its cause and remedy. Logs the error.
 * @param doing what the test tried, in words that precede the name of the bucket or folder.
 */
export function describeFailure(
  { config, log, stores: { current } }: StorageDeps,
  error: unknown,
  doing: string,
): string {
  log.warn({ err: error, store: current.name }, 'the test of the storage failed')
  const reason = errorName(error)
  const place = placeOf(current, config)
  return `Mayfly could not ${doing} ${place} (${reason}). ${remedyFor(current.name, reason)}`
}

function placeOf({ name }: Storage, { dataDir, s3 }: Config): string {
  if (name === 'disk' || s3 === null) return `the folder ${dataDir}`
  return `the bucket "${s3.bucket}" at ${s3.endpoint?.origin ?? `AWS in ${s3.region}`}`
}

/** Reads only the first object of the list. */
async function listOne(storage: Storage): Promise<void> {
  for await (const _ of storage.list()) return
}
