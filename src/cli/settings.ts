import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CliError, exitCodes } from './cli-error.ts'

/** Which server to use, and as whom. */
export interface Settings {
  /** The server's origin. */
  origin: string
  /** Null for calls without an account. */
  key: string | null
}

const configDir = join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'mayfly')
const configFile = join(configDir, 'config.json')
/** Where `put` remembers unfinished uploads. */
export const uploadsDir = join(configDir, 'uploads')

/**
 * Reads MAYFLY_URL and MAYFLY_KEY, and the configuration file for what they don't set.
 * @throws {CliError} if others can read the file, or a value is unusable.
 */
export async function readSettings(): Promise<{ origin: string | null; key: string | null }> {
  const { MAYFLY_URL: url, MAYFLY_KEY: key } = process.env
  const saved = url && key ? {} : await readConfig()
  const address = url || saved.url
  return { origin: address ? toOrigin(address) : null, key: checkKey(key || saved.key) }
}

/** Saves the settings for this user alone, and returns the file's path. */
export async function saveSettings({ origin, key }: Settings): Promise<string> {
  await mkdir(dirname(configFile), { recursive: true, mode: 0o700 })
  // An existing file would keep its mode.
  await rm(configFile, { force: true })
  await writeFile(configFile, `${JSON.stringify({ url: origin, key }, null, 2)}\n`, { mode: 0o600 })
  return configFile
}

async function readConfig(): Promise<{ url?: string; key?: string }> {
  const stats = await stat(configFile).catch(() => null)
  if (!stats) return {}
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    throw new CliError(
      `Other users may read the key in ${configFile}. Run: chmod 600 '${configFile}'`,
      exitCodes.usage,
    )
  }
  try {
    return JSON.parse(await readFile(configFile, 'utf8'))
  } catch {
    throw new CliError(`${configFile} is not valid JSON. Run: mayfly login URL`, exitCodes.usage)
  }
}

/**
 * Returns the origin of a server's address.
 * @throws {CliError} if it isn't an HTTP address.
 */
export function toOrigin(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.origin
  throw new CliError(`${address} is not the address of a server.`, exitCodes.usage)
}

/**
 * Returns a key that can be sent in a header. Node's error for any other text would contain it.
 * @throws {CliError} if the key is malformed.
 */
export function checkKey(key: string | undefined): string | null {
  if (!key) return null
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new CliError('The key is not valid.', exitCodes.forbidden)
}
