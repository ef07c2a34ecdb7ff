import { access, chmod, constants, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { customAlphabet } from 'nanoid'
import type { Config } from './config.ts'
import { createFile } from './durable-file.ts'
import { minSecretLength } from './secret-length.ts'
import { codeOf, StartFault } from './start-fault.ts'

/**
 * The alphabet has 32 characters, without those that look alike on a screen. So a password of 20
 * characters has 100 random bits.
 */
const makePassword = customAlphabet('abcdefghijkmnpqrstuvwxyz23456789', 20)
const makeSecret = customAlphabet(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  64,
)

/**
 * Makes the folder for everything that the server stores. Other users of the machine cannot read a
 * folder that is made here. A folder that exists already keeps its permissions.
 * @throws {StartFault} when the folder cannot be made or written to.
 */
export async function prepareDataDir(dataDir: string): Promise<void> {
  try {
    const made = await mkdir(dataDir, { recursive: true, mode: 0o700 })
    // A server that runs as root starts Postgres as another user. Outside Linux, Postgres reaches
    // its files by their path, so that user must be able to pass through this folder.
    const passesThrough = process.getuid?.() === 0 && process.platform !== 'linux'
    if (made !== undefined && passesThrough) await chmod(dataDir, 0o711)
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new StartFault(
      `DATA_DIR ${dataDir} cannot be written to (${codeOf(error)}). Make it a folder of the user ` +
        'that runs the server, or set DATA_DIR to one.',
      { cause: error },
    )
  }
}

/**
 * Returns the secret that signs sessions and presigned URLs: AUTH_SECRET, or else the secret in
 * `dataDir/secret`, which is made at the first start.
 * @throws {StartFault} when the secret in the file is damaged.
 */
export async function readAuthSecret(
  config: Pick<Config, 'authSecret' | 'dataDir'>,
): Promise<string> {
  if (config.authSecret !== null) return config.authSecret
  const file = join(config.dataDir, 'secret')
  const secret = await keep(file, makeSecret)
  if (secret.length >= minSecretLength) return secret
  throw new StartFault(
    `${file} is damaged. Restore it from a backup, or remove it: a new one is made, which signs ` +
      'everybody out.',
  )
}

/** Returns the path of the file with the administrator's generated password. */
export function adminPasswordFile(dataDir: string): string {
  return join(dataDir, 'admin-password')
}

/**
 * Returns the administrator's password for a fresh database: ADMIN_PASSWORD, or else the password
 * in `dataDir/admin-password`, which is made when it is first asked for.
 */
export async function readAdminPassword(
  config: Pick<Config, 'adminPassword' | 'dataDir'>,
): Promise<string> {
  return config.adminPassword ?? (await keep(adminPasswordFile(config.dataDir), makePassword))
}

/**
 * Returns the text in the file. If the file does not exist, it is made with a new value and mode
 * 600, durably. Two servers that make the file at the same time get the same value.
 */
async function keep(file: string, make: () => string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  await createFile(file, `${make()}\n`).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
  return (await readFile(file, 'utf8')).trim()
}
