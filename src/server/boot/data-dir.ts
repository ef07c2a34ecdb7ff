import { access, chmod, constants, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { customAlphabet } from 'nanoid'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { minSecretLength } from '../config/setting-values.ts'
import { startEmbeddedPostgres } from '../db/embedded-postgres.ts'
import { lockDataDir, requireOwnDataDir } from '../db/postgres-folder.ts'
import { codeOf, StartupError } from '../errors.ts'
import { DiskSpace } from '../space/disk-space.ts'
import { createFile } from '../storage/disk/durable-file.ts'
import { storeOfNewFiles } from '../storage/stores.ts'
import type { Shutdown } from './shutdown.ts'

/**
 * 20 characters from this alphabet of 32 have 100 bits of entropy. The alphabet leaves out
 * characters that are easily confused.
 */
const makePassword = customAlphabet('abcdefghijkmnpqrstuvwxyz23456789', 20)
const makeSecret = customAlphabet(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  64,
)

/**
 * Creates DATA_DIR, private to this user, unless it exists.
 * @throws {StartupError} if it can't be created or written to.
 */
export async function prepareDataDir(dataDir: string): Promise<void> {
  try {
    const createdPath = await mkdir(dataDir, { recursive: true, mode: 0o700 })
    // If the server runs as root, Postgres runs as another user. On systems other than Linux, that
    // user must be able to traverse the folder.
    const needsTraversal = process.getuid?.() === 0 && process.platform !== 'linux'
    if (createdPath !== undefined && needsTraversal) await chmod(dataDir, 0o711)
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new StartupError(
      `DATA_DIR ${dataDir} cannot be written to (${codeOf(error)}). Make it a folder of the user ` +
        'that runs the server, or set DATA_DIR to one.',
      { cause: error },
    )
  }
}

/**
 * Returns the secret for signing sessions and presigned URLs: AUTH_SECRET or the generated file
 * `dataDir/secret`.
 * @throws {StartupError} if the secret in the file is damaged.
 */
export async function readAuthSecret(
  config: Pick<Config, 'authSecret' | 'dataDir'>,
): Promise<string> {
  if (config.authSecret !== null) return config.authSecret
  const file = join(config.dataDir, 'secret')
  const secret = await readOrCreate(file, makeSecret)
  if (secret.length >= minSecretLength) return secret
  throw new StartupError(
    `${file} is damaged. Restore it from a backup, or remove it: a new one signs everybody out.`,
  )
}

/** Returns the path to the file with the administrator's generated password. */
export function adminPasswordFile(dataDir: string): string {
  return join(dataDir, 'admin-password')
}

/**
 * Returns the administrator's password for a new database: ADMIN_PASSWORD or the generated file
 * `dataDir/admin-password`.
 */
export async function readAdminPassword(
  config: Pick<Config, 'adminPassword' | 'dataDir'>,
): Promise<string> {
  return (
    config.adminPassword ?? (await readOrCreate(adminPasswordFile(config.dataDir), makePassword))
  )
}

/** Reads a file. If it doesn't exist, creates it with a new value and mode 600. */
async function readOrCreate(file: string, generate: () => string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  await createFile(file, `${generate()}\n`).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
  return (await readFile(file, 'utf8')).trim()
}

export interface DataFolderOptions {
  config: Config
  log: Logger
  shutdown: Shutdown
  /** Called when the embedded Postgres has been launched, before it is ready. */
  onLaunch?(): void
  /** Called if the embedded Postgres exits and can't be restarted. */
  onLost(error: unknown): void
}

export interface DataFolder {
  space: DiskSpace
}

/**
 * Creates and locks the data folder, and starts the embedded Postgres in it unless DATABASE_URL is
 * set.
 * @throws {StartupError} if the folder can't be used, or Postgres can't run.
 */
export async function openDataFolder({
  config,
  log,
  shutdown,
  onLaunch,
  onLost,
}: DataFolderOptions): Promise<DataFolder> {
  const { databaseUrl, dataDir, minFreeSpace: minFree } = config
  await prepareDataDir(dataDir)
  await requireOwnDataDir(dataDir)
  const unlock = lockDataDir(dataDir)
  shutdown.add({ name: 'data folder', close: async () => unlock() })
  const space = await DiskSpace.open({
    folder: dataDir,
    minFree,
    storesUploads: storeOfNewFiles(config) === 'disk',
    hasReserve: databaseUrl === null,
    log,
  })
  // Parts are closed in reverse order, so Postgres is closed before this part. Postgres may need
  // the reserve's space to shut down.
  shutdown.add({ name: 'disk space', close: () => space.close() })
  if (databaseUrl !== null) return { space }
  const postgres = await startEmbeddedPostgres(dataDir, log, onLaunch)
  shutdown.add({ name: 'embedded Postgres', close: postgres.stop, abandon: postgres.abandon })
  postgres.onLost(onLost)
  return { space }
}
