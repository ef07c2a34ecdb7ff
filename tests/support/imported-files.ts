import { readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { parseSync } from 'vite'

export interface ImportedModules {
  /** The files' paths, relative to the repository root. */
  files: Set<string>
  packages: Set<string>
}

/**
 * Collects the files and packages that a program imports. Includes dynamic imports and `new URL(…,
 * import.meta.url)`, but not type imports.
 * @param entries paths relative to the repository root.
 */
export async function followImports(
  root: string,
  entries: readonly string[],
): Promise<ImportedModules> {
  const files = new Set(entries)
  const packages = new Set<string>()
  // The loop also visits files that are added to the set while it runs.
  for (const file of files) {
    if (!file.endsWith('.ts')) continue
    for (const name of await findImports(join(root, file))) {
      if (name.startsWith('.')) files.add(posix.join(posix.dirname(file), name))
      else if (!name.startsWith('node:')) packages.add(getPackageName(name))
    }
  }
  return { files, packages }
}

async function findImports(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8')
  const { module } = parseSync(path, text)
  const staticImports = module.staticImports.filter(
    ({ start }) => !text.startsWith('import type', start),
  )
  const staticExports = module.staticExports.flatMap(({ entries }) => entries)
  const requests = [...staticImports, ...staticExports.filter(({ isType }) => !isType)].flatMap(
    ({ moduleRequest }) => moduleRequest?.value ?? [],
  )
  const dynamicImports = module.dynamicImports.map(({ moduleRequest: { start, end } }) => {
    const [, name] = /^'([^']+)'$/.exec(text.slice(start, end)) ?? []
    if (name === undefined) throw new Error(`${path} has an import without a literal name`)
    return name
  })
  const urlReferences = Array.from(
    text.matchAll(/new URL\('([^']+)', import\.meta\.url\)/g),
    ([, name = '']) => (name.startsWith('.') ? name : `./${name}`),
  )
  return [...requests, ...dynamicImports, ...urlReferences]
}

/**
 * Returns the name of the package that an import refers to, such as `@aws-sdk/client-s3` for
 * `@aws-sdk/client-s3/x`.
 */
function getPackageName(name: string): string {
  return name.split('/', name.startsWith('@') ? 2 : 1).join('/')
}
