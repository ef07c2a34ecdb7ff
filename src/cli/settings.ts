import { readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { type Call, createCall } from './api.ts'
import { CliError, exitCodes } from './cli-error.ts'

/** The options of all commands. */
export interface Options {
  days?: number | undefined
  each?: boolean
  limit?: number | undefined
  message?: string
  output?: string
  password?: string
  title?: string
}

/** Which server to use, and the API key for it. */
export interface Settings {
  url?: string | undefined
  key?: string | undefined
}

export interface Server {
  origin: string
  /** Calls it with the key. */
  call: Call
}

const configDir = join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'mayfly')
const configFile = join(configDir, 'config.json')
/** Where `put` remembers unfinished uploads. */
export const uploadsDir = join(configDir, 'uploads')

/**
 * Reads MAYFLY_URL and MAYFLY_KEY, and the configuration file for what they don't set.
 * @throws {CliError} if others can read the file.
 */
export async function readSettings(): Promise<Settings> {
  const { MAYFLY_URL: url, MAYFLY_KEY: key } = process.env
  const stats = await stat(configFile).catch(() => null)
  if (!stats || (url && key)) return { url, key }
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    throw new CliError(`Others may read your key. Run: chmod 600 '${configFile}'`, exitCodes.usage)
  }
  // An error of JSON.parse would contain the key.
  const saved: Settings = await readFile(configFile, 'utf8')
    .then(JSON.parse)
    .catch(() => ({}))
  return { url: url || saved.url, key: key || saved.key }
}

/**
 * Returns the server in the settings.
 * @throws {CliError} if there is none, or the key can't be one.
 */
export function openServer({ url = '', key = '' }: Settings): Server {
  if (!URL.canParse(url)) throw new CliError('Set MAYFLY_URL to a server.', exitCodes.usage)
  if (!/^\w+$/.test(key)) throw new CliError('Set MAYFLY_KEY to a key.', exitCodes.forbidden)
  const { origin } = new URL(url)
  return { origin, call: createCall(origin, { authorization: `Bearer ${key}` }) }
}

/**
 * Parses a link, or its code on the server in the settings.
 * @throws {CliError} if it is neither.
 */
export function parseLink(link: string, { url }: Settings): { origin: string; code: string } {
  const base = url ? new URL('/s/', url) : undefined
  if (!URL.canParse(link, base)) throw new CliError(`${link} is not a link.`, exitCodes.usage)
  const { origin, pathname } = new URL(link, base)
  return { origin, code: basename(pathname) }
}
