/**
 * `npm run package` packs the built server and web, the migrations and the launcher into
 * dist/mayfly-VERSION.tgz, an npm package. Its dependencies are the native modules, Postgres and
 * Node; the build has bundled all others.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const packageDir = join(root, 'dist/package')

/** Everything that runs, and what people read. */
const contents = [
  ...['bin', 'dist/server', 'dist/web', 'src/server/db/migrations'],
  ...['CHANGELOG.md', 'LICENSE', 'SECURITY.md', 'docs', 'deploy'],
]
/**
 * Repeated in LICENSES.md, needed only to write migrations, for people who change the code, or the
 * secrets of an installation in this folder.
 */
const omitted = /\/(licenses\.md|\d+_snapshot\.json|docs\/decisions|\.env|deploy\/nginx\/tls)$/
/** Bundled as style sheets, fonts or scripts of other builds, which Vite's list doesn't contain. */
const listedPackages = ['tailwindcss', '@fontsource-variable/inter', 'swagger-ui-dist', 'hash-wasm']

const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const { name, version, description, license, type, dependencies, optionalDependencies } = manifest

await rm(packageDir, { recursive: true, force: true })
await mkdir(packageDir, { recursive: true })
for (const path of contents) {
  const filter = (source: string) => !omitted.test(source)
  await cp(join(root, path), join(packageDir, path), { recursive: true, filter })
}
await writeFile(join(packageDir, 'README.md'), createReadme())
await removeDeadLinks()
await writeFile(join(packageDir, 'LICENSES.md'), await collectLicenses())
const packageManifest = {
  ...{ name, version, description, license, type },
  bin: { mayfly: 'bin/mayfly.mjs' },
  engines: { node: '>=20' },
  scripts: { postinstall: 'node bin/prepare.mjs' },
  dependencies: { sharp: dependencies.sharp },
  optionalDependencies,
}
await writeFile(join(packageDir, 'package.json'), JSON.stringify(packageManifest, null, 2))
execFileSync('npm', ['pack', '--silent', '--pack-destination', join(root, 'dist')], {
  cwd: packageDir,
  stdio: 'inherit',
})

/** The repository's README is about a clone and its commands. */
function createReadme(): string {
  const { stderr: usage } = spawnSync(process.execPath, ['bin/mayfly.mjs', '--help'], {
    cwd: root,
    encoding: 'utf8',
  })
  return `# Mayfly

${description} Mayfly runs on Linux with glibc and macOS, on x64 and arm64, with Node 20 or newer.

\`\`\`sh
npx ./mayfly-${version}.tgz    # or: npm install -g ./mayfly-${version}.tgz && mayfly
\`\`\`

The first start prints the address and the administrator's password. Ctrl-C stops the server.

\`\`\`
${usage}\`\`\`

- [Tutorial](docs/tutorial.md): a server with TLS, email and backups
- [Settings](docs/settings.md)
- [Operations](docs/operations.md): proxies, several servers, monitoring, backups, upgrades
- [All documents](docs), [changelog](CHANGELOG.md), [security](SECURITY.md), [license](LICENSE), [libraries' licenses](LICENSES.md)

The documents name some files that only a clone of the repository has.
`
}

/** Replaces links to files that only a clone has with those files' paths. */
async function removeDeadLinks(): Promise<void> {
  for (const path of await readdir(packageDir, { recursive: true })) {
    if (!path.endsWith('.md')) continue
    const file = join(packageDir, path)
    const text = (await readFile(file, 'utf8')).replaceAll(
      /\[[^\]]+\]\((?!https?:|mailto:|#)([^)#\s]+)[^)\s]*\)/g,
      (link, target) => {
        const targetPath = join(dirname(path), target)
        return existsSync(join(packageDir, targetPath)) ? link : `\`${targetPath}\``
      },
    )
    await writeFile(file, text)
  }
}

/** Returns the license texts of all bundled packages. */
async function collectLicenses(): Promise<string> {
  const lists = ['dist/server/licenses.md', 'dist/web/licenses.md']
  const texts = await Promise.all(lists.map((path) => readFile(join(root, path), 'utf8')))
  for (const listedName of listedPackages) {
    const folder = join(root, 'node_modules', listedName)
    const text = await readFile(join(folder, 'LICENSE'), 'utf8')
    texts.push(`## ${listedName}\n\n${text}`)
  }
  return texts.join('\n')
}
