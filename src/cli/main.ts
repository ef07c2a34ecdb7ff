/** The command line client, which every server serves as /mayfly.mjs (docs/cli.md). */
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { CliError, exitCodes } from './cli-error.ts'
import { get } from './get.ts'
import { ls, renew, request, rm } from './links.ts'
import { showText } from './progress.ts'
import { put } from './put.ts'
import { type Options, readSettings, type Settings } from './settings.ts'

const help = `Usage: node mayfly.mjs COMMAND
  put FILES… [--each] [--days N] [--limit N] [--title T] [--password P]
      Upload files and folders as one link, or each as one, for N days or N downloads.
  get LINK [--output DIR] [--password P]
  ls
  renew LINK [--days N]
  rm LINKS…
  request TITLE [--days N] [--limit N] [--message M] [--password P]
      Make a page where others send you files, for N days or N times.
MAYFLY_URL is the server, and MAYFLY_KEY an API key.
Exit codes: 1 failed, 2 wrong usage, 3 not allowed, 4 not found, 5 no response.`

/** The options that aren't plain text. */
const optionTypes: NonNullable<ParseArgsConfig['options']> = {
  each: { type: 'boolean' },
  output: { type: 'string', short: 'o' },
}

type Run = (args: string[], options: Options, settings: Settings) => Promise<void>

/** Returns the function that runs a command. It takes one argument at least, if any. */
function command(run: Run, maxArgs: number, ...names: (keyof Options)[]) {
  const options: typeof optionTypes = {}
  for (const name of names) options[name] = optionTypes[name] ?? { type: 'string' }
  return async (args: string[]) => {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    // `put "$UNSET"` must not upload the current folder.
    const { length } = positionals.includes('') ? [] : positionals
    const numbers = { days: toNumber(values.days), limit: toNumber(values.limit) }
    const isUnusable = length > maxArgs || length < Math.min(1, maxArgs)
    if (isUnusable || Object.values(numbers).includes(Number.NaN))
      throw new CliError(help, exitCodes.usage)
    await run(positionals, { ...values, ...numbers }, await readSettings())
  }
}

/** NaN if the text is no whole number. */
const toNumber = (text: unknown) =>
  text === undefined ? text : Number(/^\d+$/.exec(String(text)) ?? Number.NaN)

const commands: Record<string, (args: string[]) => Promise<void>> = {
  put: command(put, Number.POSITIVE_INFINITY, 'days', 'each', 'limit', 'password', 'title'),
  get: command(get, 1, 'output', 'password'),
  ls: command(ls, 0),
  renew: command(renew, 1, 'days'),
  rm: command(rm, Number.POSITIVE_INFINITY),
  request: command(request, 1, 'days', 'limit', 'message', 'password'),
  '--help': async () => console.log(help),
}

/** Prints an error and ends the program, even while uploads are under way. */
function fail(error: Error & { code?: string; exitCode?: number }): void {
  const otherCode = error.code?.startsWith('ERR_PARSE_ARGS') ? exitCodes.usage : exitCodes.failed
  showText('')
  // A server's message must not control the terminal.
  const text = error.message.replaceAll(/[^\P{Cc}\n]/gu, ' ')
  process.stderr.write(`${text}\n`, () => process.exit(error.exitCode ?? otherCode))
}

// The reader may be gone, as in `mayfly.mjs ls | head`.
process.stdout.on('error', () => process.exit(exitCodes.failed))
const [name = '--help', ...args] = process.argv.slice(2)
const run = Object.hasOwn(commands, name) && commands[name]
if (run) run(args).catch(fail)
else fail(new CliError(help, exitCodes.usage))
