import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { authorization, createCall } from './api.ts'
import { CliError, exitCodes, unwrap } from './cli-error.ts'
import { checkKey, saveSettings } from './settings.ts'

/**
 * Reads a key from standard input, checks it and saves it with the server's address.
 * @throws {CliError} if the server doesn't accept the key.
 */
export async function logIn(origin: string): Promise<void> {
  const key = checkKey(await readLine('API key: '))
  if (key === null) throw new CliError('There is no key on standard input.', exitCodes.usage)
  const call = createCall(origin, authorization({ key }))
  const outcome = await call('listLinks', { query: { limit: 1 } })
  // A key without this permission is valid too.
  if (outcome.ok || outcome.error.status !== 403) unwrap(outcome)
  const file = await saveSettings({ origin, key })
  process.stderr.write(`Saved in ${file}\n`)
}

/** Reads a line without showing it. */
async function readLine(prompt: string): Promise<string> {
  const { isTTY } = process.stdin
  if (isTTY) process.stderr.write(prompt)
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output, terminal: isTTY })
  const [line = ''] = await Promise.race([once(lines, 'line'), once(lines, 'close')])
  lines.close()
  if (isTTY) process.stderr.write('\n')
  return String(line).trim()
}
