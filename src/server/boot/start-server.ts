import { setTimeout as wait } from 'node:timers/promises'
import { checkClock } from '../admin/checks/clock.ts'
import { checkCors } from '../admin/checks/cors.ts'
import { checkStorage } from '../admin/checks/storage.ts'
import { ensureAdministrator } from '../auth/administrator.ts'
import { PasswordHashing } from '../auth/password-hashing.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { openServerDatabase } from '../db/open.ts'
import { poolLimits } from '../db/pool.ts'
import type { Deps } from '../deps.ts'
import { createMailer } from '../email/create-mailer.ts'
import { codeOf, StartupError } from '../errors.ts'
import { makeLoadShedder } from '../http/limits.ts'
import { createRateLimits } from '../http/rate-limit.ts'
import { openJobQueue } from '../jobs/job-queue.ts'
import { startJobs } from '../jobs/jobs.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { webFolder } from '../package-files.ts'
import { AdminSettings } from '../settings/admin-settings.ts'
import { lowSpaceText } from '../space/disk-space.ts'
import type { DataFolder, DataFolderOptions } from './data-dir.ts'
import { adminPasswordFile, readAdminPassword, readAuthSecret } from './data-dir.ts'
import { bindStores, openStorage } from './open-storage.ts'
import { serve } from './serve.ts'
import { closeServer } from './shutdown.ts'

/** How long running transfers may continue after a stop signal. */
const transferGraceMs = 30_000

interface ServerStartOptions extends Omit<DataFolderOptions, 'onLost'> {
  clock: Clock
  folder: DataFolder
}

/**
 * Starts the server's parts one after another, then listens.
 * @returns the greeting for the operator.
 * @throws {StartupError} if it can't start. `shutdown` then contains the parts that have started.
 */
export async function startServer({
  config,
  clock,
  log,
  shutdown,
  folder: { space },
}: ServerStartOptions): Promise<string> {
  const { appUrl } = config
  const secret = await readAuthSecret(config)

  const metrics = createMetrics()
  const { pool, db, close } = await openServerDatabase(config, log)
  shutdown.add({ name: 'database', close })

  // Starts filling the reserve. If this were done earlier, a new database might not have enough
  // space.
  space.watch()

  const shedLoad = makeLoadShedder({ clock, log, pool, maxWaiting: poolLimits.maxWaiting })
  const storage = await openStorage({
    config,
    clock,
    log,
    db,
    shedLoad,
    secret,
    space,
    metrics,
  })
  shutdown.add({ name: 'storage', close: storage.close })
  const { stores } = storage
  await bindStores({ clock, db, log, stores })

  const passwords = new PasswordHashing()
  const rateLimits = createRateLimits({ pool, clock, enabled: config.rateLimits })
  const queue = await openJobQueue(pool, log)
  shutdown.add({ name: 'jobs', close: queue.stop })
  const mailer = createMailer(config, { clock, log })
  shutdown.add({ name: 'mailer', close: async () => mailer.close() })
  const mailQueue = queue.emails
  const settings = new AdminSettings({
    db,
    clock,
    supportEmail: config.supportEmail,
    onCap: ({ leastFree }) => space.setAdminMinFree(leastFree),
  })
  // Loads the settings, so that `onCap` runs before the server accepts uploads.
  await settings.current()
  const stopping = new AbortController()
  const deps = {
    config,
    clock,
    log,
    db,
    stores,
    transfers: storage.disk.transfers,
    space,
    secret,
    passwords,
    rateLimits,
    mailQueue,
    requestJob: queue.requestJob,
    mailer,
    settings,
    metrics,
    maxDatabaseConnections: pool.options.max,
    shedLoad,
    stopping: stopping.signal,
  }
  const administrator = await ensureAdministrator(deps, () => readAdminPassword(config))

  const server = await serve(deps, {
    distDir: webFolder,
    storage,
    pool,
    space,
  }).catch((error: unknown) => {
    throw listenError(error, config)
  })
  shutdown.add({
    name: 'server',
    async close(reason) {
      stopping.abort()
      // After an uncaught error, the server stops without the drain period.
      if (reason === 'signal') await wait(config.drainMs)
      await closeServer(server, transferGraceMs)
    },
  })
  log.info({ host: config.host, port: config.port, url: appUrl.origin }, 'Listening')
  await startJobs(deps, queue)
  if (stores.current.name === 's3') void warnAboutBucket(deps)
  const message = administrator.created
    ? await createGreetingWithPassword(config)
    : createGreeting(config)
  return [message, await getSpaceWarning(deps)].filter((part) => part !== null).join('\n')
}

async function getSpaceWarning({ space, stores }: Pick<Deps, 'space' | 'stores'>) {
  return stores.current.name === 'disk' ? lowSpaceText(await space.readStatus()) : null
}

/**
 * Logs what the Admin Center's checks find wrong with the bucket. The server runs anyway, because
 * it can't know how browsers reach the bucket.
 */
async function warnAboutBucket(
  deps: Pick<Deps, 'clock' | 'config' | 'db' | 'log' | 'stores'>,
): Promise<void> {
  try {
    const findings = await Promise.all([checkCors(deps), checkStorage(deps), checkClock(deps)])
    for (const { status, message, cure } of findings.flat()) {
      if (status !== 'ok') deps.log.warn(`${message} ${cure}`)
    }
  } catch (error) {
    deps.log.warn({ err: error }, 'could not check the bucket')
  }
}

function createGreeting({ appUrl, appUrlIsSet, host }: Config): string {
  const listensOnAllAddresses = !appUrlIsSet && (host === '0.0.0.0' || host === '::')
  const hint = listensOnAllAddresses ? " (from other machines by this one's address)" : ''
  return `Mayfly is ready: ${appUrl.origin}${hint}`
}

/** The greeting on the first start. No other output contains the generated password. */
async function createGreetingWithPassword(config: Config): Promise<string> {
  const lines = [createGreeting(config), '', `  Administrator  ${config.adminEmail}`]
  if (config.adminPassword !== null) lines.push('  Password       the one of ADMIN_PASSWORD')
  else {
    lines.push(`  Password       ${await readAdminPassword(config)}`)
    lines.push(`  It is kept in  ${adminPasswordFile(config.dataDir)}`)
  }
  return `${lines.join('\n')}\n`
}

function listenError(error: unknown, { host, port }: Config): unknown {
  const remedies: Record<string, string> = {
    EADDRINUSE: `Port ${port} of ${host} is taken: stop the program that has it, or set PORT.`,
    EACCES: `This user may not listen on port ${port}: set PORT to one above 1023.`,
    EADDRNOTAVAIL: `This machine has no address ${host}: set HOST to one that it has.`,
    ENOTFOUND: `HOST ${host} is not known: set it to an address of this machine.`,
  }
  const remedy = remedies[codeOf(error) ?? '']
  return remedy ? new StartupError(remedy, { cause: error }) : error
}
