import type { Server } from 'node:http'
import type pg from 'pg'
import { loadReportPages } from '../abuse/report-pages.ts'
import { buildApp } from '../app.ts'
import { watchBackups } from '../backup/last-backup.ts'
import { pictureOrigins } from '../config/google-settings.ts'
import type { Deps } from '../deps.ts'
import { loadLinkPages } from '../downloads/page-template.ts'
import { admitHost, createServedHosts } from '../http/hosts.ts'
import { listen } from '../http/listen.ts'
import { createWebFiles } from '../http/web-files.ts'
import { watchQueues } from '../jobs/queue-metrics.ts'
import { loadOptOutPages } from '../link-emails/opt-out-pages.ts'
import { watchPool, watchSpace } from '../metrics/metrics.ts'
import { getConditions } from '../public-pages/page-values.ts'
import { loadPublicPages } from '../public-pages/public-pages.ts'
import { loadRequestPages } from '../requests/request-pages.ts'
import type { DiskSpace } from '../space/disk-space.ts'
import type { OpenStores } from '../storage/open-stores.ts'

interface ServerParts {
  /** The folder of the built web app. */
  distDir: string
  storage: Pick<OpenStores, 'disk' | 'origins'>
  pool: pg.Pool
  space: DiskSpace
}

/**
 * Loads the built web app, builds the HTTP app, and listens.
 * @throws {StartupError} if the built pages are missing or from another version.
 * @throws Node's errors from `listen`, such as EADDRINUSE.
 */
export async function serve(
  deps: Deps,
  { distDir, storage, pool, space }: ServerParts,
): Promise<Server> {
  const { config, log, metrics, stopping } = deps
  const { appUrl } = config
  watchPool(metrics, pool)
  watchSpace(metrics, space, deps.stores.current.name)
  watchQueues(deps)
  watchBackups(deps)
  const pictureHosts = pictureOrigins(config.google)
  const buildOptions = { distDir, appUrl, connect: storage.origins, pictures: pictureHosts }
  const app = buildApp(deps, {
    pages: loadLinkPages(buildOptions),
    reports: loadReportPages(buildOptions),
    requestPages: loadRequestPages(buildOptions),
    optOutPages: loadOptOutPages(buildOptions),
    publicPages: loadPublicPages({ ...buildOptions, conditions: getConditions(config) }),
    files: createWebFiles(buildOptions),
  })
  const { server } = await listen(app, storage.disk.handle, {
    ...config,
    admit: admitHost(createServedHosts(config), { appUrl, log }),
    log,
    watch: metrics.http.watch,
    stopping,
  })
  return server
}
