import { account } from './account.ts'
import { downloads } from './downloads.ts'
import { files } from './files.ts'
import { operations } from './operations.ts'
import { settings } from './settings.ts'
import { uploads } from './uploads.ts'

/**
 * The table of every endpoint. The server mounts it, the browser calls through it, and the OpenAPI
 * document is made from it; a path that is not here does not exist. Longer paths come before
 * patterns that would swallow them.
 */
export const endpoints = {
  ...operations,
  ...account,
  ...settings,
  ...uploads,
  ...files,
  ...downloads,
}

export type Endpoints = typeof endpoints
export type EndpointName = keyof Endpoints
