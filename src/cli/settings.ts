import { readFile, rename, stat, writeFile } from 'node:fs/promises'
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
 * @throws {CliError} if others can read the file, or it isn't JSON.
 */
export async function readSettings(): Promise<Settings> {
  const { MAYFLY_URL: url, MAYFLY_KEY: key } = process.env
  const stats = await stat(configFile).catch(() => null)
  if (!stats || (url && key)) return { url, key }
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    throw new CliError(`Others may read your key. Run: chmod 600 '${configFile}'`, exitCodes.usage)
  }
  const saved = await readJson<Settings>(configFile)
  if (saved === null) throw new CliError(`${configFile} is not valid JSON.`, exitCodes.usage)
  return { url: url || saved.url, key: key || saved.key }
}

/** Reads a JSON file. Returns null if that fails; the error's message could contain the key. */
export function readJson<Value>(path: string): Promise<Value | null> {
  return readFile(path, 'utf8')
    .then(JSON.parse)
    .catch(() => null)
}

/** Writes a JSON file for its owner alone. A killed program leaves the old one or the new one. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  await writeFile(`${path}.${process.pid}`, JSON.stringify(value), { mode: 0o600 })
  await rename(`${path}.${process.pid}`, path)
}

/**
 * Returns the server in the settings.
 * @throws {CliError} if there is none, or the key can't be one.
 */
export function openServer({ url = '', key = '' }: Settings): Server {
  if (!/^https?:\/\/[\w[]/.test(url))
    throw new CliError('Set MAYFLY_URL to a server.', exitCodes.usage)
  if (!/^\w+$/.test(key)) throw new CliError('Set MAYFLY_KEY to a key.', exitCodes.forbidden)
  const { origin } = new URL(url)
  return { origin, call: createCall(origin, { authorization: `Bearer ${key}` }) }
}

/**
 * Parses a link, or its code on the server in the settings.
 * @param isOwn whether the link must be on that server.
 * @throws {CliError} if it is neither.
 */
export function parseLink(
  link: string,
  { url = '' }: Settings,
  isOwn = false,
): { origin: string; code: string } {
  const base = /^https?:\/\/[\w[]/.test(url) ? new URL('/s/', url) : undefined
  if (!/^(https?:\/\/|[^:/]*$)/.test(link) || !URL.canParse(link, base))
    throw new CliError(`${link} isn't a link${base ? '' : ' without MAYFLY_URL'}.`, exitCodes.usage)
  const { origin, pathname } = new URL(link, base)
  const isElsewhere = isOwn && origin !== base?.origin
  if (isElsewhere) throw new CliError(`${link} is on another server.`, exitCodes.usage)
  return { origin, code: basename(pathname) }
}
