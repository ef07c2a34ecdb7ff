/** The command line client, which every server serves as /mayfly.mjs (docs/cli.md). */
import { parseArgs } from 'node:util'
import { defaultExpirationDays } from '../shared/rules/links/lifetime.ts'
import { CliError, exitCodes } from './cli-error.ts'
import { get } from './get.ts'
import { createRequest, listLinks, removeLinks, renewLink } from './links.ts'
import { logIn } from './login.ts'
import { put } from './put.ts'
import { readSettings, type Settings, toOrigin } from './settings.ts'

const usage = `Usage: node mayfly.mjs COMMAND

  login URL              save a server's address and the API key on standard input
  put FILES…             upload files and folders as one link
      --days N           how many days the link works (${defaultExpirationDays})
      --each             make a link for each file
      --title T, --password P
      --limit N          the link ends after N downloads
  get LINK               download the files of a link
      -o, --output DIR   into this folder
      --password P
  ls                     list your links
  renew LINK [--days N]  give a link a new address and more time
  rm LINKS…              delete links with their files
  request TITLE          make a page where others send you files
      --days N           how many days it is open (7)
      --message M, --password P
      --limit N          how many deliveries it takes

MAYFLY_URL and MAYFLY_KEY replace what login has saved.
Exit codes: 1 failed, 2 wrong usage, 3 not allowed, 4 not found, 5 server not reached.
`

const text = { type: 'string' } as const
const options = {
  days: text,
  each: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  limit: text,
  message: text,
  output: { type: 'string', short: 'o' },
  password: text,
  title: text,
} as const

/** The options that each command takes. */
const optionsByCommand: Record<string, readonly (keyof typeof options)[]> = {
  login: [],
  put: ['days', 'each', 'title', 'password', 'limit'],
  get: ['output', 'password'],
  ls: [],
  renew: ['days'],
  rm: [],
  request: ['days', 'message', 'password', 'limit'],
}

function usageError(message: string): CliError {
  return new CliError(`${message} See: node mayfly.mjs --help`, exitCodes.usage)
}

function parseNumber(value: string | undefined, name: string): number | undefined {
  if (value === undefined || /^[1-9]\d{0,8}$/.test(value))
    return (value && Number(value)) || undefined
  throw usageError(`--${name} must be a number.`)
}

function parseCommandLine() {
  try {
    return parseArgs({ options, allowPositionals: true })
  } catch (error) {
    throw usageError(error instanceof Error ? `${error.message}.` : '')
  }
}

async function requireSettings(): Promise<Settings> {
  const { origin, key } = await readSettings()
  if (origin === null) throw usageError('Set MAYFLY_URL, or run login.')
  return { origin, key }
}

async function run(): Promise<void> {
  const { values, positionals } = parseCommandLine()
  const [command, ...operands] = positionals
  if (values.help) return void process.stdout.write(usage)
  const allowed = optionsByCommand[command ?? '']
  if (!allowed) throw usageError(command ? `There is no command ${command}.` : 'Name a command.')
  for (const name of Object.keys(values) as (keyof typeof options)[]) {
    if (!allowed.includes(name)) throw usageError(`${command} takes no --${name}.`)
  }
  const [first] = operands
  const needsOperand = command !== 'ls' && command !== 'login'
  const isList = command === 'put' || command === 'rm'
  if (first === undefined ? needsOperand : command === 'ls' || (!isList && operands.length > 1)) {
    throw usageError(`Wrong number of arguments of ${command}.`)
  }
  const operand = first ?? ''
  const { title, message, password, output: folder = '.' } = values
  const days = parseNumber(values.days, 'days')
  const limit = parseNumber(values.limit, 'limit')
  if (command === 'get') return get(operand, { folder, password }, (await readSettings()).origin)
  if (command === 'login') return logIn(first ? toOrigin(first) : (await requireSettings()).origin)
  const settings = await requireSettings()
  const expirationDays = days ?? defaultExpirationDays
  switch (command) {
    case 'put': {
      const link = { expirationDays, title, password, maxDownloads: limit }
      return put(operands, { ...link, isEach: values.each === true }, settings)
    }
    case 'renew':
      return renewLink(operand, expirationDays, settings)
    case 'rm':
      return removeLinks(operands, settings)
    case 'request': {
      const openDays = days ?? 7
      const request = { title: operand, openDays, message, password, maxLinks: limit }
      return createRequest(request, settings)
    }
    default:
      return listLinks(settings)
  }
}

// The reader of the output, such as `head`, has seen enough.
process.stdout.on('error', () => process.exit())
// Node 20 never settles some requests whose connection is lost, and then ends with this code.
process.exitCode = exitCodes.unreachable
try {
  await run()
  process.exitCode = 0
} catch (error) {
  process.stderr.write(`mayfly: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = error instanceof CliError ? error.exitCode : exitCodes.failed
}
