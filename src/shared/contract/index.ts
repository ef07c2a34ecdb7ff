import { abuse } from './abuse.ts'
import { account } from './account.ts'
import { admin } from './admin.ts'
import { analytics } from './analytics.ts'
import { branding } from './branding.ts'
import { checks } from './checks.ts'
import { downloads } from './downloads.ts'
import { feedback } from './feedback.ts'
import { files } from './files.ts'
import { keys } from './keys.ts'
import { linkEmails } from './link-emails.ts'
import { links } from './links.ts'
import { operations } from './operations.ts'
import { ownAccount } from './own-account.ts'
import { putFile } from './put-file.ts'
import { requests } from './requests.ts'
import { settings } from './settings.ts'
import { uploads } from './uploads.ts'

/** The endpoints by feature, in the same order as in the API reference. */
export const endpointsByFeature = {
  account: { ...account, ...ownAccount, ...keys },
  uploads: { ...uploads, ...putFile },
  files,
  links: { ...links, ...linkEmails, ...downloads, ...abuse },
  requests,
  analytics,
  branding,
  feedback,
  settings,
  operations,
  admin: { ...admin, ...checks },
}

/**
 * Every endpoint of the API. The server's routes, the browser's calls and the paths in the OpenAPI
 * document are derived from this table. A fixed path such as `/api/files/bulk` must precede any
 * pattern that matches it, such as `/api/files/{id}`.
 */
export const endpoints = {
  ...endpointsByFeature.account,
  ...endpointsByFeature.uploads,
  ...endpointsByFeature.files,
  ...endpointsByFeature.links,
  ...endpointsByFeature.requests,
  ...endpointsByFeature.analytics,
  ...endpointsByFeature.branding,
  ...endpointsByFeature.feedback,
  ...endpointsByFeature.settings,
  ...endpointsByFeature.operations,
  ...endpointsByFeature.admin,
}

export type Endpoints = typeof endpoints
export type EndpointName = keyof Endpoints
