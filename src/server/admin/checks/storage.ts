import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { Storage } from '../../storage/storage.ts'
import { withTimeout } from '../../timeout.ts'
import { errorName, remedyFor } from '../storage-remedies.ts'
import {
  type CheckDeps,
  type Finding,
  failing,
  ok,
  shellQuote,
  stepTimeoutMs,
  warning,
} from './check.ts'

/** Checks every store by writing, reading and removing a small object. */
export function checkStorage({
  config,
  stores,
}: Pick<CheckDeps, 'config' | 'stores'>): Promise<Finding[]> {
  return Promise.all(
    stores.all.map(async (store) => {
      const finding = await checkStore(store, config)
      return store === stores.current
        ? finding
        : { ...finding, about: 'files from before S3_BUCKET' }
    }),
  )
}

async function checkStore(store: Storage, config: Config): Promise<Finding> {
  const location = describeLocation(store, config)
  const startedAt = performance.now()
  try {
    await withTimeout(store.check(), stepTimeoutMs)
  } catch (error) {
    const reason = errorName(error)
    return failing(
      `${location} failed the test: an object could not be written, read and deleted (${reason}). Uploads and downloads fail.`,
      `${remedyFor(store.name, reason)}${describeFolders(store, config)}`,
    )
  }
  const elapsedMs = Math.max(1, Math.round(performance.now() - startedAt))
  if (await hasVersioning(store)) {
    return warning(
      `${location} works, but keeps old versions: the bytes of deleted files stay there.`,
      'Suspend versioning of the bucket, or give it a lifecycle rule that expires noncurrent versions.',
    )
  }
  return ok(`Wrote, read and removed an object in ${elapsedMs} ms. ${location} works.`)
}

async function hasVersioning(store: Storage): Promise<boolean> {
  return store.hasVersioning ? withTimeout(store.hasVersioning(), stepTimeoutMs) : false
}

function describeLocation(store: Storage, { dataDir, s3 }: Config): string {
  if (store.name === 'disk' || s3 === null) return `The folder of DATA_DIR (${dataDir})`
  return `The bucket "${s3.bucket}" at ${s3.endpoint?.origin ?? `AWS in ${s3.region}`}`
}

function describeFolders(store: Storage, { dataDir }: Config): string {
  if (store.name !== 'disk') return ''
  const [files, uploads] = ['files', 'uploads'].map((name) => shellQuote(join(dataDir, name)))
  return ` The folders that it needs are ${files} and ${uploads}.`
}
