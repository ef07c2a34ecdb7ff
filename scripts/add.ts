/**
 * `mayfly add PATH… [--days N] [--owner ADDRESS]` creates a link to files that are already on the
 * server's machine, even while the server is running (docs/cli.md).
 */
import { parseArgs } from 'node:util'
import { findFiles } from '../src/cli/local-files.ts'
import { findAccountByEmail, findAdministrator } from '../src/server/auth/queries.ts'
import type { Config } from '../src/server/config/config.ts'
import type { Db } from '../src/server/deps.ts'
import { AppError, StartupError } from '../src/server/errors.ts'
import { addLocalFiles } from '../src/server/uploads/add-local-files.ts'
import { formatCount } from '../src/shared/rules/format/numbers.ts'
import { defaultExpirationDays } from '../src/shared/rules/links/lifetime.ts'
import { openInstallation } from './open-installation.ts'
import { readArguments, resolveArgument, runCommand } from './run-command.ts'

const { paths, days, owner } = readArguments(
  'Usage: mayfly add PATH… [--days N] [--owner ADDRESS]',
  () => {
    const options = { days: { type: 'string' }, owner: { type: 'string' } } as const
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    const parsed = {
      ...values,
      paths: positionals.map(resolveArgument),
      days: Number(values.days ?? defaultExpirationDays),
    }
    const hasPaths = positionals.length > 0 && !positionals.includes('')
    return hasPaths && parsed.days > 0 ? parsed : null
  },
)

const interruption = new AbortController()

async function findOwner(db: Db): Promise<string> {
  const address = owner?.toLowerCase() ?? (await findAdministrator(db))?.email
  if (address === undefined) throw new StartupError('Start the server once before adding files.')
  const account = await findAccountByEmail(db, address)
  if (!account) throw new StartupError(`There is no account with the address ${address}.`)
  return account.id
}

async function addFiles(config: Config): Promise<string> {
  const files = await findFiles(paths).catch((error: Error) => {
    throw new StartupError(error.message, { cause: error })
  })
  if (files.length === 0) throw new StartupError('There are no files to add.')
  const { deps, close } = await openInstallation(config)
  try {
    const uploadDeps = {
      ...deps,
      // The running server computes the digests within a minute.
      requestJob() {},
      signal: interruption.signal,
      mailQueue: { add: () => Promise.reject(new Error('Adding files sends no email.')) },
    }
    const shortCode = await addLocalFiles(uploadDeps, await findOwner(deps.db), files, days)
    process.stdout.write(`${config.appUrl.origin}/s/${shortCode}\n`)
    return `Added ${formatCount(files.length, 'file')}.`
  } finally {
    await close()
  }
}

/** Turns an error that the operator can fix, such as an exceeded limit, into a plain message. */
function toStartupError(error: unknown): never {
  if (!(error instanceof AppError)) throw error
  const message = error.message.replace(/^expirationDays:/, '--days:')
  throw new StartupError(message, { cause: error })
}

await runCommand(
  (config) => addFiles(config).catch(toStartupError),
  () => interruption.abort(new StartupError('Interrupted: nothing is added.')),
)
if (process.exitCode === 1 && interruption.signal.aborted) process.exit(130)
