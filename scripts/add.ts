/**
 * `npm run add -- PATH… [--days N] [--owner ADDRESS]` makes a link of files that are already on the
 * server's machine, even while the server is running (docs/cli.md).
 */
import { parseArgs } from 'node:util'
import { findFiles } from '../src/cli/local-files.ts'
import { findAccountByEmail, findAdministrator } from '../src/server/auth/queries.ts'
import { openObjects } from '../src/server/backup/open-objects.ts'
import { bindStores } from '../src/server/boot/open-storage.ts'
import type { Config } from '../src/server/config/config.ts'
import { openDatabaseInUse } from '../src/server/db/open.ts'
import type { Db } from '../src/server/deps.ts'
import { AppError, StartupError } from '../src/server/errors.ts'
import { createLogger } from '../src/server/logging/log.ts'
import { AdminSettings } from '../src/server/settings/admin-settings.ts'
import { DiskSpace } from '../src/server/space/disk-space.ts'
import { openStores } from '../src/server/storage/open-stores.ts'
import { storeOfNewFiles } from '../src/server/storage/stores.ts'
import { addLocalFiles } from '../src/server/uploads/add-local-files.ts'
import { defaultExpirationDays } from '../src/shared/rules/links/lifetime.ts'
import { runCommand } from './run-command.ts'

const usage = 'Usage: npm run add -- PATH… [--days N] [--owner ADDRESS]'

function readArguments() {
  try {
    const options = { days: { type: 'string' }, owner: { type: 'string' } } as const
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    const days = Number(values.days ?? defaultExpirationDays)
    if (positionals.length > 0 && days > 0) return { paths: positionals, days, owner: values.owner }
  } catch {
    // An unknown option.
  }
  throw new StartupError(usage)
}

async function findOwner(db: Db, email: string | undefined): Promise<string> {
  const address = email?.toLowerCase() ?? (await findAdministrator(db))?.email
  if (address === undefined) throw new StartupError('Start the server once before adding files.')
  const account = await findAccountByEmail(db, address)
  if (!account) throw new StartupError(`There is no account with the address ${address}.`)
  return account.id
}

async function addFiles(config: Config): Promise<string> {
  const { paths, days, owner } = readArguments()
  const files = await findFiles(paths).catch((error: Error) => {
    throw new StartupError(error.message, { cause: error })
  })
  if (files.length === 0) throw new StartupError('There are no files to add.')
  // The server has already logged warnings about the settings.
  const log = await createLogger({ level: 'error', format: 'readable' })
  const clock = () => new Date()
  const { db, close } = await openDatabaseInUse(config, log)
  try {
    const space = await DiskSpace.open({
      folder: config.dataDir,
      minFree: config.minFreeSpace,
      storesUploads: storeOfNewFiles(config) === 'disk',
      // The server manages it.
      hasReserve: false,
      log,
    })
    const { stores, close: closeStores } = await openStores({
      settings: config,
      dataDir: config.dataDir,
      isInUse: true,
      appUrl: config.appUrl,
      // No presigned URL leaves this process.
      secret: 'unused',
      clock,
      log,
      space,
      uploads: { touch: async () => true },
      clientAddress: () => '',
      shedLoad() {},
    })
    const objects = await openObjects(stores.current.name, config, clock)
    try {
      await bindStores({ clock, db, log, stores })
      const settings = new AdminSettings({
        db,
        clock,
        supportEmail: config.supportEmail,
        onCap: ({ leastFree }) => space.setAdminMinFree(leastFree),
      })
      const deps = {
        ...{ clock, db, log, objects, settings, stores },
        // The running server computes the digests within a minute.
        requestJob() {},
        mailQueue: { add: () => Promise.reject(new Error('Adding files sends no email.')) },
      }
      const shortCode = await addLocalFiles(deps, await findOwner(db, owner), files, days)
      process.stdout.write(`${config.appUrl.origin}/s/${shortCode}\n`)
      return files.length === 1 ? 'Added 1 file.' : `Added ${files.length} files.`
    } finally {
      await objects.close()
      await closeStores()
    }
  } finally {
    await close()
  }
}

/** Shows what the operator can change, such as a limit, without further words. */
function toStartupError(error: unknown): never {
  throw error instanceof AppError ? new StartupError(error.message, { cause: error }) : error
}

await runCommand((config) => addFiles(config).catch(toStartupError))
