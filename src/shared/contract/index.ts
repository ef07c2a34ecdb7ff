import { abuse } from './abuse.ts'
import { account } from './account.ts'
import { admin } from './admin.ts'
import { adminLimits } from './admin-limits.ts'
import { analytics } from './analytics.ts'
import { branding } from './branding.ts'
import { checks } from './checks.ts'
import { downloads } from './downloads.ts'
import { feedback } from './feedback.ts'
import { files } from './files.ts'
import { operations } from './operations.ts'
import { ownAccount } from './own-account.ts'
import { preferences } from './preferences.ts'
import { settings } from './settings.ts'
import { signInWays } from './sign-in-ways.ts'
import { tiers } from './tiers.ts'
import { uploads } from './uploads.ts'

/**
 * The table of every endpoint. The server makes its routes from it, the browser calls through it,
 * and the OpenAPI document is made from it. No other path below `/api/` exists. A fixed path such
 * as `/api/files/bulk` must stand before a pattern that matches it too, such as `/api/files/{id}`.
 */
export const endpoints = {
  ...operations,
  ...account,
  ...signInWays,
  ...tiers,
  ...ownAccount,
  ...settings,
  ...uploads,
  ...files,
  ...preferences,
  ...branding,
  ...analytics,
  ...downloads,
  ...feedback,
  ...abuse,
  ...admin,
  ...adminLimits,
  ...checks,
}

export type Endpoints = typeof endpoints
export type EndpointName = keyof Endpoints
