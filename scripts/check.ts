/**
 * `mayfly check` runs the Admin Center's checks, even while the server is running. Exits with 1 if
 * one is failing (docs/operations.md).
 */
import { checks } from '../src/server/admin/checks/checks.ts'
import { runChecks } from '../src/server/admin/checks/run-checks.ts'
import type { Config } from '../src/server/config/config.ts'
import { poolLimits } from '../src/server/db/pool.ts'
import { createMailer } from '../src/server/email/create-mailer.ts'
import type { CheckResult } from '../src/shared/contract/checks.ts'
import { openInstallation } from './open-installation.ts'
import { runCommand } from './run-command.ts'

/** The check Proxy judges a request, and this command makes none. */
const list = checks.filter(({ name }) => name !== 'Proxy')

function describeLine({ name, status, message, cure }: CheckResult): string {
  return `${status.padEnd(8)} ${name}: ${[message, cure].join(' ').trim()}\n`
}

async function check(config: Config): Promise<string> {
  const { deps, close } = await openInstallation(config)
  const { appUrl } = config
  const mailer = createMailer(config, deps)
  try {
    const lines = await runChecks(
      {
        ...deps,
        mailer,
        maxDatabaseConnections: poolLimits.connections,
        // Jobs are overdue whether or not a server is running.
        startedAt: new Date(0),
      },
      {
        host: appUrl.host,
        scheme: appUrl.protocol === 'https:' ? 'https' : 'http',
        isForwarded: false,
        isProxied: false,
        isTrusted: false,
      },
      { list },
    )
    process.stdout.write(lines.map(describeLine).join(''))
    const failingCount = lines.filter(({ status }) => status === 'failing').length
    if (failingCount === 0) return 'No check is failing.'
    process.exitCode = 1
    return failingCount === 1 ? '1 check is failing.' : `${failingCount} checks are failing.`
  } finally {
    mailer.close()
    await close()
  }
}

await runCommand(check)
