import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'

/** The package's own package.json, found from the sources and from the bundle alike. */
export const packageFile = findPackageJSON(import.meta.url) ?? ''

const root = dirname(packageFile)

/** The built web (scripts/build-web.ts). */
export const webFolder = join(root, 'dist/web')

export const migrationsFolder = join(root, 'src/server/db/migrations')
