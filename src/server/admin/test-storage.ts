import { type Actor, adminEntry, writeAudit } from '../audit/audit-log.ts'
import type { Config } from '../config/config.ts'
import type { Deps } from '../deps.ts'
import { counter } from '../http/rate-limit.ts'
import type { Storage } from '../storage/storage.ts'
import { withTimeout } from '../timeout.ts'
import { errorName, remedyFor } from './storage-remedies.ts'

/** The steps of the test. In messages, `action` is followed by the name of the bucket or folder. */
const steps: readonly { action: string; run(storage: Storage): Promise<unknown> }[] = [
  { action: 'write to and remove from', run: (storage) => storage.check() },
  { action: 'read from', run: (storage) => storage.installation() },
  { action: 'list', run: listFirstObject },
]

type StorageDeps = Pick<Deps, 'config' | 'log' | 'stores'>

/**
 * Tests the store for new files by writing, removing, reading and listing objects (spec §7). The
 * message names the bucket or folder. If a step fails, the message also says which one and how to
 * fix the problem. It includes the error's name but not its message, which could contain secrets.
 * Writes an audit log entry for each test, with its outcome.
 * @param timeoutMs time limit for storage.
 * @throws {AppError} TOO_MANY_REQUESTS
 */
export async function testStorage(
  deps: StorageDeps & Pick<Deps, 'clock' | 'db' | 'rateLimits'>,
  actor: Actor,
  timeoutMs = 15_000,
) {
  await deps.rateLimits.spend([counter('storageTestsByUser', actor.id)])
  const testResult = await runStorageTest(deps, timeoutMs)
  const details = { store: deps.stores.current.name, connected: testResult.connected }
  await writeAudit(deps.db, [
    adminEntry(actor, deps.clock(), { action: 'test-storage', details: details }),
  ])
  return testResult
}

async function runStorageTest(deps: StorageDeps, timeoutMs: number) {
  const storage = deps.stores.current
  let currentAction = ''
  const runSteps = async () => {
    for (const { action, run } of steps) {
      currentAction = action
      await run(storage)
    }
  }
  try {
    await withTimeout(runSteps(), timeoutMs)
  } catch (error) {
    return { connected: false, message: describeFailure(deps, error, currentAction) }
  }
  const location = describeLocation(storage, deps.config)
  const message = `Mayfly wrote and removed a test object in ${location}, read from it and listed it.`
  return { connected: true, message }
}

/**
 * Describes why a test of the store for new files failed and how to fix it. Logs the error.
 * @param action what failed, worded to be followed by the name of the bucket or folder.
 */
export function describeFailure(
  { config, log, stores: { current } }: StorageDeps,
  error: unknown,
  action: string,
): string {
  log.warn({ err: error, store: current.name }, 'the test of the storage failed')
  const reason = errorName(error)
  const location = describeLocation(current, config)
  return `Mayfly could not ${action} ${location} (${reason}). ${remedyFor(current.name, reason)}`
}

function describeLocation({ name }: Storage, { dataDir, s3 }: Config): string {
  if (name === 'disk' || s3 === null) return `the folder ${dataDir}`
  return `the bucket "${s3.bucket}" at ${s3.endpoint?.origin ?? `AWS in ${s3.region}`}`
}

async function listFirstObject(storage: Storage): Promise<void> {
  for await (const _ of storage.list()) return
}
