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

/** Every check, in the order of their lines. The Admin Center shows failing lines first. */
export const checks: readonly Check[] = [
  { name: 'Database', look: checkDatabase },
  { name: 'Storage', look: checkStorage },
  { name: 'CORS', look: checkCors },
  { name: 'Clock', look: checkClock },
  { name: 'Mail', look: checkMail },
  { name: 'Free space', look: checkFreeSpace },
  { name: 'Storage cap', look: checkStorageCap },
  { name: 'Jobs', look: checkJobs },
  { name: 'Reports', look: checkReports },
  { name: 'Backups', look: checkBackups },
  { name: 'Version', look: checkVersion },
  { name: 'Address', look: checkAddress },
  { name: 'Contact', look: checkContact },
  { name: 'Secrets', look: checkSecrets },
  { name: 'Rate limits', look: checkRateLimits },
  { name: 'Proxy', look: checkProxy },
]
