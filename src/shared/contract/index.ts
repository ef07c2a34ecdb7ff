import { abuse } from './abuse.ts'
import { account } from './account.ts'
import { admin } from './admin.ts'
import { analytics } from './analytics.ts'
import { branding } from './branding.ts'
import { checks } from './checks.ts'
import { downloads } from './downloads.ts'
import { feedback } from './feedback.ts'
import { files } from './files.ts'
import { operations } from './operations.ts'
import { ownAccount } from './own-account.ts'
import { settings } from './settings.ts'
import { uploads } from './uploads.ts'

/** The endpoints by feature, in the order of the API reference. */
export const features = {
  account: { ...account, ...ownAccount },
  uploads,
  files,
  links: { ...downloads, ...abuse },
  analytics,
  branding,
  feedback,
  settings,
  operations,
  admin: { ...admin, ...checks },
}

/**
 * Every endpoint. The server's routes, the browser's calls and the paths of the OpenAPI document
 * are derived from this table. A fixed path such as `/api/files/bulk` must precede a pattern that
 * matches it, such as `/api/files/{id}`.
 */
export const endpoints = {
  ...features.account,
  ...features.uploads,
  ...features.files,
  ...features.links,
  ...features.analytics,
  ...features.branding,
  ...features.feedback,
  ...features.settings,
  ...features.operations,
  ...features.admin,
}

export type Endpoints = typeof endpoints
export type EndpointName = keyof Endpoints
