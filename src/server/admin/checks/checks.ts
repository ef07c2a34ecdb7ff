import { checkBackups } from './backups.ts'
import type { Check } from './check.ts'
import { checkClock } from './clock.ts'
import { checkCors } from './cors.ts'
import { checkDatabase } from './database.ts'
import { checkFreeSpace } from './free-space.ts'
import { checkJobs } from './jobs.ts'
import { checkMail } from './mail.ts'
import { checkReports } from './reports.ts'
import {
  checkAddress,
  checkContact,
  checkProxy,
  checkRateLimits,
  checkSecrets,
} from './settings.ts'
import { checkStorage } from './storage.ts'
import { checkStorageCap } from './storage-cap.ts'
import { checkVersion } from './version.ts'

/** All checks, in display order, except that the Admin Center moves failing lines to the top. */
export const checks: readonly Check[] = [
  { name: 'Database', run: checkDatabase },
  { name: 'Storage', run: checkStorage },
  { name: 'CORS', run: checkCors },
  { name: 'Clock', run: checkClock },
  { name: 'Mail', run: checkMail },
  { name: 'Free space', run: checkFreeSpace },
  { name: 'Storage cap', run: checkStorageCap },
  { name: 'Jobs', run: checkJobs },
  { name: 'Reports', run: checkReports },
  { name: 'Backups', run: checkBackups },
  { name: 'Version', run: checkVersion },
  { name: 'Address', run: checkAddress },
  { name: 'Contact', run: checkContact },
  { name: 'Secrets', run: checkSecrets },
  { name: 'Rate limits', run: checkRateLimits },
  { name: 'Proxy', run: checkProxy },
]
